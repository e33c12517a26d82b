// Lanes under the plane, on its x scale: each key's windows with contents, result and state, or its sorting queue.
import { el, fill } from "../base/dom.js";
import { say, short, textWidth, valueText } from "../base/format.js";
import { mark } from "../base/icons.js";
import { keyText, timingMark, windowContents, windowFirings } from "../base/reading.js";

// Sizes (px) from roomy to dense: a track, its box, and whether the bar of kept state has room.
const SIZES = [
  { name: "full", track: 60, box: 40, kept: true },
  { name: "mid", track: 42, box: 28, kept: true },
  { name: "small", track: 24, box: 20, kept: false },
  { name: "tiny", track: 12, box: 9, kept: false },
];

/** What stands on a record's chip: its value, or its number where the value has parts. */
function chipText(row) {
  return row.value !== null && typeof row.value === "object" ? `#${row.item}` : short(valueText(row.value), 8);
}

export class Lanes {
  constructor(container, player) {
    this.container = container;
    this.player = player;
    this.rows = player.payload.lanes.rows;
    this.tracks = player.payload.lanes.tracks;
    this.line = el("div", "tm-lane-watermark");
    this.body = el("div", "tm-lane-rows");
    fill(container, this.body, this.line);
    this.places = [];
    this.made = new WeakMap();
  }

  /** Chooses the size that fits `most` px, for the whole run, so that nothing jumps. */
  layout(most) {
    const tracks = this.rows.reduce((sum, row) => sum + row.tracks, 0);
    const needs = (size) => tracks * size.track + this.rows.length * 7 + 4;
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
    this.index = new Map(this.rows.map((row, index) => [JSON.stringify(row.key), index]));
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

  show(step) {
    const { facts, plane } = this.player;
    const scale = plane.scale();
    const touched = new Set(facts.at("steps", step)[0]?.touches ?? []);
    const wanted = new Set();
    for (const row of facts.at("windows", step)) {
      if (row.status === "merged" || !scale.holds(row)) continue;
      const held = windowContents(facts, row, step);
      for (const node of this.kept(row, `${held.length} ${held.at(-1)?.id} ${scale.part.step}`, () => this.window(row, step, scale))) wanted.add(node);
    }
    for (const row of facts.at("queue", step)) for (const node of this.kept(row, scale.part.step, () => this.queued(row, scale))) wanted.add(node);
    for (const node of this.shown) if (!wanted.has(node)) node.remove();
    for (const node of wanted) {
      if (!this.shown.has(node)) this.body.append(node);
      if (node.dataset.id) node.classList.toggle("tm-touched", touched.has(node.dataset.id));
    }
    this.shown = wanted;
    const watermark = facts.at("watermark", step)[0];
    const value = watermark?.value ?? null;
    this.line.hidden = value === null || !this.rows.length;
    if (value !== null) this.line.style.left = `${scale.left + scale.px(value)}px`;
  }

  /** What stands for a fact, made anew only when what is in it (`sign`) is another. */
  kept(row, sign, make) {
    let mine = this.made.get(row);
    if (mine?.sign !== sign) this.made.set(row, (mine = { sign, nodes: make() }));
    return mine.nodes;
  }

  window(row, step, scale) {
    const lane = this.index.get(JSON.stringify(row.key));
    if (lane === undefined) return [];
    const { words, times } = this.player;
    const endless = row.start === null;
    const left = endless ? 0 : scale.px(row.start);
    const right = endless ? scale.width : scale.px(row.end);
    const width = Math.max(right - left - 3, 3);
    const top = this.places[lane].top + (this.tracks[row.id] ?? 0) * this.size.track;
    const box = el("div", `tm-lane-box tm-${row.status}`);
    box.dataset.id = row.id;
    Object.assign(box.style, { left: `${scale.left + left + 1.5}px`, top: `${top}px`, width: `${width}px`, height: `${this.size.box}px` });
    if (this.size.name !== "tiny") this.contents(box, row, step, width);
    const nodes = [box];
    if (this.size.kept && row.kept_until !== null && !endless && row.kept_until > row.end) {
      const from = scale.px(row.end);
      const to = scale.px(row.kept_until);
      if (to - from > 4) {
        const bar = el("div", `tm-kept${row.status === "cleared" ? " tm-over" : ""}`);
        Object.assign(bar.style, { left: `${scale.left + from}px`, top: `${top + this.size.box + 3}px`, width: `${to - from}px` });
        nodes.push(bar);
        const text = say(words.kept_to, { time: times.exact(row.kept_until) });
        if (this.size.name === "full" && row.status !== "cleared" && scale.width - to > textWidth(text, 12) + 6) {
          const label = el("div", "tm-kept-label", text);
          Object.assign(label.style, { left: `${scale.left + to + 6}px`, top: `${top + this.size.box - 3}px` });
          nodes.push(label);
        }
      }
    }
    return nodes;
  }

  /** What stands in a box, as far as its width goes: results first, then the running result, then records. */
  contents(box, row, step, width) {
    const { words, facts } = this.player;
    const small = this.size.name === "small";
    let room = width - 18;
    const fired = windowFirings(facts, row, step).map((pane) => {
      const update = pane.timing === "late" ? ` ↻${pane.pane}` : "";
      return { text: `${short(valueText(pane.value), 12)}${update}`, kind: timingMark(pane.timing) };
    });
    const frames = [];
    for (const { text, kind } of fired.reverse()) {
      const wide = textWidth(text) + 34;
      if (wide > room && frames.length) break;
      if (wide > room + 14) {
        frames.unshift(el("span", "tm-frame-mark"));
        frames[0].append(mark(kind));
        room -= 18;
        break;
      }
      const frame = el("span", "tm-frame");
      frame.append(mark(kind), text);
      frames.unshift(frame);
      room -= wide;
    }
    const left = [];
    if (row.status === "cleared") {
      if (room > textWidth(words.state_cleared) + 16) left.push(el("span", "tm-cleared-word", words.state_cleared));
    } else {
      const equals = row.result === null ? "" : `= ${short(valueText(row.result), 14)}`;
      const forResult = equals ? textWidth(equals) + 10 : 0;
      const chips = windowContents(facts, row, step).map((each) => ({ text: chipText(each), late: each.late }));
      const wide = chips.reduce((sum, chip) => sum + Math.max(textWidth(chip.text) + 18, 27) + 4, 0);
      if (wide + forResult <= room) {
        for (const chip of chips) left.push(el("span", `tm-chip${chip.late ? " tm-late" : ""}`, chip.text));
        room -= wide;
      } else if (chips.length) {
        const many = say(words.chips_more, { count: chips.length });
        if (textWidth(many) + forResult + 8 <= room) {
          left.push(el("span", "tm-many", many));
          room -= textWidth(many) + 8;
        }
      }
      if (equals && forResult <= room) {
        left.push(el("b", "tm-equals", equals));
        room -= forResult;
      }
      if (row.status === "open" && !small && room > textWidth(words.open) + 10) left.push(el("span", "tm-quiet", words.open));
    }
    fill(box, el("span", "tm-lane-left"), el("span", "tm-lane-right"));
    fill(box.firstChild, left);
    fill(box.lastChild, frames);
  }

  queued(row, scale) {
    const lane = this.index.get(JSON.stringify(row.key));
    if (lane === undefined) return [];
    const chip = el("span", "tm-chip tm-queued", chipText(row));
    chip.dataset.id = row.id;
    Object.assign(chip.style, { left: `${scale.left + scale.px(row.ts)}px`, top: `${this.places[lane].top + 6}px` });
    return [chip];
  }
}
