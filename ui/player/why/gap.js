// The gap in the picture: a dashed line through plane and lanes at the watermark that is needed, and a bracket to it
// from the current one. On the plane its words take the room that the step leaves; over the two sides of a join they
// lie in a picture of their own.
import { svg } from "../base/dom.js";
import { say } from "../base/format.js";
import { placeOfRecord, plot } from "./subjects.js";
/** @import { Area, Attributes, Gap, Point } from "../types/player.d.ts" */
/** @import { Box, Candidate } from "../types/picture.d.ts" */
/** @import { Player } from "../player.js" */
/** @import { RecordFact } from "../types/payload.d.ts" */

// How far (px) from the record, or from the present moment, the bracket may be; the nearest first.
const AWAY_FROM = {
  record: [30, -30, 48, -48, 68, -68, 92, -92, 120, 150],
  now: [46, -46, 68, -68, 92, -92, 120, 150, 180],
};
// Room (px) for the labels of the axis, which the line does not cross.
const TICKS = 24;
const BOLD = 15;
const QUIET = 13;
const TO_SIDE = 0.5;

/**
 * A way to draw the bracket: its height, and where its words begin.
 * @typedef {Candidate & { y: number, left: number, over: boolean, also: Box[], cost: number }} Bracket
 */

export class GapOverlay {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    this.node = svg("svg", { class: "tm-gap", "aria-hidden": "true" });
    this.covered = false;
    /** @type {SVGElement} what lies under the records goes here */
    this.under = this.node;
    /** @type {SVGElement} */
    this.over = this.node;
    this.origin = { left: 0, top: 0 };
  }

  clear() {
    this.node.replaceChildren();
    this.player.plane.scene.forgetNotes();
  }

  /**
   * Draws `gap` {needs, now, judged, row}, the ring round a record, or nothing.
   * @param {Gap | null | undefined} gap
   * @param {RecordFact | null | undefined} record
   * @param {number} step
   */
  draw(gap, record, step) {
    this.clear();
    const area = plot(this.player);
    if (!area) return;
    const { scene } = this.player.plane;
    // Where another picture lies over the plane, times are in the same place, arrivals are not.
    this.covered = this.player.canvas.classList.contains("tm-covered");
    [this.under, this.over] = this.covered ? [this.node, this.node] : [scene.whyLines, scene.whyNotes];
    this.origin = this.covered ? area : { left: 0, top: 0 };
    if (record && !this.covered && area.holdsMoment(record.arrival)) this.ring(record, area);
    if (gap) this.lines(gap, area, step);
    if (!this.covered) scene.label();
  }

  /**
   * @param {RecordFact} record
   * @param {Area} area
   */
  ring(record, area) {
    const { scene } = this.player.plane;
    const { x, y } = scene.laid?.at.get(record.id) ?? this.inPlot(placeOfRecord(record, area), area);
    const r = (scene.laid?.dot ?? 0) / 2 + 7;
    this.over.append(svg("circle", { class: "tm-gap-ring", cx: x, cy: y, r }));
    scene.moment?.ring([{ id: record.id, x, y, r }]);
  }

  /**
   * @param {Point} place
   * @param {Area} area
   */
  inPlot({ x, y }, area) {
    return { x: x - area.left, y: y - area.top };
  }

  /**
   * @param {Gap} gap
   * @param {Area} area
   * @param {number} step
   */
  lines(gap, area, step) {
    const { lanes, planeCard } = this.player;
    const { left, top } = this.origin;
    const bottom = Math.min(lanes.container.offsetTop + lanes.container.offsetHeight, planeCard.clientHeight);
    const to = area.x(gap.needs);
    const from = gap.now === null || gap.now === undefined ? null : area.x(gap.now);
    this.line("tm-gap-needed", to, area, bottom);
    if (gap.judged && from !== null) this.line("tm-gap-then", from, area, bottom);
    const bracket = this.place(gap, from, to, area, step);
    if (!bracket) return;
    const { y, left: begin, over } = bracket;
    if (from !== null) {
      const [a, b] = [Math.min(from, to) + left, Math.max(from, to) + left];
      const down = y + top;
      const d = `M${a} ${down - 5}v10M${a} ${down}H${b}M${b} ${down - 5}v10`;
      this.over.append(svg("path", { class: "tm-gap-bracket", d }));
    }
    const { bold, quiet } = this.words(gap);
    const names = { "data-label": "why", "data-names": gap.row?.id ?? "why" };
    const first = from === null ? y - 5 : over ? y - 8 : y + 1;
    if (bold) this.over.append(noteOf(bold, { x: begin + left, y: first + top, class: "tm-gap-span", ...names }));
    this.over.append(noteOf(quiet, { x: begin + left, y: y + 17 + top, class: "tm-gap-note", ...names }));
  }

  /**
   * The best place for the bracket and its words: at the right, over its line, or at its left.
   * @param {Gap} gap
   * @param {number | null} from null where there is nothing to measure from
   * @param {number} to
   * @param {Area} area
   * @param {number} step
   * @returns {Bracket | null}
   */
  place(gap, from, to, area, step) {
    const { up, scene } = this.player.plane;
    const { bold, quiet } = this.words(gap);
    const { frame, moment } = scene;
    if (!frame || !moment) return null;
    const wide = Math.max(bold ? frame.wide(bold, BOLD, 600) : 0, frame.wide(quiet, QUIET, 400));
    const [a, b] = from === null ? [to, to] : [Math.min(from, to), Math.max(from, to)];
    const { facts, payload } = this.player;
    const fact = facts.at("steps", step)[0];
    const home = area.y(gap.row?.arrival ?? (payload.arrival_axis === "at" ? fact.at : fact.item));
    const levels = this.covered
      ? [area.height - 34]
      : AWAY_FROM[gap.row ? "record" : "now"].map((dy) => home + (up ? -dy : dy));
    const brackets = levels
      .filter((y) => y > 20 && y < area.height - 24)
      .flatMap((y, index) =>
        [b + 10, b - 10 - wide, a - 10 - wide].map((left, turn) => ({
          y,
          left,
          over: turn === 1,
          box: { left, right: left + wide, top: y - (turn === 1 ? 20 : 12), bottom: y + 20 },
          also: from === null ? [] : [{ left: a, right: b, top: y - 5, bottom: y + 5 }],
          cost: TO_SIDE * (index + turn),
        })),
      );
    if (this.covered) return brackets.find(({ box }) => box.right < area.width + 20) ?? brackets.at(-1) ?? null;
    return moment.note(brackets, gap.row?.id ?? "why");
  }

  /** @param {Gap} gap */
  words(gap) {
    const { times, words } = this.player;
    const { why } = words;
    const span = `${times.span(Math.abs(gap.needs - (gap.now ?? 0)))} s`;
    const template = gap.judged ? why[/** @type {const} */ (`bracket_${gap.judged}`)] : why.bracket_missing;
    return {
      bold: gap.now === null || gap.now === undefined ? "" : say(template, { span }),
      quiet: say(gap.judged ? why.bracket_limit : why.bracket_needs, { time: times.exact(gap.needs) }),
    };
  }

  /**
   * A line through the plane, under its marks, and on through the lanes.
   * @param {string} name
   * @param {number} x
   * @param {Area} area
   * @param {number} bottom
   */
  line(name, x, area, bottom) {
    const { left, top } = this.origin;
    const end = top + area.height;
    this.under.append(svg("path", { class: name, d: `M${left + x} ${top}V${end}` }));
    const across = area.left + x;
    const begin = area.top + area.height + TICKS;
    this.node.append(svg("path", { class: name, d: `M${across} ${begin}V${bottom}` }));
  }
}

/**
 * @param {string} said
 * @param {Attributes} attributes
 */
function noteOf(said, attributes) {
  const node = svg("text", attributes);
  node.textContent = said;
  return node;
}
