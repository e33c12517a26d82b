// Scenarios in an order: rows that are dragged from list to list, or moved with Alt and an arrow.
import { el, fill } from "../../player/base/dom.ts";
import { minutesAlong, say } from "../../player/base/format.ts";
import type { OrderingPage } from "./main.ts";
import type { Offered, Part, Plan, Way } from "./types.ts";
import type { LessonsWords } from "#types/words";

/** the row that is being dragged */
let held: { list: ScenarioList; index: number } | null = null;

export class ScenarioList {
  page: OrderingPage;
  part: Pick<Part, "scenarios">;
  node = el("div", "tm-or-scenarios");
  rows = el("ol", "tm-or-list");
  timed: boolean;

  /** @param timed whether each row says in which minutes it comes and how much it asks */
  constructor(page: OrderingPage, part: Pick<Part, "scenarios">, timed = false) {
    this.page = page;
    this.part = part;
    this.timed = timed;
    this.rows.addEventListener("dragover", (event) => held && event.preventDefault());
    this.rows.addEventListener("drop", (event) => this.drop(event));
    this.node.append(this.rows, this.choice());
    this.show();
  }

  show() {
    const { known, words } = this.page;
    const along = minutesAlong(this.part.scenarios.map((name) => known.get(name)?.minutes));
    fill(
      this.rows,
      ...this.part.scenarios.map((name, index) => {
        const row = this.row(name, index);
        const planned = along[index];
        const questions = known.get(name)?.questions ?? 0;
        if (this.timed) {
          row.prepend(el("span", "tm-or-when", planned ? say(words.span, planned) : "–"));
          row.querySelector(".tm-or-quiet")?.after(el("span", "tm-or-asks", askedIn(words, questions)));
        }
        return row;
      }),
    );
    this.page.total();
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

  /** Adds a scenario; the field stays for the next one. */
  choice() {
    const { page, part } = this;
    return scenarioField(page, page.words.add_scenario, (name) => {
      part.scenarios.push(name);
      this.show();
      page.changed();
    });
  }
}

/** The id of the list of all scenarios, which the fields that add one search. */
export const OFFERED = "tm-or-offered";

export function offered({ title, name }: Offered) {
  return `${title} · ${name}`;
}

/** A field that finds a scenario by a part of its title or name, and calls `add` with its name. */
function scenarioField(page: OrderingPage, label: string, add: (name: string) => void) {
  const { scenarios } = page.first;
  const field = el("input", "tm-or-add", null, {
    type: "search",
    list: OFFERED,
    autocomplete: "off",
    placeholder: label,
    "aria-label": label,
  });
  const take = (found: Offered | undefined) => {
    if (!found) return;
    field.value = "";
    add(found.name);
  };
  // A choice from the list fills in all of it.
  field.addEventListener("input", () => take(scenarios.find((each) => offered(each) === field.value)));
  field.addEventListener("keydown", (event) => {
    const typed = field.value.trim().toLowerCase();
    if (event.key !== "Enter" || !typed) return;
    event.preventDefault();
    const among = scenarios.filter((each) => offered(each).toLowerCase().includes(typed));
    take(among.length === 1 ? among[0] : among.find(({ name, title }) => [name, title.toLowerCase()].includes(typed)));
  });
  return field;
}

/** How many questions, in words. */
export function askedIn(words: LessonsWords, count: number) {
  return say(count === 1 ? words.question : words.questions, { count });
}

// What a lecture and a first visit have beside their scenarios: the lab afterwards, and where the visit leads on to.

export function lectureSection(page: OrderingPage, lecture: NonNullable<Plan["lecture"]>) {
  const { plan, words } = page;
  const node = page.section(words.lecture, lecture, "lecture", () => (plan.lecture = null), page.minutes(lecture));
  const lab = el("div", "tm-or-topic", null, { role: "group", "aria-label": words.lab });
  lab.append(el("h3", "", words.lab), new ScenarioList(page, { scenarios: lecture.lab }).node);
  node.append(page.dryRun(lecture), lab);
  return node;
}

export function visitSection(page: OrderingPage, visit: NonNullable<Plan["visit"]>) {
  const { plan, words } = page;
  const node = page.section(words.visit, visit, "visit", () => (plan.visit = null));
  const onward = el("div", "tm-or-topic", null, { role: "group", "aria-label": words.onward });
  const add = scenarioField(page, words.add_onward, (scenario) => {
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
