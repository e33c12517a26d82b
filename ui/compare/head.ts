// The rows above both sides: the title with the link, and the choices of what is compared.
import { coded, copied, el, fill, icon } from "../player/base/dom.ts";
import { say, sentences } from "../player/base/format.ts";
import { linkOf } from "./cursor.ts";
import { linkTo } from "../player/base/address.ts";
import { keepOwn, keptOwn, scenarioIn, titlesOf, withOwn } from "../player/base/kept.ts";
import type { Address, CompareData, Compared } from "./types.ts";
import type { OwnScenario } from "../player/base/kept.ts";

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
    el("span", "tm-about", data.about),
    el("span", "tm-spring"),
    ...(canLay ? views : []),
    copy,
  );
  return row;
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
  const noted = notes(comparison);
  if (noted.childElementCount) row.append(noted);
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
    [
      words.against_version_group,
      data.versions_on_offer.map((version) => [`flink ${version}`, say(words.against_version, { version })]),
    ],
    ownOptions(comparison, owns),
    [words.against_belief, data.beliefs.map(({ name, claim }) => [`belief ${name}`, claim])],
    [words.against_scenario, others.map(({ name, title }) => [`with ${name}`, title])],
  ];
}

/** What the address asks for in vain, and the rules between two versions of Flink. */
function notes(comparison: Compared) {
  const { words, data } = comparison;
  const node = el("div", "tm-compare-notes");
  if (data.refused.length) {
    const text = sentences(...data.refused, words.refused.left_out);
    const refused = el("p", "tm-compare-refused", null, { role: "alert" });
    refused.append(...coded(text));
    node.append(refused);
  }
  node.append(...ruleLines(comparison));
  return node;
}

/** Between two versions of Flink: the rules that make the difference, or that can. */
export function ruleLines({ words, data }: Compared): HTMLElement[] {
  if (!data.versions) return [];
  const { names, rules } = data.versions;
  const [a, b] = names;
  const texts = words.versions;
  const making = rules.filter(({ rows }) => rows);
  const shown = making.length ? making : rules;
  if (!shown.length) return [el("p", "tm-compare-rule", say(texts.none, { a, b }))];
  return shown.map(({ ticket, text, shown_by: by }) => {
    const line = el("p", "tm-compare-rule");
    line.append(...coded(say(making.length ? texts.makes : texts.can, { rule: text, ticket })));
    if (by) line.append(` ${texts.example} `, el("a", "", by.title, { href: linkTo("", { scenario: by.name }) }));
    return line;
  });
}

/** The option of what side B is. */
function sideB(data: CompareData, owns: ReturnType<typeof ownScenarios>) {
  if (data.spark) return `spark ${data.spark}`;
  if (data.belief) return `belief ${data.belief}`;
  if (data.flink && !Object.keys(data.open_other).length) return `flink ${data.flink}`;
  const { scenario } = data.open_other;
  return scenario ? `with ${scenario}` : (ownValue(owns, data.open_other) ?? "settings");
}

/** What side B keeps when side A becomes another scenario. */
function otherSide({ address }: CompareData) {
  const kept = Object.keys(address).filter((name) => /^(belief|spark|flink|with(\..+)?)$/.test(name));
  return Object.fromEntries(kept.map((name) => [name, address[name]]));
}

// Scenarios of the reader's own on either side: those that this browser has seen, a file, or a link.

type SideName = "a" | "b";
type Door = "file" | "link";

/** The own scenario that a part of an address opens; null for one of the library, and for none. */
function ownIn(part: Address): OwnScenario["open"] | null {
  const [named] = Object.entries(part);
  return named && named[0] !== "scenario" ? named : null;
}

/**
 * The own scenarios to choose from, with their titles; those that are compared are among them, and are kept. One with
 * the title of a library scenario is called a copy: a try-out and its original would read the same on both sides.
 * @param copy how a copy is named
 */
function ownScenarios(data: CompareData, copy: string) {
  let kept = keptOwn();
  const shown: [Address, string][] = [
    [data.open_other, data.other_title],
    [data.open, data.title],
  ];
  for (const [part, title] of shown) {
    const open = ownIn(part);
    if (!open || kept.some((each) => String(each.open) === String(open))) continue;
    keepOwn(open, title);
    kept = withOwn(kept, { open, title });
  }
  const library = new Set(data.scenarios.map(({ title }) => title));
  const named = kept.map((each) => (library.has(each.title) ? { ...each, title: say(copy, each) } : each));
  const titles = titlesOf(named);
  return kept.map(({ open }, index) => ({ open, title: titles[index] }));
}

/** The options for a list: own scenarios by their number, and the doors to others. */
function ownOptions({ words }: Compared, owns: ReturnType<typeof ownScenarios>): [string, [string, string][]] {
  const texts = words.own;
  return [
    texts.group,
    [
      ...owns.map(({ title }, index) => [`own ${index}`, title] as [string, string]),
      ["door file", texts.file],
      ["door link", texts.link],
    ],
  ];
}

/** The value of the option for what an address opens, where it opens an own scenario; null where it does not. */
function ownValue(owns: ReturnType<typeof ownScenarios>, part: Address) {
  const open = ownIn(part);
  return open && `own ${owns.findIndex((each) => String(each.open) === String(open))}`;
}

/**
 * A row in which the reader hands in a file or a link for a side; the server answers with the comparison or a problem.
 * @param rest the address of the comparison without that side
 */
function doorRow(comparison: Compared, side: SideName, door: Door, rest: Address, close: () => void) {
  const {
    words: { own: texts },
    data,
  } = comparison;
  const form = el("form", "tm-compare-door");
  const problem = el("span", "tm-compare-problem", null, { role: "alert" });
  if (data.handed?.side === side) problem.append(...coded(data.handed.problem));
  const input =
    door === "file"
      ? el("input", "", null, { type: "file", accept: ".yaml,.yml,.json" })
      : el("input", "tm-compare-link", null, { type: "text", autocomplete: "off", spellcheck: "false" });
  const label = el("label", "tm-compare-choice", say(texts[`${door}_for`], { side: side.toUpperCase() }));
  label.append(input);
  const cancel = el("button", "tm-button tm-plain", texts.cancel, { type: "button" });
  cancel.addEventListener("click", close);
  form.append(label);
  if (door === "link") form.append(el("button", "tm-button", texts.open, { type: "submit" }));
  form.append(cancel, problem);
  form.addEventListener("keydown", (event) => {
    event.stopPropagation(); // what is typed is no shortcut
    if (event.key === "Escape") close();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const link = scenarioIn(input.value);
    problem.textContent = link ? "" : texts.no_link;
    if (link) comparison.give({ what: "open", side, rest, link });
  });
  input.addEventListener("change", async () => {
    const [file] = input.files ?? [];
    if (!file) return;
    problem.textContent = "";
    input.value = "";
    if (file.size > data.most_bytes) {
      problem.textContent = say(texts.too_large, { limit: data.most_bytes / 1024 });
      return;
    }
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
      comparison.give({ what: "open", side, rest, name: file.name, text });
    } catch {
      problem.textContent = texts.not_text;
    }
  });
  return form;
}
