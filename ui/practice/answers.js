// Answers that are no choice: a number, or records in an order.
import { el, fill } from "../player/base/dom.js";
import { say } from "../player/base/format.js";
import { icon } from "../player/base/icons.js";
/** @import { PracticeWords } from "../player/types/words.d.ts" */
/** @import { Exercise } from "./types.d.ts" */

export class NumberField {
  /**
   * @param {NonNullable<Exercise["number"]>} about
   * @param {number | null} value
   * @param {() => void} changed
   */
  constructor({ most, label, unit }, value, changed) {
    this.most = most;
    this.node = el("p", "tm-pr-number");
    this.input = el("input", "", null, { type: "text", inputmode: "numeric", maxlength: 3, autocomplete: "off" });
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
  /**
   * @param {string[]} labels of the records 1, 2, …
   * @param {number[] | null} order
   * @param {PracticeWords} words
   */
  constructor(labels, order, words) {
    this.labels = labels;
    this.words = words;
    this.value = order ?? labels.map((_, index) => index + 1);
    this.frozen = false;
    this.node = el("ol", "tm-pr-order", null, { "aria-label": words.order });
    this.show();
  }

  show() {
    fill(this.node, ...this.value.map((record, place) => this.row(record, place)));
  }

  /**
   * @param {number} record
   * @param {number} place
   */
  row(record, place) {
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

  /**
   * @param {string} picture
   * @param {string} name
   * @param {() => void} run
   */
  button(picture, name, run) {
    const button = el("button", "", null, { type: "button", "aria-label": name, title: name });
    button.append(icon(picture));
    button.addEventListener("click", run);
    return button;
  }

  /**
   * @param {number} record
   * @param {number} to
   */
  move(record, to) {
    if (this.frozen || to < 0 || to >= this.value.length) return;
    const order = this.value.filter((each) => each !== record);
    order.splice(to, 0, record);
    this.value = order;
    this.show();
    /** @type {HTMLElement | undefined} */ (this.node.children[to])?.focus();
  }

  /**
   * Follows a pointer that took a row: by a finger at its number, so that the page can still be scrolled.
   * @param {PointerEvent} event
   * @param {number} record
   * @param {HTMLElement} row
   */
  grip(event, record, row) {
    const { target } = event;
    if (event.button || !(target instanceof Element) || target.closest("button")) return;
    if (event.pointerType === "touch" && !target.closest("b")) return;
    event.preventDefault();
    row.focus();
    const follow = (/** @type {PointerEvent} */ moved) => {
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
