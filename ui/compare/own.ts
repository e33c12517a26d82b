// Scenarios of the reader's own on either side: those that this browser has seen, a file, or a link.
import { coded } from "../player/base/coded.ts";
import { el } from "../player/base/dom.ts";
import { say } from "../player/base/format.ts";
import { keepOwn, keptOwn, scenarioIn, titlesOf, withOwn, type OwnScenario } from "../player/base/kept_own.ts";
import type { Address, CompareData, Compared } from "./types.ts";

export type SideName = "a" | "b";
export type Door = "file" | "link";

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
export function ownScenarios(data: CompareData, copy: string) {
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
export function ownOptions({ words }: Compared, owns: ReturnType<typeof ownScenarios>): [string, [string, string][]] {
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
export function ownValue(owns: ReturnType<typeof ownScenarios>, part: Address) {
  const open = ownIn(part);
  return open && `own ${owns.findIndex((each) => String(each.open) === String(open))}`;
}

/**
 * A row in which the reader hands in a file or a link for a side; the server answers with the comparison or a problem.
 * @param rest the address of the comparison without that side
 */
export function doorRow(comparison: Compared, side: SideName, door: Door, rest: Address, close: () => void) {
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
    if (link) comparison.give({ side, rest, link, at: Date.now() });
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
      comparison.give({ side, rest, name: file.name, text, at: Date.now() });
    } catch {
      problem.textContent = texts.not_text;
    }
  });
  return form;
}
