// The bar under both sides: one cursor over the moments of both runs, with the results of each above it.
import { el, fill } from "../player/base/dom.ts";
import { say } from "../player/base/format.ts";
import { icon, mark } from "../player/base/icons.ts";
import { timingMark } from "../player/base/reading.ts";
import type { Compared } from "./types.ts";

const SECONDS_A_MOMENT = 0.8;

export class CursorBar {
  comparison: Compared;
  node = el("div", "tm-transport tm-compare-bar");
  playButton = el("button", "tm-button tm-primary tm-play", null, { type: "button" });
  range: HTMLInputElement;
  track = el("div", "tm-track");
  marks = el("div", "tm-compare-marks", null, { "aria-hidden": "true" });
  count = el("div", "tm-count");
  next = el("button", "tm-button tm-plain tm-compare-next", null, { type: "button", "aria-keyshortcuts": "D" });
  timer?: number;

  constructor(comparison: Compared) {
    this.comparison = comparison;
    const { words, last } = comparison;
    const buttons = el("div", "tm-buttons");
    /** @param name of its icon */
    const button = (name: string, label: string, act: () => void) => {
      const node = el("button", "tm-icon-button", null, { type: "button", title: label, "aria-label": label });
      node.append(icon(name));
      node.addEventListener("click", act);
      return node;
    };
    this.playButton.addEventListener("click", () => this.toggle());
    const paged = [
      button("fastBack", `${words.present.previous} (PgUp)`, () => comparison.present.page(-1)),
      button("fastForward", `${words.present.next} (PgDn)`, () => comparison.present.page(1)),
    ];
    for (const node of paged) node.classList.add("tm-in-present");
    buttons.append(
      paged[0],
      button("start", `${words.start} (Home)`, () => comparison.go(0)),
      button("back", `${words.back} (←)`, () => comparison.go(comparison.place - 1)),
      this.playButton,
      button("forward", `${words.forward} (→)`, () => comparison.go(comparison.place + 1)),
      button("end", `${words.end} (End)`, () => comparison.go(last)),
      paged[1],
    );
    this.range = el("input", "tm-range", null, {
      type: "range",
      min: 0,
      max: last,
      step: 1,
      "aria-label": words.results,
    });
    this.range.addEventListener("input", () => comparison.go(Number(this.range.value)));
    this.track.append(this.marks, this.range);
    this.next.addEventListener("click", () => comparison.go(comparison.nextDifference() ?? comparison.place));
    this.next.hidden = !comparison.data.differing;
    this.next.append(words.next_difference, el("kbd", "", "D"));
    this.node.append(buttons, this.track, this.count, this.next);
    this.label();
    this.drawMarks();
  }

  /** A's results above, B's below; of several results of one moment only the first has a mark. */
  drawMarks() {
    const { data, cursor, last } = this.comparison;
    const place = new Map(cursor.map((each, index) => [each.moment, index]));
    for (const side of ["left", "right"] as const) {
      const seen = new Set();
      for (const row of data.rows) {
        const given = row[side];
        if (!given || seen.has(given.moment)) continue;
        seen.add(given.moment);
        const node = el("span", "tm-compare-mark");
        node.dataset.side = side;
        node.style.left = `calc(8px + (100% - 16px) * ${last ? (place.get(given.moment) ?? 0) / last : 0})`;
        node.append(mark(timingMark(given.timing)));
        this.marks.append(node);
      }
    }
  }

  layout() {}

  show() {
    const { words, cursor, place, last, times, byItem } = this.comparison;
    const here = cursor[place];
    this.range.value = String(place);
    this.range.style.setProperty("--tm-done", String(last ? place / last : 1));
    const records = cursor[last].record;
    const text =
      here.moment < 0
        ? words.cursor_before
        : say(words[byItem.left ? "cursor_in_order" : "cursor"], {
            at: times.withUnit(here.at),
            record: here.record,
            records,
          });
    this.range.setAttribute("aria-valuetext", text);
    this.count.textContent = text;
    const none = this.comparison.nextDifference() === null;
    this.next.disabled = none;
    this.next.title = none ? words.no_difference : "";
  }

  toggle() {
    if (this.timer) this.stop();
    else this.start();
  }

  start() {
    const { comparison } = this;
    if (comparison.place >= comparison.last) comparison.go(0);
    this.timer = setInterval(() => {
      comparison.go(comparison.place + 1);
      if (comparison.place >= comparison.last) this.stop();
    }, SECONDS_A_MOMENT * 1000);
    this.label();
  }

  stop() {
    clearInterval(this.timer);
    this.timer = undefined;
    this.label();
  }

  label() {
    const { words } = this.comparison;
    const text = this.timer ? words.pause : words.play;
    fill(this.playButton, icon(this.timer ? "pause" : "play"), el("span", "tm-play-word", text));
    this.playButton.setAttribute("aria-label", text);
  }
}
