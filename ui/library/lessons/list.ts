// Scenarios in an order: rows that are dragged from list to list, or moved with Alt and an arrow.
import { el, fill } from "../../player/base/dom.ts";
import { onChosen } from "../../author/buttons.ts";
import type { OrderingPage } from "./main.ts";
import type { Part, Plan, Way } from "./types.ts";

/** the row that is being dragged */
let held: { list: ScenarioList; index: number } | null = null;

export class ScenarioList {
  page: OrderingPage;
  part: Pick<Part, "scenarios">;
  node = el("div", "tm-or-scenarios");
  rows = el("ol", "tm-or-list");

  constructor(page: OrderingPage, part: Pick<Part, "scenarios">) {
    this.page = page;
    this.part = part;
    this.rows.addEventListener("dragover", (event) => held && event.preventDefault());
    this.rows.addEventListener("drop", (event) => this.drop(event));
    this.node.append(this.rows, this.choice());
    this.show();
  }

  show() {
    fill(this.rows, ...this.part.scenarios.map((name, index) => this.row(name, index)));
  }

  row(name: string, index: number) {
    const { page, part } = this;
    const scenario = page.known.get(name);
    const row = el("li", "tm-or-scenario", null, { draggable: "true", tabindex: "0", "data-name": name });
    row.append(
      el("b", "", scenario?.title ?? name),
      el("span", "tm-or-quiet", scenario ? name : page.words.gone),
      ...page.ways(part.scenarios, index),
    );
    row.classList.toggle("tm-or-gone", !scenario);
    row.addEventListener("dragstart", (event) => {
      held = { list: this, index };
      event.dataTransfer?.setData("text/plain", name);
    });
    row.addEventListener("dragend", () => (held = null));
    row.addEventListener("keydown", (event) => this.key(event, index));
    return row;
  }

  key(event: KeyboardEvent, index: number) {
    if (event.target !== event.currentTarget) return;
    const { scenarios } = this.part;
    const to = event.altKey && { ArrowUp: index - 1, ArrowDown: index + 1 }[event.key];
    if (event.key === "Delete") scenarios.splice(index, 1);
    else if (typeof to === "number" && to >= 0 && to < scenarios.length) {
      scenarios.splice(to, 0, ...scenarios.splice(index, 1));
    } else return;
    event.preventDefault();
    this.show();
    this.page.changed();
    const next = this.rows.children[typeof to === "number" ? to : Math.min(index, scenarios.length - 1)];
    if (next instanceof HTMLElement) next.focus();
  }

  drop(event: DragEvent) {
    if (!held) return;
    event.preventDefault();
    const below = [...this.rows.children].findIndex((row) => {
      const box = row.getBoundingClientRect();
      return event.clientY < box.top + box.height / 2;
    });
    let to = below < 0 ? this.part.scenarios.length : below;
    const { list, index } = held;
    held = null;
    const [name] = list.part.scenarios.splice(index, 1);
    if (list === this && index < to) to -= 1;
    this.part.scenarios.splice(to, 0, name);
    this.page.show();
  }

  /** The scenarios that can be added. */
  choice() {
    const { page, part } = this;
    const select = el("select", "tm-or-add", null, { "aria-label": page.words.add_scenario });
    select.append(el("option", "", page.words.add_scenario, { value: "" }));
    for (const { name, title } of page.first.scenarios) {
      select.append(el("option", "", `${title} · ${name}`, { value: name }));
    }
    onChosen(select, (name) => {
      if (!name) return;
      part.scenarios.push(name);
      page.show();
    });
    return select;
  }
}

// What a lecture and a first visit have beside their scenarios: the lab afterwards, and where the visit leads on to.

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
