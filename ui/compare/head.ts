// The rows above both sides: the title with the link, and the choices of what is compared.
import { copied } from "../player/base/copying.ts";
import { el, fill } from "../player/base/dom.ts";
import { say, sentences } from "../player/base/format.ts";
import { icon } from "../player/base/icons.ts";
import { doorRow, ownOptions, ownScenarios, ownValue, type Door, type SideName } from "./own.ts";
import { linkOf } from "./place.ts";
import type { Address, CompareData, Compared } from "./types.ts";

type Groups = [title: string, options: [value: string, text: string][]][];

/** Title, what is compared, the two views, and the link. */
export function titleRow(comparison: Compared, views: HTMLElement[]) {
  const { words, data } = comparison;
  const row = el("header", "tm-title-row");
  const copy = el("button", "tm-button tm-plain", null, { type: "button" });
  const label = el("span", "tm-label", words.copy_link);
  copy.append(icon("link"), label);
  copy.addEventListener("click", async () => {
    if (!(await copied(linkOf(comparison), words.copy_link))) return;
    label.textContent = words.copied;
    setTimeout(() => {
      label.textContent = words.copy_link;
    }, 2500);
  });
  const canLay = data.sides.every((side) => side.plane);
  row.append(
    el("h1", "tm-compare-title", data.title),
    about(comparison),
    el("span", "tm-spring"),
    ...(canLay ? views : []),
    copy,
  );
  return row;
}

/** What is compared; where the address asks for what cannot be had, that. */
function about({ words, data }: Compared) {
  if (!data.refused.length) return el("span", "tm-about", data.about);
  const text = sentences(...data.refused, words.refused.left_out);
  return el("span", "tm-about tm-compare-refused", text, { role: "alert", title: text });
}

/**
 * Which scenario, and what stands on the other side; `lead` says what differs up to the cursor. While the reader hands
 * in a file or a link, the row for that is in its place.
 */
export function choices(comparison: Compared, lead: HTMLElement) {
  const { words, data } = comparison;
  const row = el("div", "tm-compare-choices");
  const owns = ownScenarios(data, words.own.copy);
  const place = el("div", "tm-compare-said");
  place.append(lead);
  /**
   * @param groups titles with values and their texts
   * @param rest the address without that side
   */
  const list = (
    side: SideName,
    name: string,
    groups: Groups,
    now: string,
    rest: Address,
    pick: (value: string) => void,
  ) => {
    const label = el("label", "tm-compare-choice", name);
    const select = el("select");
    for (const [title, options] of groups) {
      const parent = title ? el("optgroup", "", null, { label: title }) : select;
      for (const [key, text] of options) parent.append(el("option", "", text, { value: key }));
      if (title) select.append(parent);
    }
    select.value = now;
    const closed = () => {
      fill(place, lead);
      select.focus();
    };
    const open = (door: Door) => {
      const form = doorRow(comparison, side, door, rest, closed);
      fill(place, form);
      form.querySelector("input")?.focus();
    };
    select.addEventListener("change", () => {
      const [kind, value] = select.value.split(" ");
      if (kind !== "door") {
        pick(select.value);
        return;
      }
      select.value = now;
      comparison.kept.door = value === "file" ? "file" : "link";
      open(comparison.kept.door);
    });
    if (data.handed?.side === side) open(comparison.kept.door ?? "link");
    label.append(select);
    return label;
  };
  const rest = otherSide(data);
  row.append(
    list("a", words.scenario, groupsOfA(comparison, owns), ownValue(owns, data.open) ?? data.name, rest, (value) => {
      const open = openedBy(owns, value) ?? { scenario: value };
      comparison.choose({ ...open, ...(value === data.open_other.scenario ? {} : rest) });
    }),
    list("b", words.against, groupsOfB(comparison, owns), sideB(data, owns), data.open, (value) => {
      const [kind, name] = value.split(" ");
      const own = Object.entries(openedBy(owns, value) ?? {}).map(([part, text]) => [`with.${part}`, text]);
      const other = kind === "settings" ? {} : kind === "own" ? Object.fromEntries(own) : { [kind]: name };
      comparison.choose({ ...data.open, ...other });
    }),
    place,
  );
  return row;
}

/** The part of an address that opens the own scenario of an option; null for any other option. */
function openedBy(owns: ReturnType<typeof ownScenarios>, value: string): Address | null {
  const [kind, number] = value.split(" ");
  return kind === "own" ? Object.fromEntries([owns[Number(number)].open]) : null;
}

function groupsOfA(comparison: Compared, owns: ReturnType<typeof ownScenarios>): Groups {
  const { words, data } = comparison;
  return [ownOptions(comparison, owns), [words.own.library, data.scenarios.map(({ name, title }) => [name, title])]];
}

function groupsOfB(comparison: Compared, owns: ReturnType<typeof ownScenarios>): Groups {
  const { words, data } = comparison;
  const others = data.scenarios.filter(({ name }) => name !== data.open.scenario);
  const sizes = [...new Set([1, 3, 5, data.spark ?? 3])].sort((one, other) => one - other);
  return [
    ["", [["settings", words.against_settings]]],
    [words.against_spark_group, sizes.map((size) => [`spark ${size}`, say(words.against_spark, { size })])],
    ownOptions(comparison, owns),
    [words.against_belief, data.beliefs.map(({ name, claim }) => [`belief ${name}`, claim])],
    [words.against_scenario, others.map(({ name, title }) => [`with ${name}`, title])],
  ];
}

/** The option of what side B is. */
function sideB(data: CompareData, owns: ReturnType<typeof ownScenarios>) {
  if (data.spark) return `spark ${data.spark}`;
  if (data.belief) return `belief ${data.belief}`;
  const { scenario } = data.open_other;
  return scenario ? `with ${scenario}` : (ownValue(owns, data.open_other) ?? "settings");
}

/** What side B keeps when side A becomes another scenario. */
function otherSide({ address }: CompareData) {
  const kept = Object.keys(address).filter((name) => /^(belief|spark|with(\..+)?)$/.test(name));
  return Object.fromEntries(kept.map((name) => [name, address[name]]));
}
