// The scrubber: a track of all steps, with marks that never crowd. Where marks would touch they merge into one.
import { el, fill, icon, mark, svg } from "../base/dom.ts";
import { say } from "../base/format.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { Mark } from "#types/payload";
import type { MarkGroup } from "../types/player.ts";
import type { Player } from "../player.ts";

const MARK_ROOM = 13;
const TICK_ROOM = 6;
const FLAG_ROOM = 16;
const DOT_ROOM = 8;
const LEAST_BAR = 3;
const EDGE = 8;
/** Which of several marks stands for all of them: the one of the highest rank. */
const RANK: { [Kind in Mark["kind"]]: number } = {
  dropped: 5,
  side: 5,
  late: 4,
  update: 3,
  fired: 2,
  early: 1,
  checkpoint: 0,
  restored: 0,
};

/**
 * Groups `marks`, which are in order of steps, so that groups are at least MARK_ROOM px apart. A group is at the place
 * of its first mark.
 */
export function grouped(marks: Mark[], at: (step: number) => number) {
  const groups: MarkGroup[] = [];
  for (const each of marks) {
    const place = at(each.step);
    let group = groups.at(-1);
    if (!group || place - group.place >= MARK_ROOM) {
      group = { place, first: each.step, steps: [], kinds: [] };
      groups.push(group);
    }
    group.steps.push(each.step);
    group.kinds.push(each.kind);
  }
  return groups;
}

/** The kind of the highest rank in a group: of its marks up to `step`, or of all if the group lies ahead. */
export function weightiest(group: MarkGroup, step: number) {
  const counted = step < group.first ? group.kinds : group.kinds.filter((_, index) => group.steps[index] <= step);
  return counted.reduce((best, kind) => (RANK[kind] > RANK[best] ? kind : best));
}

/** Lines from `y1` to `y2` at `places`, each at least `room` px from the one before. */
function comb(places: number[], room: number, y1: number, y2: number) {
  let before = -Infinity;
  let path = "";
  for (const place of places) {
    if (place - before < room) continue;
    before = place;
    path += `M${place.toFixed(1)} ${y1}V${y2}`;
  }
  return path;
}

/** Dots at `places`; one that would touch the one before is left out. */
function dots(places: number[]) {
  let before = -Infinity;
  let path = "";
  for (const place of places) {
    if (place - before < DOT_ROOM) continue;
    before = place;
    path += `M${place.toFixed(1)} 34a3.5 3.5 0 1 1 0 7a3.5 3.5 0 1 1 0 -7`;
  }
  return path;
}

export class Scrubber extends PlayerPart {
  node = el("div", "tm-track");
  marks = el("div", "tm-marks", null, { "aria-hidden": "true" });
  below = el("div", "tm-scrub-below", null, { "aria-hidden": "true" });
  ticks = svg("svg", { class: "tm-ticks", "aria-hidden": "true", preserveAspectRatio: "none" });
  records = svg("path", { class: "tm-tick" });
  bars = svg("path", { class: "tm-tick tm-bars" });
  beats = svg("path", { class: "tm-beat-tick" });
  found = svg("path", { class: "tm-tick tm-found" });
  breaks = svg("path", { class: "tm-break" });
  range = el("input", "tm-range", null, {
    type: "range",
    min: 0,
    max: this.player.last,
    step: 1,
    "aria-label": this.player.words.scrubber,
  });
  flags = this.player.payload.beats.map((beat) => {
    const flag = fill(el("span", "tm-flag"), icon("flag"));
    return { step: beat.step, node: flag };
  });
  /** The track's width (px); 0 before the first layout. */
  width = 0;
  groups: MarkGroup[] = [];
  /** one for each group */
  nodes: HTMLElement[] = [];
  matches: number[] = [];
  stops: number[] = [];
  /** the last group that the run has reached; null where none is drawn yet */
  reached: number | null = null;
  /** the last step that counted when marks were underlined */
  underlined: number | null = null;

  constructor(player: Player) {
    super(player);
    this.ticks.append(this.records, this.bars, this.beats, this.found, this.breaks);
    this.range.addEventListener("input", () => player.go(Number(this.range.value)));
    const flagRow = el("div", "tm-flags", null, { "aria-hidden": "true" });
    flagRow.append(...this.flags.map((each) => each.node));
    this.node.append(this.marks, flagRow, this.range, this.ticks, this.below);
  }

  /** Where a step lies on the track (px). */
  at(step: number) {
    const { last } = this.player;
    return last ? EDGE + (step / last) * (this.width - 2 * EDGE) : EDGE;
  }

  layout() {
    const { payload } = this.player;
    this.width = this.node.clientWidth;
    if (!this.width) return;
    const at = (step: number) => this.at(step);
    this.ticks.setAttribute("viewBox", `0 0 ${this.width} 46`);
    this.groups = grouped(payload.marks, at);
    this.nodes = this.groups.map((group) => {
      const node = el("span", "tm-scrub-mark");
      node.style.left = `${group.place}px`;
      return node;
    });
    this.reached = null;
    fill(this.marks, this.nodes);
    this.underlined = null;
    this.beats.setAttribute("d", payload.beats.map((beat) => `M${at(beat.step).toFixed(1)} 16V22`).join(""));
    this.layoutFlags();
    this.layoutMatches();
    this.layoutBreaks();
    this.layoutBookmarks();
  }

  /** Underlines a mark that stands for many; the more, the longer. Where the future is hidden, only the past counts. */
  underline(step: number, hidesFuture: boolean) {
    const upTo = hidesFuture ? step : Infinity;
    if (this.underlined === upTo) return;
    this.underlined = upTo;
    const counts = this.groups.map(({ first, steps }) => {
      if (steps[steps.length - 1] <= upTo) return steps.length;
      return first > upTo ? 0 : steps.filter((each) => each <= upTo).length;
    });
    const most = Math.max(2, ...this.groups.map((group) => group.steps.length));
    this.bars.setAttribute(
      "d",
      this.groups
        .map((group, index) => {
          if (counts[index] < 2) return "";
          const wide = LEAST_BAR + (MARK_ROOM - 2 - LEAST_BAR) * (Math.log(counts[index]) / Math.log(most));
          return `M${(group.place - wide / 2).toFixed(1)} 14h${wide.toFixed(1)}`;
        })
        .join(""),
    );
  }

  /** A flag that would cover the one before it is left out; its beat can still be reached. */
  layoutFlags() {
    let before = -Infinity;
    for (const { step, node } of this.flags) {
      const place = this.at(step);
      node.hidden = place - before < FLAG_ROOM;
      if (!node.hidden) before = place;
      node.style.left = `${place}px`;
    }
  }

  /** Shows the steps that were found as bars under the track; while there are any, the records' ticks are hidden. */
  setMatches(steps: number[]) {
    this.matches = steps;
    this.layoutMatches();
  }

  layoutMatches() {
    if (!this.width) return;
    const places = (steps: number[]) => steps.map((step) => this.at(step));
    this.records.setAttribute(
      "d",
      this.matches.length ? "" : comb(places(this.player.payload.items), TICK_ROOM, 35, 39),
    );
    this.found.setAttribute("d", comb(places(this.matches), 2, 34, 44));
  }

  /** Shows the steps at which breakpoints stop the run as dots under the track. */
  setBreaks(steps: number[]) {
    this.stops = steps;
    this.layoutBreaks();
  }

  layoutBreaks() {
    if (!this.width) return;
    this.breaks.setAttribute("d", dots(this.stops.map((step) => this.at(step))));
  }

  layoutBookmarks() {
    if (!this.width) return;
    let before = -Infinity;
    const nodes = [];
    for (const step of this.player.bookmarks.steps) {
      const place = this.at(step);
      if (place - before < 6) continue;
      before = place;
      const node = el("span", "tm-scrub-bookmark");
      node.style.left = `${place}px`;
      nodes.push(node);
    }
    fill(this.below, nodes);
  }

  show() {
    const { words, last, step, present } = this.player;
    this.range.value = String(step);
    this.range.setAttribute(
      "aria-valuetext",
      `${say(words.step_of, { step, last })}: ${present.spoken() ?? this.player.said(step).what}`,
    );
    this.range.style.setProperty("--tm-done", String(last ? step / last : 0));
    this.node.classList.toggle("tm-no-future", present.hidesFuture);
    for (const flag of this.flags) flag.node.dataset.ahead = String(flag.step > step);
    this.showMarks(step);
    this.underline(step, present.hidesFuture);
  }

  /** Only the groups between the old step and the new one change. */
  showMarks(step: number) {
    const { groups, nodes } = this;
    let now = -1;
    let high = groups.length - 1;
    while (now < high) {
      const middle = (now + high + 1) >> 1;
      if (groups[middle].first <= step) now = middle;
      else high = middle - 1;
    }
    const from = this.reached === null ? 0 : Math.max(0, Math.min(this.reached, now));
    const to = this.reached === null ? groups.length - 1 : Math.max(this.reached, now);
    this.reached = now;
    for (let index = from; index <= to; index += 1) {
      const kind = weightiest(groups[index], step);
      const node = nodes[index];
      node.dataset.ahead = String(index > now);
      if (node.dataset.kind === kind) continue;
      node.dataset.kind = kind;
      fill(node, mark(kind));
    }
  }
}
