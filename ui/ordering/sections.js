// What a lecture and a first visit have beside their scenarios: the lab afterwards, and where the visit leads on to.
import { el } from "../player/base/dom.js";
import { onChosen } from "../author/choosing.js";
import { ScenarioList } from "./list.js";
/** @import { OrderingPage } from "./page.js" */
/** @import { Plan, Way } from "./types.d.ts" */

/**
 * @param {OrderingPage} page
 * @param {NonNullable<Plan["lecture"]>} lecture
 */
export function lectureSection(page, lecture) {
  const { plan, words } = page;
  const node = page.section(words.lecture, lecture, "lecture", () => (plan.lecture = null), page.minutes(lecture));
  const lab = el("div", "tm-or-topic", null, { role: "group", "aria-label": words.lab });
  lab.append(el("h3", "", words.lab), new ScenarioList(page, { scenarios: lecture.lab }).node);
  node.append(lab);
  return node;
}

/**
 * @param {OrderingPage} page
 * @param {NonNullable<Plan["visit"]>} visit
 */
export function visitSection(page, visit) {
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

/**
 * Where the visit leads, and what is new there.
 * @param {OrderingPage} page
 * @param {Way[]} ways
 * @param {Way} way
 * @param {number} index
 */
function wayRow(page, ways, way, index) {
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
