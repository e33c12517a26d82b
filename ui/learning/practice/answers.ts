// Answers that are no choice: a number, or records in an order.
import { el, fill } from "../../player/base/dom.ts";
import { say } from "../../player/base/format.ts";
import { icon } from "../../player/base/icons.ts";
import type { PracticeWords } from "#types/words";
import type { Exercise } from "./types.ts";

export class NumberField {
  most: number;
  node = el("p", "tm-pr-number");
  input = el("input", "", null, { type: "text", inputmode: "numeric", maxlength: 3, autocomplete: "off" });

  constructor({ most, label, unit }: NonNullable<Exercise["number"]>, value: number | null, changed: () => void) {
    this.most = most;
    this.input.value = value === null ? "" : String(value);
    this.input.addEventListener("input", changed);
    const name = el("label", "", label);
    name.append(this.input);
    this.node.append(name, el("span", "", unit));
  }

  get value() {
    const text = this.input.value.trim();
    return /^\d+$/.test(text) ? Number(text) : null;
  }

  freeze() {
    this.input.disabled = true;
  }
}

/** Records as rows, which are dragged, moved by their buttons, or by the arrow keys. */
export class OrderList {
  labels: string[];
  words: PracticeWords;
  value: number[];
  frozen = false;
  node: HTMLOListElement;

  /** @param labels of the records 1, 2, … */
  constructor(labels: string[], order: number[] | null, words: PracticeWords) {
    this.labels = labels;
    this.words = words;
    this.value = order ?? labels.map((_, index) => index + 1);
    this.node = el("ol", "tm-pr-order", null, { "aria-label": words.order });
    this.show();
  }

  show() {
    fill(this.node, ...this.value.map((record, place) => this.row(record, place)));
  }

  row(record: number, place: number) {
    const { words } = this;
    const row = el("li", "", null, { tabindex: this.frozen ? "-1" : "0", "data-record": String(record) });
    row.append(el("b", "", String(record)), el("span", "", this.labels[record - 1]));
    if (this.frozen) return row;
    const up = this.button("arrowUp", say(words.up, { record }), () => this.move(record, place - 1));
    const down = this.button("arrowDown", say(words.down, { record }), () => this.move(record, place + 1));
    up.disabled = place === 0;
    down.disabled = place === this.value.length - 1;
    row.append(up, down);
    row.addEventListener("pointerdown", (event) => this.grip(event, record, row));
    row.addEventListener("keydown", (event) => {
      const to = { ArrowUp: place - 1, ArrowDown: place + 1 }[event.key];
      if (to === undefined || event.target !== row) return;
      event.preventDefault();
      this.move(record, to);
    });
    return row;
  }

  button(picture: string, name: string, run: () => void) {
    const button = el("button", "", null, { type: "button", "aria-label": name, title: name });
    button.append(icon(picture));
    button.addEventListener("click", run);
    return button;
  }

  move(record: number, to: number) {
    if (this.frozen || to < 0 || to >= this.value.length) return;
    const order = this.value.filter((each) => each !== record);
    order.splice(to, 0, record);
    this.value = order;
    this.show();
    (this.node.children[to] as HTMLElement | undefined)?.focus();
  }

  /** Follows a pointer that took a row: by a finger at its number, so that the page can still be scrolled. */
  grip(event: PointerEvent, record: number, row: HTMLElement) {
    const { target } = event;
    if (event.button || !(target instanceof Element) || target.closest("button")) return;
    if (event.pointerType === "touch" && !target.closest("b")) return;
    event.preventDefault();
    row.focus();
    const follow = (moved: PointerEvent) => {
      const rows = [...this.node.children];
      const to = rows.filter((each) => {
        const { top, height } = each.getBoundingClientRect();
        return moved.clientY > top + height / 2;
      }).length;
      const from = this.value.indexOf(record);
      const place = to > from ? to - 1 : to;
      if (place !== from) this.move(record, place);
    };
    const done = () => {
      window.removeEventListener("pointermove", follow);
      window.removeEventListener("pointerup", done);
      window.removeEventListener("pointercancel", done);
    };
    window.addEventListener("pointermove", follow);
    window.addEventListener("pointerup", done);
    window.addEventListener("pointercancel", done);
  }

  freeze() {
    this.frozen = true;
    this.show();
  }
}
