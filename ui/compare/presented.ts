// A comparison for a room: both runs large, under them what differs and what the author says. A clicker leads both from
// beat to beat of side A's walkthrough, or from difference to difference where there is none.
import { inAddress } from "../player/base/address.ts";
import { el, icon } from "../player/base/dom.ts";
import { say } from "../player/base/format.ts";
import { LARGER, PRESENTING, projectorScale, wholeScreen } from "../player/base/projector.ts";
import { placeOfStep } from "./cursor.ts";
import { ruleLines } from "./head.ts";
import type { Compared, ComparedBeat } from "./types.ts";

const LIGHT = "tm-light";

// Where everything stands in one column (view.css) nothing is enlarged: a phone is held in a hand.
const IN_HAND = "(max-width: 900px), (max-height: 560px)";

/** A place of the cursor where a presenter stops; `beat` is what the author says there. */
type Stop = { place: number; beat: ComparedBeat | null };

export class ComparePresentation {
  comparison: Compared;
  whole = false;
  at = 0;
  stops: Stop[];
  button = el("button", "tm-button tm-plain tm-present-button", null, { type: "button" });
  number = el("span", "tm-present-beat");
  head = el("header", "tm-present-head");
  words = el("section", "tm-present-words");
  what = el("p", "tm-present-what");
  why = el("p", "tm-present-why");
  onScreen;

  constructor(comparison: Compared) {
    this.comparison = comparison;
    const { words, data } = comparison;
    const { present } = words;
    this.stops = stopsOf(comparison);
    this.button.append(icon("screen"), el("span", "tm-label", present.open), el("kbd", "", "P"));
    this.button.addEventListener("click", () => this.enter());
    const curves = el("button", "tm-button tm-plain", present.sweep, { type: "button" });
    curves.append(el("kbd", "", "S"));
    curves.addEventListener("click", () => this.showTools());
    const leave = el("button", "tm-button tm-plain", present.leave, { type: "button" });
    leave.append(el("kbd", "", "Esc"));
    leave.addEventListener("click", () => this.leave());
    const about = el("p", "tm-brief", data.about);
    this.head.append(el("h1", "", data.title), about, el("span", "tm-spring"), this.number, curves, leave);
    this.words.append(this.what, this.why, ...ruleLines(comparison));
    this.onScreen = () => {
      if (!document.fullscreenElement && this.whole) this.leave();
    };
    document.addEventListener("fullscreenchange", this.onScreen);
  }

  get on() {
    return Boolean(this.comparison.kept.presented);
  }

  /** Comes with the page if the address says so, or the comparison before this one was presented. */
  begin() {
    const { kept } = this.comparison;
    kept.presented ??= inAddress("present") === "1";
    if (!kept.presented) return;
    this.whole = Boolean(document.fullscreenElement);
    this.set(true);
  }

  toggle() {
    if (this.on) this.leave();
    else this.enter();
  }

  enter() {
    if (this.on) return;
    this.set(true);
    this.show();
    this.comparison.settle();
    wholeScreen().then((granted) => {
      this.whole = granted;
    });
  }

  leave() {
    if (!this.on) return;
    const { whole } = this;
    this.whole = false;
    if (whole && document.fullscreenElement) document.exitFullscreen().catch(() => {});
    this.set(false);
    this.comparison.settle();
    this.button.focus({ preventScroll: true });
  }

  set(on: boolean) {
    const { root, kept, sides } = this.comparison;
    kept.presented = on;
    // Light, whatever the system prefers: projectors wash out the dark.
    for (const name of [PRESENTING, LIGHT]) document.documentElement.classList.toggle(name, on);
    root.dataset.mode = on ? "present" : "desk";
    this.search(on && Boolean(kept.searching));
    for (const { plane } of sides) plane?.keepFuture(on);
    this.comparison.layout();
  }

  /** Esc: from the card back to the pictures, from there to the desk. */
  back() {
    if (this.comparison.kept.searching) this.showTools();
    else this.leave();
  }

  /** The card stands in the place of the pictures, also in the comparison that a search or a setting leads to. */
  search(on: boolean) {
    const { root, kept } = this.comparison;
    kept.searching = on;
    root.classList.toggle("tm-compare-searching", on);
  }

  /** Takes the size of the screen; before the pictures are measured. */
  fit() {
    const inHand = window.matchMedia(IN_HAND).matches;
    const big = inHand ? 1 : projectorScale();
    const { root, sides } = this.comparison;
    root.style.setProperty("--tm-big", String(big));
    const larger = this.on && !inHand ? LARGER * big : 1;
    for (const { plane } of sides) if (plane && plane.big !== larger) plane.enlarge(larger);
  }

  /** The card of results, sweep and searches in the place of the pictures, and back. */
  showTools() {
    const { kept, tools } = this.comparison;
    this.search(!kept.searching);
    if (kept.searching) tools.turn(tools.sweep);
    else this.comparison.layout();
  }

  /** PageDown and PageUp, also of a clicker. */
  page(direction: number) {
    const { comparison, stops } = this;
    if (comparison.kept.searching) {
      this.back();
      return;
    }
    const here = stops[this.at]?.place === comparison.place;
    const ahead = stops.findIndex(({ place }) => place > comparison.place);
    const behind = stops.findLastIndex(({ place }) => place < comparison.place);
    const next = here ? this.at + direction : direction > 0 ? ahead : behind;
    const stop = stops[next];
    if (!stop) {
      comparison.go(direction > 0 ? comparison.last : 0);
      return;
    }
    this.at = next;
    // Two beats may stand at one moment.
    if (stop.place === comparison.place) this.show();
    else comparison.go(stop.place);
  }

  show() {
    if (!this.on) return;
    const { comparison, stops } = this;
    const { words, place, lead } = comparison;
    if (stops[this.at]?.place !== place) {
      this.at = Math.max(
        stops.findIndex((stop) => stop.place === place),
        0,
      );
    }
    const stop = stops[this.at]?.place === place ? stops[this.at] : null;
    this.number.textContent = stop?.beat ? say(words.present.beat, { number: this.at + 1, count: stops.length }) : "";
    this.what.textContent = lead.textContent;
    this.why.textContent = [stop?.beat?.text, stop?.beat?.because].filter(Boolean).join(" ");
  }

  close() {
    document.removeEventListener("fullscreenchange", this.onScreen);
    document.documentElement.classList.remove(PRESENTING, LIGHT);
  }
}

/** The beats of side A as places of the cursor; without beats the differences, and the end. */
function stopsOf({ data, cursor, last }: Compared): Stop[] {
  const told = data.beats.map((beat) => ({ place: placeOfStep(cursor, beat.step) ?? last, beat }));
  if (told.length) return told;
  const moments = data.rows
    .filter(({ kind }) => kind !== "same")
    .flatMap(({ left, right }) => [left, right].flatMap((each) => (each ? [each.moment] : [])));
  const places = moments.map((moment) => cursor.findIndex((each) => each.moment === moment));
  return [...new Set([...places, last])].sort((a, b) => a - b).map((place) => ({ place, beat: null }));
}
