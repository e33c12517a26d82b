// Records that the reader places: a row for each, in the order of arrival.
import { el, fill, icon } from "../../player/base/dom.ts";
import { say } from "../../player/base/format.ts";
import { inventoryButton } from "../inventory/form.ts";
import type { Exercise } from "./types.ts";
import type { PracticeWords } from "#types/words";

/** The whole number from 0 to `most` that is typed; null for none. */
export function typedNumber(text: string, most: number) {
  const typed = text.trim();
  return /^\d+$/.test(typed) && Number(typed) <= most ? Number(typed) : null;
}

/** Whether something else is typed than such a number. */
export function isWrong(text: string, most: number) {
  return text.trim() !== "" && typedNumber(text, most) === null;
}

/** What was typed as the event time, the number of the key, the channel. */
type Typed = [time: string, key: number, channel: number];

const MEMBERS = 3;

export class PlacedRecords {
  stream: NonNullable<Exercise["stream"]>;
  words: PracticeWords;
  changed: () => void;
  rows: Typed[];
  frozen = false;
  list: HTMLOListElement;
  add: HTMLButtonElement;
  node = el("div", "tm-pr-placed");

  /** @param placed an answer that was given before */
  constructor(
    stream: NonNullable<Exercise["stream"]>,
    placed: number[] | null,
    words: PracticeWords,
    changed: () => void,
  ) {
    this.stream = stream;
    this.words = words;
    this.changed = changed;
    this.rows = placed ? rowsOf(placed) : [["", 0, 0]];
    this.list = el("ol", "tm-pr-order", null, { "aria-label": words.placed });
    this.add = inventoryButton(words.record_add, () => this.more(), "tm-inv-plain");
    this.node.append(this.list, this.add);
    this.show();
  }

  /** The answer; null while a row has no time. */
  get value() {
    const { latest } = this.stream;
    const whole = this.rows.every(([time]) => typedNumber(time, latest) !== null);
    return whole ? this.rows.flatMap(([time, key, channel]) => [Number(time), key, channel]) : null;
  }

  /** What a time must be, where one is something else. */
  get wrong() {
    const { latest, rule } = this.stream;
    return this.rows.some(([time]) => isWrong(time, latest)) ? rule : "";
  }

  show() {
    fill(this.list, ...this.rows.map((typed, place) => this.row(typed, place)));
    this.add.disabled = this.frozen || this.rows.length >= this.stream.most;
  }

  row(typed: Typed, place: number) {
    const { stream, words } = this;
    const row = el("li", "", null, { "data-record": String(place + 1) });
    const time = el("input", "", null, {
      type: "text",
      inputmode: "numeric",
      maxlength: 3,
      autocomplete: "off",
      "aria-label": words.record_time,
    });
    time.value = typed[0];
    time.disabled = this.frozen;
    const mark = () => time.setAttribute("aria-invalid", String(isWrong(typed[0], stream.latest)));
    mark();
    time.addEventListener("input", () => {
      typed[0] = time.value;
      mark();
      this.changed();
    });
    time.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || place < this.rows.length - 1) return;
      event.preventDefault();
      this.more();
    });
    row.append(el("b", "", String(place + 1)), time, el("span", "", "s"));
    if (stream.keys.length > 1) row.append(this.choice(words.record_key, stream.keys, typed, 1));
    const channels = Array.from({ length: stream.channels }, (_, each) => `${words.record_channel} ${each}`);
    if (channels.length > 1) row.append(this.choice(words.record_channel, channels, typed, 2));
    const name = say(words.record_remove, { record: place + 1 });
    const remove = fill(el("button", "", null, { type: "button", "aria-label": name, title: name }), icon("remove"));
    remove.disabled = this.frozen || this.rows.length === 1;
    remove.addEventListener("click", () => {
      this.rows.splice(place, 1);
      this.show();
      this.changed();
      this.focus(Math.min(place, this.rows.length - 1));
    });
    row.append(remove);
    return row;
  }

  choice(name: string, texts: string[], typed: Typed, member: 1 | 2) {
    const select = el("select", "", null, { "aria-label": name });
    texts.forEach((text, index) => select.append(el("option", "", text, { value: String(index) })));
    select.value = String(typed[member]);
    select.disabled = this.frozen;
    select.addEventListener("change", () => {
      typed[member] = Number(select.value);
      this.changed();
    });
    return select;
  }

  more() {
    if (this.frozen || this.rows.length >= this.stream.most) return;
    this.rows.push(["", 0, 0]);
    this.show();
    this.changed();
    this.focus(this.rows.length - 1);
  }

  focus(place: number) {
    this.list.children[place]?.querySelector("input")?.focus();
  }

  freeze() {
    this.frozen = true;
    this.show();
  }
}

function rowsOf(placed: number[]): Typed[] {
  const rows: Typed[] = [];
  for (let place = 0; place + MEMBERS <= placed.length; place += MEMBERS) {
    rows.push([String(placed[place]), placed[place + 1], placed[place + 2]]);
  }
  return rows;
}
