// Folded lanes: where not every key has room, each is one strip, and a fixed number of keys lies open above the strips.
import { el } from "../base/dom.js";
import { short } from "../base/format.js";
import { icon } from "../base/icons.js";
import { keyText } from "../base/reading.js";
import { STRIP, Strips } from "./strips.js";
import { Turns } from "./turns.js";
/** @import { Lane } from "../types/payload.d.ts" */
/** @import { LanePlace, LaneSize, Scale } from "../types/player.d.ts" */
/** @import { Lanes } from "./lanes.js" */
/** @import { Player } from "../player.js" */

const FOLD_GAP = 7;

/** @typedef {{ size: LaneSize, count: number, height: number }} Folded */

/**
 * The size, and the number of open keys, that leave the strips `most` px or half of it; null where all fits.
 * @param {Lane[]} rows
 * @param {LaneSize[]} sizes
 * @param {number} most
 * @returns {Folded | null}
 */
export function foldOf(rows, sizes, most) {
  const needs = (/** @type {LaneSize} */ size) =>
    rows.reduce((sum, row) => sum + row.tracks * size.track + FOLD_GAP, 4);
  const readable = sizes.filter((size) => size.name !== "tiny");
  if (rows.length <= 3 || readable.some((size) => needs(size) <= most)) return null;
  const tracks = Math.max(...rows.map((row) => row.tracks));
  /** @type {Folded[]} */
  const choices = [2, 1].flatMap((count) =>
    sizes.slice(1).map((size) => ({ size, count, height: tracks * size.track + FOLD_GAP })),
  );
  const leaves = (/** @type {Folded} */ { count, height }) => most - count * height - 4;
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
  /**
   * @param {Player} player
   * @param {Lanes} lanes
   * @param {Folded} fold
   * @param {number} most
   */
  constructor(player, lanes, { size, count, height }, most) {
    this.player = player;
    this.lanes = lanes;
    this.size = size;
    this.height = height;
    this.tops = Array.from({ length: count }, (_, index) => 4 + index * height);
    this.width = player.plane.padding.left - 12;
    this.turns = new Turns(player.facts, lanes.index, count, lanes.chosen);
    const top = 4 + count * height;
    this.strips = new Strips(player, lanes, (lane) => this.choose(lane === lanes.chosen ? null : lane));
    this.strips.node.style.top = `${top}px`;
    this.strips.node.style.height = `${Math.floor((most - top) / STRIP) * STRIP}px`;
    this.labels = this.tops.map((each, index) => this.label(each, index));
    this.rules = [...this.tops.slice(1), top].map((each) => {
      const rule = el("div", "tm-lane-rule");
      Object.assign(rule.style, { top: `${each - 5}px`, left: `${player.plane.padding.left - 40}px` });
      return rule;
    });
  }

  /** What stands in the lanes beside the windows themselves. */
  get nodes() {
    return [...this.labels.map((label) => label.node), ...this.rules];
  }

  /**
   * The name of an open key; the first one is a choice of all keys.
   * @param {number} top
   * @param {number} index
   */
  label(top, index) {
    const name = el("b");
    const node = el(index ? "div" : "label", index ? "tm-lane-key" : "tm-lane-key tm-lane-choice");
    if (!index) node.append(this.chooser(), icon("chevron"));
    node.append(name);
    Object.assign(node.style, {
      top: `${top}px`,
      width: `${this.width}px`,
      height: `${index ? Math.min(this.size.box, this.height) : 32}px`,
    });
    return { node, name };
  }

  chooser() {
    const { lanes, player } = this;
    const select = el("select", "tm-lane-select", null, { "aria-label": player.words.scale.open_key });
    select.append(el("option", "", player.words.scale.follows, { value: "" }));
    for (const [lane, row] of lanes.rows.entries()) select.append(el("option", "", keyText(row.key), { value: lane }));
    select.value = String(lanes.chosen ?? "");
    select.addEventListener("change", () => this.choose(select.value === "" ? null : Number(select.value)));
    return select;
  }

  /**
   * From now on this lane lies open first; null: the steps alone decide.
   * @param {number | null} lane
   */
  choose(lane) {
    this.lanes.chosen = lane;
    this.player.layout();
  }

  /**
   * Names the open keys of the step and draws the strips. Returns the place of every lane that lies open, by lane.
   * @param {number} step
   * @param {Scale} scale
   * @param {Set<string>} touched
   */
  show(step, scale, touched) {
    /** @type {LanePlace[]} */
    const places = [];
    const open = this.turns.at(step);
    open.forEach((lane, index) => {
      places[lane] = { top: this.tops[index], height: this.height };
      const text = short(keyText(this.lanes.rows[lane].key), 8);
      const { name } = this.labels[index];
      if (name.textContent !== text) name.textContent = text;
    });
    for (const { node } of this.labels.slice(open.length)) node.hidden = true;
    this.strips.show(step, scale, touched, open);
    return places;
  }

  close() {
    this.strips.close();
  }
}
