// The gap in the picture: a dashed line through plane and lanes at the watermark that is needed, and a bracket to it
// from the current one. Its words take the room that the step leaves. The two sides of a join, which lie over the
// plane, draw it themselves (picture/join_gap.js).
import { svg } from "../base/dom.js";
import { timeDistance, say } from "../base/format.js";
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
export const BOLD = 15;
export const QUIET = 13;
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
  }

  clear() {
    this.node.replaceChildren();
    this.player.plane.scene.forgetNotes();
    this.player.join.explain(null);
  }

  /**
   * Draws `gap` {needs, now, judged, row}, the ring round a record, or nothing.
   * @param {Gap | null | undefined} gap
   * @param {RecordFact | null | undefined} record
   * @param {number} step
   */
  draw(gap, record, step) {
    this.clear();
    const { join, plane } = this.player;
    if (join.on) {
      join.explain(gap ?? null);
      return;
    }
    const area = plot(this.player);
    if (!area) return;
    if (record && area.holdsMoment(record.arrival)) this.ring(record, area);
    if (gap) this.lines(gap, area, step);
    plane.scene.label();
  }

  /**
   * @param {RecordFact} record
   * @param {Area} area
   */
  ring(record, area) {
    const { scene } = this.player.plane;
    const { x, y } = scene.laid?.at.get(record.id) ?? this.inPlot(placeOfRecord(record, area), area);
    const r = (scene.laid?.dot ?? 0) / 2 + 7;
    scene.whyNotes.append(svg("circle", { class: "tm-gap-ring", cx: x, cy: y, r }));
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
    const { lanes, planeCard, plane } = this.player;
    const { whyNotes } = plane.scene;
    const bottom = Math.min(lanes.container.offsetTop + lanes.container.offsetHeight, planeCard.clientHeight);
    const to = area.x(gap.needs);
    const from = gap.now === null || gap.now === undefined ? null : area.x(gap.now);
    this.line("tm-gap-needed", to, area, bottom);
    if (gap.judged && from !== null) this.line("tm-gap-then", from, area, bottom);
    const bracket = this.place(gap, from, to, area, step);
    if (!bracket) return;
    const { y, left: begin, over } = bracket;
    if (from !== null) {
      whyNotes.append(bracketOf(from, to, y));
    }
    whyNotes.append(...gapNotes(this.player, gap, { x: begin, y, over }));
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
    const { bold, quiet } = gapWords(this.player, gap);
    const { frame, moment } = scene;
    if (!frame || !moment) return null;
    const wide = Math.max(bold ? frame.wide(bold, BOLD, 600) : 0, frame.wide(quiet, QUIET, 400));
    const [a, b] = from === null ? [to, to] : [Math.min(from, to), Math.max(from, to)];
    const { facts, payload } = this.player;
    const fact = facts.at("steps", step)[0];
    const home = area.y(gap.row?.arrival ?? (payload.arrival_axis === "at" ? fact.at : fact.item));
    const brackets = AWAY_FROM[gap.row ? "record" : "now"]
      .map((dy) => home + (up ? -dy : dy))
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
    return moment.note(brackets, gap.row?.id ?? "why");
  }

  /**
   * A line through the plane, under its marks, and on through the lanes.
   * @param {string} name
   * @param {number} x
   * @param {Area} area
   * @param {number} bottom
   */
  line(name, x, area, bottom) {
    this.player.plane.scene.whyLines.append(svg("path", { class: name, d: `M${x} 0V${area.height}` }));
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

/**
 * What the bracket says: how far it is, and to what.
 * @param {Player} player
 * @param {Gap} gap
 */
export function gapWords({ times, words: { why } }, gap) {
  const span = timeDistance(Math.abs(gap.needs - (gap.now ?? 0)));
  const template = gap.judged ? why[/** @type {const} */ (`bracket_${gap.judged}`)] : why.bracket_missing;
  return {
    bold: gap.now === null || gap.now === undefined ? "" : say(template, { span }),
    quiet: say(gap.judged ? why.bracket_limit : why.bracket_needs, { time: times.exact(gap.needs) }),
  };
}

/**
 * @param {number} from
 * @param {number} to
 * @param {number} y
 */
export function bracketOf(from, to, y) {
  const [a, b] = [Math.min(from, to), Math.max(from, to)];
  return svg("path", { class: "tm-gap-bracket", d: `M${a} ${y - 5}v10M${a} ${y}H${b}M${b} ${y - 5}v10` });
}

/**
 * The words at a bracket: beside it, or `over` and under its line.
 * @param {Player} player
 * @param {Gap} gap
 * @param {{ x: number, y: number, over: boolean }} place
 */
export function gapNotes(player, gap, { x, y, over }) {
  const { bold, quiet } = gapWords(player, gap);
  const names = { "data-label": "why", "data-names": gap.row?.id ?? "why" };
  const first = bold ? [noteOf(bold, { x, y: over ? y - 8 : y + 1, class: "tm-gap-span", ...names })] : [];
  return [...first, noteOf(quiet, { x, y: y + 17, class: "tm-gap-note", ...names })];
}
