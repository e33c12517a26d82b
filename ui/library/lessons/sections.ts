// What a lecture and a first visit have beside their scenarios: the lab afterwards, and where the visit leads on to.
import { el } from "../../player/base/dom.ts";
import { onChosen } from "../../author/choosing.ts";
import { ScenarioList } from "./list.ts";
import type { OrderingPage } from "./page.ts";
import type { Plan, Way } from "./types.ts";

export function lectureSection(page: OrderingPage, lecture: NonNullable<Plan["lecture"]>) {
  const { plan, words } = page;
  const node = page.section(words.lecture, lecture, "lecture", () => (plan.lecture = null), page.minutes(lecture));
  const lab = el("div", "tm-or-topic", null, { role: "group", "aria-label": words.lab });
  lab.append(el("h3", "", words.lab), new ScenarioList(page, { scenarios: lecture.lab }).node);
  node.append(lab);
  return node;
}

export function visitSection(page: OrderingPage, visit: NonNullable<Plan["visit"]>) {
  const { plan, words } = page;
  const node = page.section(words.visit, visit, "visit", () => (plan.visit = null));
  const onward = el("div", "tm-or-topic", null, { role: "group", "aria-label": words.onward });
  const add = el("select", "tm-or-add", null, { "aria-label": words.add_onward });
  add.append(el("option", "", words.add_onward, { value: "" }));
  for (const { name, title } of page.first.scenarios) {
    add.append(el("option", "", `${title} · ${name}`, { value: name }));
  }
  onChosen(add, (scenario) => {
    if (!scenario) return;
    visit.onward.push({ was: null, scenario, about: { en: "" } });
    page.show();
  });
  onward.append(
    el("h3", "", words.onward),
    ...visit.onward.map((way, index) => wayRow(page, visit.onward, way, index)),
  );
  onward.append(add);
  node.append(onward);
  return node;
}

/** Where the visit leads, and what is new there. */
function wayRow(page: OrderingPage, ways: Way[], way: Way, index: number) {
  const node = el("div", "tm-or-way");
  const head = el("div", "tm-or-part-head");
  const scenario = page.known.get(way.scenario);
  head.append(
    el("b", "", scenario?.title ?? way.scenario),
    el("span", "tm-or-quiet", scenario ? way.scenario : page.words.gone),
    ...page.ways(ways, index),
  );
  const place = `visit.onward.${index}.about`;
  node.append(head, ...page.tongues.map((tongue) => page.textOf(page.words.new_there, way.about, tongue, place)));
  return node;
}
