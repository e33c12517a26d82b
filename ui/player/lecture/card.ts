// The cards of a lecture: the title before a scenario, and what was shown at the end.
import { el, fill } from "../base/dom.ts";
import { say, sentences } from "../base/format.ts";
import { smallPlane } from "../base/small.ts";
import { plannedMinutes } from "./clock.ts";
import type { Lecture } from "./lecture.ts";
import type { CardKind, LectureOrder, LectureScenario } from "../types/lecture.ts";
import type { Player } from "../player.ts";

/** Of the pictures at the end. */
const ROWS = 3;
const LEAST_COLUMNS = 5;

export class TitleCard {
  player: Player;
  lecture: Lecture;
  words;
  node: HTMLElement;
  kind: CardKind | null = null;
  of: LectureScenario | null = null;

  constructor(player: Player, lecture: Lecture) {
    this.player = player;
    this.lecture = lecture;
    this.words = player.words.lecture;
    this.node = el("section", "tm-title-card", null, { "aria-label": this.words.card });
    this.node.hidden = true;
  }

  /**
   * @param kind null for no card
   * @param of the scenario that is announced, if it is not this one
   */
  set(kind: CardKind | null, of: LectureScenario | null = null) {
    this.kind = kind;
    this.of = of;
    this.node.hidden = kind === null;
    this.lecture.cover();
    this.show();
  }

  show() {
    if (this.kind === null) return;
    fill(this.node, this.kind === "end" ? this.end() : this.title());
  }

  title() {
    const { words, lecture, player } = this;
    const { order } = lecture;
    const name = this.of?.name ?? player.payload.name;
    const index = order?.scenarios.findIndex((each) => each.name === name) ?? -1;
    const scenario = order?.scenarios[index];
    const planned = order && plannedMinutes(order, index);
    const body = el("div", "tm-title-body");
    const place = scenario ? say(words.place, { number: index + 1, count: order?.scenarios.length }) : "";
    const minutes = planned ? say(words.minutes, planned) : "";
    body.append(
      el("p", "tm-title-place", [place, minutes].filter(Boolean).join(" · ")),
      el("h1", "", scenario?.title ?? player.payload.title),
      el("p", "tm-title-summary", scenario?.summary ?? ""),
    );
    return [
      this.head(order, index === 0),
      body,
      this.foot(index, order, [this.button(words.begin, "PgDn", () => lecture.page(1))]),
    ];
  }

  end() {
    const { words, lecture, player } = this;
    const { order } = lecture;
    const scenarios = order?.scenarios ?? [];
    const body = el("div", "tm-title-body");
    const list = el("ol", "tm-title-list");
    const pictures = scenarios.every((each) => each.picture);
    list.append(...scenarios.map((each) => this.entry(each, pictures)));
    list.classList.toggle("tm-title-pictures", pictures);
    body.classList.toggle("tm-with-pictures", pictures);
    list.style.setProperty("--tm-columns", String(Math.max(LEAST_COLUMNS, Math.ceil(scenarios.length / ROWS))));
    body.append(el("h1", "", order?.title), list);
    const buttons = [
      this.button(words.montage, "E", () => lecture.montage.toggle()),
      this.button(player.words.present.leave, "Esc", () => player.present.leave()),
    ];
    return [
      el("p", "tm-title-head", `${words.end} · ${this.questions()}`),
      body,
      this.foot(scenarios.length, order, buttons),
    ];
  }

  /**
   * A scenario that was shown.
   * @param pictures whether each has its plane in small
   */
  entry({ title, picture }: LectureScenario, pictures: boolean) {
    const item = el("li");
    if (pictures && picture) item.append(smallPlane(picture));
    item.append(el("span", "", title));
    return item;
  }

  /** @param begins whether nothing was shown yet */
  head(order: LectureOrder | null, begins: boolean) {
    const parts = order ? [order.minutes ? say(this.words.head, order) : order.title] : [];
    return el("p", "tm-title-head", [...parts, ...(begins ? [this.questions()] : [])].join(" · "));
  }

  /** Where the class finds the questions that are asked before and after. */
  questions() {
    const { host, pathname } = window.location;
    return say(this.words.questions, { address: `${host}${pathname.replace(/[^/]*$/, "")}inventory` });
  }

  /** How far the lecture has come, with a bar for each scenario as long as its minutes; and what to do now. */
  foot(index: number, order: LectureOrder | null, buttons: HTMLElement[]) {
    const foot = el("div", "tm-title-foot");
    const bar = el("div", "tm-title-bar", null, { "aria-hidden": "true" });
    for (const [number, each] of (order?.scenarios ?? []).entries()) {
      const part = el("i", number < index ? "tm-done" : number === index ? "tm-here" : "");
      part.style.flexGrow = String(Math.max(each.minutes, 1));
      bar.append(part);
    }
    foot.append(bar, ...buttons);
    return foot;
  }

  button(text: string, cap: string, run: () => void) {
    const button = el("button", "tm-button", text, { type: "button" });
    button.append(el("kbd", "", cap));
    button.addEventListener("click", run);
    return button;
  }

  /** What is read out while a card is shown; null without one. */
  spoken() {
    if (this.kind === null) return null;
    return sentences(...[...this.node.querySelectorAll("p, h1, li")].map((each) => each.textContent ?? ""));
  }
}
