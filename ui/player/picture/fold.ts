// Folded lanes: where not every key has room, each is one strip, and a fixed number of keys lies open above the strips.
import { el, fill } from "../base/dom.ts";
import { keyText } from "../base/reading.ts";
import { BESIDE_SCALE, middleOf, type Lanes } from "./lanes.ts";
import { STRIP, Strips } from "./strips.ts";
import { keyId, lastUpTo, type Facts } from "../base/facts.ts";
import type { LanePlace, LaneSize, Scale } from "../types/player.ts";
import type { Player } from "../player.ts";
import type { Lane } from "#types/payload";

const FOLD_GAP = 7;
// The height (px) of the control that chooses the first open key.
const CHOICE = 32;

type Folded = { size: LaneSize; count: number; height: number };

/** The size, and the number of open keys, that leave the strips `most` px or half of it; null where all fits. */
export function foldOf(rows: Lane[], sizes: LaneSize[], most: number): Folded | null {
  const needs = (size: LaneSize) => rows.reduce((sum, row) => sum + row.tracks * size.track + FOLD_GAP, 4);
  const readable = sizes.filter((size) => size.name !== "tiny");
  if (rows.length <= 3 || readable.some((size) => needs(size) <= most)) return null;
  const tracks = Math.max(...rows.map((row) => row.tracks));
  const choices: Folded[] = [2, 1].flatMap((count) =>
    sizes.slice(1).map((size) => ({ size, count, height: tracks * size.track + FOLD_GAP })),
  );
  const leaves = ({ count, height }: Folded) => most - count * height - 4;
  const last = choices[choices.length - 1];
  const worded = choices.filter((each) => each.size.name !== "tiny");
  return (
    worded.find((each) => leaves(each) >= rows.length * STRIP) ??
    worded.find((each) => leaves(each) >= most / 2) ??
    choices.find((each) => leaves(each) >= most / 2) ?? {
      ...last,
      height: Math.min(last.height, Math.round(most / 2)),
    }
  );
}

/** The keys that lie open: those that the steps touched last, or first the one that the reader chose. */
export class Fold {
  player: Player;
  lanes: Lanes;
  size: LaneSize;
  height: number;
  tops: number[];
  turns: Turns;
  rules: number[];
  strips: Strips;
  choice: HTMLLabelElement;

  constructor(player: Player, lanes: Lanes, { size, count, height }: Folded, most: number) {
    this.player = player;
    this.lanes = lanes;
    this.size = size;
    this.height = height;
    this.tops = Array.from({ length: count }, (_, index) => 4 + index * height);
    this.turns = new Turns(player.facts, lanes.index, count, lanes.chosen);
    const top = 4 + count * height;
    this.rules = [...this.tops.slice(1), top];
    this.strips = new Strips(player, lanes, (lane) => this.choose(lane === lanes.chosen ? null : lane));
    this.strips.layout(top, most - top);
    this.choice = this.chooser();
  }

  /** The first open key is a choice of all keys: a control that lies over its name. */
  chooser() {
    const { lanes, player, size } = this;
    const select = el("select", "tm-lane-select", null, { "aria-label": player.words.scale.open_key });
    select.append(el("option", "", player.words.scale.follows, { value: "" }));
    for (const [lane, row] of lanes.rows.entries()) select.append(el("option", "", keyText(row.key), { value: lane }));
    select.value = String(lanes.chosen ?? "");
    select.addEventListener("change", () => this.choose(select.value === "" ? null : Number(select.value)));
    const label = fill(el("label", "tm-lane-choice"), select);
    Object.assign(label.style, {
      top: `${middleOf({ top: this.tops[0], height: this.height }, size) - CHOICE / 2}px`,
      width: `${player.plane.padding.left - BESIDE_SCALE / 2}px`,
      height: `${CHOICE}px`,
    });
    return label;
  }

  /** From now on this lane lies open first; null: the steps alone decide. */
  choose(lane: number | null) {
    this.lanes.chosen = lane;
    this.player.layout();
  }

  /** Draws the strips, and returns the place of every lane that lies open, by lane. */
  show(step: number, scale: Scale, touched: Set<string>) {
    const places: LanePlace[] = [];
    const open = this.turns.at(step);
    open.forEach((lane, index) => {
      places[lane] = { top: this.tops[index], height: this.height };
    });
    this.strips.show(step, scale, touched, open);
    return places;
  }

  close() {
    this.strips.close();
  }
}

// Whose turn it is to lie open: of all keys the few that the steps touched last, each in a place that it keeps.

/** For every step the lanes in the open places, from the facts alone: going back shows what going forward did. */
export class Turns {
  steps: number[] = [0];
  open: number[][];

  /** `index` tells the lane of a key's JSON; `chosen` is a lane that has the first place for good, or null. */
  constructor(facts: Facts, index: Map<string, number>, count: number, chosen: number | null) {
    // Of both only columns are read that either has.
    const name = facts.table("windows").length ? "windows" : "queue";
    const table = facts.table(name as "windows");
    const free = [...index.values()].filter((lane) => lane !== chosen);
    const fixed = chosen === null ? [] : [chosen];
    const places = free.slice(0, count - fixed.length);
    const used = places.map((_, place) => -places.length + place);
    this.open = [[...fixed, ...places]];
    for (let row = 0; row < table.length && places.length; row += 1) {
      const lane = index.get(keyId(table.value("key", row)));
      if (lane === undefined || lane === chosen) continue;
      const there = places.indexOf(lane);
      const place = there >= 0 ? there : used.indexOf(Math.min(...used));
      used[place] = row;
      if (there >= 0) continue;
      places[place] = lane;
      const step = table.value("from_step", row);
      const now = [...fixed, ...places];
      if (this.steps.at(-1) === step) this.open[this.open.length - 1] = now;
      else {
        this.steps.push(step);
        this.open.push(now);
      }
    }
  }

  /** The lanes that lie open at `step`, by place. */
  at(step: number) {
    return this.open[
      Math.max(
        lastUpTo(this.steps.length, (place) => this.steps[place], step),
        0,
      )
    ];
  }
}
