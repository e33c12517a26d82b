// The boxes: what was answered right, what comes back and when.
import { el, fill } from "../../player/base/dom.ts";
import { say } from "../../player/base/format.ts";
import { inventoryButton, viewNode } from "../inventory/parts.ts";
import { dueCards, keepPractice, KNOWN_BOX, nothingPractised, RESTS } from "./keeping.ts";
import type { PracticeWords } from "#types/words";
import type { PracticePage } from "./page.ts";
import type { Card } from "./types.ts";

const A_MINUTE = 60_000;
const AN_HOUR = 60 * A_MINUTE;
const A_DAY = 24 * AN_HOUR;

/** The way to the boxes, with how many cards are due. */
export function boxesButton(page: PracticePage) {
  const { words, kept } = page;
  const due = dueCards(kept, Date.now()).length;
  const text = due ? say(words.boxes_due, { count: due }) : words.boxes;
  return inventoryButton(text, () => page.turn({ view: "boxes" }), "tm-pr-boxes");
}

/** A length of time, in its largest unit, rounded up. */
export function lengthText(ms: number, words: PracticeWords) {
  if (ms > A_DAY) return say(words.days, { count: Math.ceil(ms / A_DAY) });
  if (ms > 23 * AN_HOUR) return words.day;
  if (ms > A_MINUTE * 59) return say(words.hours, { count: Math.ceil(ms / AN_HOUR) });
  return say(words.minutes, { count: Math.max(Math.ceil(ms / A_MINUTE), 1) });
}

export class BoxesView {
  page: PracticePage;
  node: HTMLElement;
  foot = el("div", "tm-inv-foot");

  constructor(page: PracticePage) {
    this.page = page;
    this.node = viewNode("boxes");
    const { words, kept, first } = page;
    const boxes = el("div", "tm-pr-all");
    boxes.append(...RESTS.map((rest, index) => this.box(index + 1, rest)));
    this.node.append(
      el("h1", "", words.boxes, { tabindex: "-1" }),
      el("p", "tm-pr-level", say(words.of_levels, { level: kept.level, count: first.levels })),
      el("p", "", say(words.boxes_about, { known: KNOWN_BOX })),
      this.foot,
      boxes,
    );
    this.ways();
    this.node.dataset.ready = "true";
  }

  /** @param rest (ms) */
  box(number: number, rest: number) {
    const { words, kept } = this.page;
    const box = el("section", "tm-inv-form tm-pr-box", null, { "data-box": String(number) });
    const head = el("h2", "", say(words.box, { number }));
    head.append(el("span", "", ` · ${say(words.every, { time: lengthText(rest, words) })}`));
    const cards = kept.cards.filter((card) => card.box === number).sort((one, other) => one.due - other.due);
    const list = el("ul");
    list.append(...cards.map((card) => this.card(card)));
    box.append(head, cards.length ? list : el("p", "tm-inv-quiet", words.empty));
    return box;
  }

  card({ kind, about, due, level }: Card) {
    const { words, first } = this.page;
    const name = first.kinds[kind] ?? kind;
    const left = due - Date.now();
    const when = left <= 0 ? words.due : say(words.due_in, { time: lengthText(left, words) });
    const item = el("li");
    item.append(
      el("b", "", about ? name : say(words.general, { kind: name })),
      el("span", "", first.claims[about] ?? ""),
      el("span", "tm-inv-quiet", `${say(words.level, { level })} · ${when}`),
    );
    return item;
  }

  ways() {
    const { words } = this.page;
    fill(
      this.foot,
      inventoryButton(words.to_exercise, () => this.page.turn({}), "tm-inv-primary"),
      inventoryButton(words.reset, () => this.sure(), "tm-inv-plain"),
    );
  }

  sure() {
    const { page } = this;
    const { words } = page;
    const keep = inventoryButton(words.keep, () => this.ways());
    const reset = inventoryButton(
      words.reset_yes,
      () => {
        page.kept = nothingPractised(page.kept.seed);
        keepPractice(page.kept);
        page.turn({});
      },
      "tm-inv-danger",
    );
    fill(this.foot, el("p", "", words.reset_sure, { role: "status" }), keep, reset);
    keep.focus();
  }
}
