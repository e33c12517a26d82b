// The bar under both sides: one cursor over the moments of both runs, with the results of each above it.
import { goTo, inAddress } from "../player/base/address.ts";
import { el, fill, icon, mark } from "../player/base/dom.ts";
import { say } from "../player/base/format.ts";
import { timingMark } from "../player/base/reading.ts";
import type { Compared, CursorMoment, KeptPlace } from "./types.ts";

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

// Where the reader is in a comparison: cursor, view and card, in the address beside what is compared.

const CARDS = ["results", "sweep", "stream", "smallest", "fewest"];

/** The place at which side A has come to `step`; null beyond the run. */
export function placeOfStep(cursor: CursorMoment[], step: number) {
  const found = cursor.findIndex((each) => each.steps[0] >= step);
  return found < 0 ? null : found;
}

/** The place of the cursor that an address names by its `moment`, or by a `step` of side A; null for none. */
export function placeIn(search: string, cursor: CursorMoment[]) {
  const query = new URLSearchParams(search);
  const [moment, step] = ["moment", "step"].map((name) => {
    const text = query.get(name);
    return text !== null && /^-?\d{1,9}$/.test(text) ? Number(text) : null;
  });
  if (moment === null) return step === null ? null : placeOfStep(cursor, step);
  const found = cursor.findIndex((each) => each.moment >= moment);
  return found < 0 ? null : found;
}

/** The view and the card that an address names, otherwise those of `kept`. */
export function viewIn(search: string, kept: KeptPlace): KeptPlace {
  const query = new URLSearchParams(search);
  const tab = CARDS.indexOf(query.get("tab") ?? "");
  return { overlay: kept.overlay ?? query.get("view") === "overlay", tab: kept.tab ?? Math.max(tab, 0) };
}

/**
 * The step of side A for an address: the one that is `given` there while the cursor stays at its moment, otherwise the
 * last one of the moment.
 */
export function stepFor(given: string | null, cursor: CursorMoment[], place: number) {
  return given !== null && placeIn(`?step=${given}`, cursor) === place ? given : String(cursor[place].steps[0]);
}

/**
 * The query of a link to what is shown. A step belongs to side A as its own file runs, so it is left out where a number
 * of that side is changed.
 */
function searchOf({ data, cursor, place, overlay, kept }: Compared) {
  const { moment } = cursor[place];
  const given = inAddress("step");
  return new URLSearchParams({
    ...data.address,
    moment: String(moment),
    ...(data.fixed ? { step: stepFor(given, cursor, place) } : {}),
    ...(overlay ? { view: "overlay" } : {}),
    ...(kept.tab ? { tab: CARDS[kept.tab] } : {}),
    ...(kept.presented ? { present: "1" } : {}),
  }).toString();
}

/** The whole link. */
export function linkOf(comparison: Compared) {
  const address = new URL(window.location.href);
  address.search = searchOf(comparison);
  return address.href;
}

/** Puts the link into the address. What an address asks for in vain stays there, so that a reload says so again. */
export function write(comparison: Compared) {
  if (comparison.data.refused.length) return;
  const lang = inAddress("lang");
  const search = `${searchOf(comparison)}${lang ? `&${new URLSearchParams({ lang })}` : ""}`;
  goTo(`${window.location.pathname}?${search}`, false);
  window.dispatchEvent(new CustomEvent("tidemark:placed"));
}
