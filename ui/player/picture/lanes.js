// Lanes under the plane, on its x scale: each key's windows with contents, result and state, or its sorting queue.
import { el, fill } from "../base/dom.js";
import { Table } from "../base/facts.js";
import { say, short, textWidth } from "../base/format.js";
import { keyId } from "../base/identity.js";
import { keyText } from "../base/reading.js";
import { boxFacts, fillBox } from "./box.js";
import { Fold, foldOf } from "./fold.js";
import { queueLane } from "./queue.js";
/** @import { BoxFacts, LanePlace, LaneSize, Reaching, Scale } from "../types/player.d.ts" */
/** @import { Player } from "../player.js" */
/** @import { WindowFact } from "../types/payload.d.ts" */

// Sizes (px) from roomy to dense: a track, its box, and whether the bar of kept state has room.
/** @type {LaneSize[]} */
const SIZES = [
  { name: "full", track: 60, box: 40, kept: true },
  { name: "mid", track: 42, box: 28, kept: true },
  { name: "small", track: 24, box: 20, kept: false },
  { name: "tiny", track: 12, box: 9, kept: false },
];

/**
 * @param {HTMLElement} node
 * @returns {node is Reaching}
 */
function hasReach(node) {
  return "reach" in node;
}

/**
 * Sets apart bars of kept state that share a row: one that begins within another goes a little lower where there is
 * room. A label behind a bar gives way to a bar.
 * @param {Reaching[]} nodes
 * @param {boolean} roomy
 */
function setApart(nodes, roomy) {
  const meet = (/** @type {Reaching} */ a, /** @type {Reaching} */ b) =>
    a.reach.top === b.reach.top && a.reach.from < b.reach.to && b.reach.from < a.reach.to;
  const bars = nodes.filter((node) => !node.reach.label).sort((a, b) => a.reach.from - b.reach.from);
  const lower = new Set();
  for (const [at, bar] of bars.entries()) {
    if (roomy && bars.slice(0, at).some((other) => !lower.has(other) && meet(bar, other))) lower.add(bar);
    bar.classList.toggle("tm-lower", lower.has(bar));
  }
  for (const node of nodes) if (node.reach.label) node.hidden = bars.some((bar) => meet(node, bar));
}

export class Lanes {
  /**
   * @param {HTMLElement} container
   * @param {Player} player
   */
  constructor(container, player) {
    this.container = container;
    this.player = player;
    this.rows = player.payload.lanes.rows;
    this.tracks = player.payload.lanes.tracks;
    this.joins = player.payload.lanes.joins;
    // Windows that overlap have no names over the plane.
    this.named = new Table(player.payload.sources.bands).length === 0;
    this.sorts = player.facts.table("queue").length > 0;
    this.line = el("div", "tm-lane-watermark");
    this.body = el("div", "tm-lane-rows");
    fill(container, this.line, this.body);
    this.index = new Map(this.rows.map((row, index) => [keyId(row.key), index]));
    /** @type {number | null} */
    this.chosen = null;
    /** @type {Fold | null} */
    this.fold = null;
    /** @type {LanePlace[]} */
    this.places = [];
    this.size = SIZES[0];
    /** @type {Set<HTMLElement>} */
    this.shown = new Set();
    /** @type {HTMLElement[]} */
    this.labels = [];
    /** @type {HTMLElement[]} */
    this.rules = [];
    /** @type {WeakMap<object, { sign: string, nodes: HTMLElement[] }>} */
    this.made = new WeakMap();
  }

  /**
   * Chooses the size that fits `most` px, for the whole run, so that nothing jumps.
   * @param {number} most
   */
  layout(most) {
    this.fold?.close();
    const folded = foldOf(this.rows, SIZES, most);
    this.fold = folded && new Fold(this.player, this, folded, most);
    // Folded, the lanes hold a control; what they show stands in the tables for those who cannot see it.
    if (folded) this.container.removeAttribute("aria-hidden");
    else this.container.setAttribute("aria-hidden", "true");
    if (folded) {
      this.layoutFolded(folded.size, most);
      return;
    }
    delete this.container.dataset.folded;
    const tracks = this.rows.reduce((sum, row) => sum + row.tracks, 0);
    const needs = (/** @type {LaneSize} */ size) => tracks * size.track + this.rows.length * 7 + 4;
    this.size = SIZES.find((size) => needs(size) <= most) ?? SIZES[SIZES.length - 1];
    this.container.dataset.size = this.size.name;
    const height = this.rows.length ? Math.min(needs(this.size), Math.max(most, 40)) : 0;
    this.container.style.height = `${height}px`;
    let top = 4;
    this.places = this.rows.map((row) => {
      const place = { top, height: row.tracks * this.size.track };
      top += place.height + 7;
      return place;
    });
    this.labels = this.rows.map((row, index) => {
      const label = el("div", "tm-lane-key");
      label.append(`${this.player.words.key} `, el("b", "", short(keyText(row.key), 8)));
      label.style.top = `${this.places[index].top}px`;
      label.style.height = `${Math.min(this.places[index].height, this.size.box)}px`;
      label.style.width = `${this.player.plane.padding.left - 12}px`;
      return label;
    });
    this.body.style.height = `${top}px`;
    this.rules = this.places.slice(1).map((place) => {
      const rule = el("div", "tm-lane-rule");
      rule.style.top = `${place.top - 5}px`;
      rule.style.left = `${this.player.plane.padding.left - 40}px`;
      return rule;
    });
    this.made = new WeakMap();
    this.shown = new Set();
    fill(this.body, this.labels, this.rules);
  }

  /**
   * Some keys lie open, and strips of all of them are below.
   * @param {LaneSize} size
   * @param {number} most
   */
  layoutFolded(size, most) {
    this.size = size;
    this.container.dataset.size = size.name;
    this.container.dataset.folded = "true";
    this.container.style.height = `${most}px`;
    this.body.style.height = `${most}px`;
    this.made = new WeakMap();
    this.shown = new Set();
    if (this.fold) fill(this.body, this.fold.nodes, this.fold.strips.node);
  }

  /** @param {number} step */
  show(step) {
    const { facts, plane } = this.player;
    const scale = plane.scale();
    const touched = new Set(facts.at("steps", step)[0]?.touches ?? []);
    if (this.fold) this.places = this.fold.show(step, scale, touched);
    /** @type {Set<HTMLElement>} */
    const wanted = new Set();
    for (const row of facts.at("windows", step)) {
      const place = this.places[this.index.get(keyId(row.key)) ?? -1];
      if (!place || !scale.holds(row)) continue;
      const part = `${scale.part.step} ${place.top}`;
      if (row.status === "merged") {
        if (row.from_step === step) {
          for (const node of this.kept(row, part, () => this.ghost(row, scale))) wanted.add(node);
        }
        continue;
      }
      const found = boxFacts(facts, row, step);
      for (const node of this.kept(row, `${found.sign} ${part}`, () => this.window(row, found, scale))) {
        wanted.add(node);
      }
    }
    if (this.sorts) for (const node of this.queues(step, scale)) wanted.add(node);
    for (const node of this.shown) if (!wanted.has(node)) node.remove();
    for (const node of wanted) {
      if (!this.shown.has(node)) this.body.append(node);
      if (node.dataset.id) node.classList.toggle("tm-touched", touched.has(node.dataset.id));
    }
    this.shown = wanted;
    setApart([...wanted].filter(hasReach), this.size.name === "full");
    // Windows in processing time end by the clock: there the line is the clock.
    const time = facts.at(this.player.payload.time === "processing" ? "clock" : "watermark", step)[0];
    const value = time?.value ?? null;
    // Left of the axis there is no place for it: the plane has an arrow there.
    this.line.hidden = value === null || value < scale.part.signals.x0 || !this.rows.length;
    if (this.line.hidden) return;
    this.line.style.left = `${scale.left + scale.px(value)}px`;
    // At the right end stands the name of the axis.
    this.line.classList.toggle("tm-at-edge", scale.px(value) > scale.width - 90);
  }

  /**
   * What stands for a fact, made again only when its content (`sign`) has changed.
   * @param {object} row
   * @param {string} sign
   * @param {() => HTMLElement[]} make
   */
  kept(row, sign, make) {
    let mine = this.made.get(row);
    if (mine?.sign !== sign) this.made.set(row, (mine = { sign, nodes: make() }));
    return mine.nodes;
  }

  /**
   * @param {WindowFact} row
   * @param {BoxFacts} found
   * @param {Scale} scale
   */
  window(row, found, scale) {
    const lane = this.index.get(keyId(row.key));
    if (lane === undefined) return [];
    const { words, times } = this.player;
    const endless = row.start === null;
    const left = endless ? 0 : scale.px(row.start);
    const right = endless ? scale.width : scale.px(row.end);
    const width = Math.max(right - left - 3, 3);
    const top = this.places[lane].top + (this.tracks[row.id] ?? 0) * this.size.track;
    const box = el("div", `tm-lane-box tm-${row.status}`);
    box.dataset.id = row.id;
    Object.assign(box.style, {
      left: `${scale.left + left + 1.5}px`,
      top: `${top}px`,
      width: `${width}px`,
      height: `${this.size.box}px`,
    });
    if (this.size.name !== "tiny") {
      fillBox(box, row, found, width, {
        words,
        inputs: this.joins,
        small: this.size.name === "small",
        name: this.named && !endless ? times.window(row.start, row.end) : "",
      });
    }
    /** @type {HTMLElement[]} */
    const nodes = [box];
    if (this.size.kept && row.kept_until !== null && row.end !== null && row.kept_until > row.end) {
      const from = scale.px(row.end);
      const to = scale.px(row.kept_until);
      if (to - from > 4) {
        const bar = el("div", `tm-kept${row.status === "cleared" ? " tm-over" : ""}`);
        Object.assign(bar.style, {
          left: `${scale.left + from}px`,
          top: `${top + this.size.box + 3}px`,
          width: `${to - from}px`,
        });
        nodes.push(Object.assign(bar, { reach: { top, from, to } }));
        const fields = { time: times.exact(row.kept_until), window: times.window(row.start, row.end) };
        const text = [say(words.kept_of, fields), say(words.kept_to, fields)].find(
          (each) => scale.width - to > textWidth(each, 12) + 6,
        );
        if (this.size.name === "full" && row.status !== "cleared" && text) {
          const label = el("div", "tm-kept-label", text);
          Object.assign(label.style, { left: `${scale.left + to + 6}px`, top: `${top + this.size.box - 3}px` });
          nodes.push(
            Object.assign(label, { reach: { top, from: to + 6, to: to + 6 + textWidth(text, 12), label: true } }),
          );
        }
      }
    }
    return nodes;
  }

  /**
   * At the step of a merge: the outline that a window had, in the one that it went into.
   * @param {WindowFact} row
   * @param {Scale} scale
   */
  ghost(row, scale) {
    const lane = this.index.get(keyId(row.key));
    if (lane === undefined) return [];
    const from = scale.px(row.start);
    const node = el("div", "tm-lane-ghost", null, { "data-id": row.id });
    Object.assign(node.style, {
      left: `${scale.left + from + 1.5}px`,
      width: `${Math.max(scale.px(row.end) - from - 3, 3)}px`,
      top: `${this.places[lane].top + (this.tracks[row.merged_into ?? ""] ?? 0) * this.size.track}px`,
      height: `${this.size.box}px`,
    });
    return [node];
  }

  /**
   * The sorting queues, a lane for each key.
   * @param {number} step
   * @param {Scale} scale
   */
  queues(step, scale) {
    const { facts, words, times } = this.player;
    const waiting = Map.groupBy(facts.at("queue", step), (row) => keyId(row.key));
    const released = Map.groupBy(
      facts.at("outputs", step).filter((fact) => fact.row.row === "emitted"),
      (fact) => keyId(fact.row.key),
    );
    return this.rows.flatMap((row, lane) => {
      const key = keyId(row.key);
      const [queue, out] = [waiting.get(key) ?? [], released.get(key) ?? []];
      const place = this.places[lane];
      if (!place) return [];
      const sign = [
        scale.part.step,
        place.top,
        scale.width,
        out.length,
        out.at(-1)?.from_step === step,
        ...queue.map((each) => each.id),
      ].join(" ");
      return this.kept(row, sign, () => [
        queueLane(queue, out, step, { scale, place, size: this.size.name, words, times }),
      ]);
    });
  }
}
