// The gap in the picture: a dashed line through plane and lanes at the watermark that is needed, and a bracket to it
// from the current one.
import { svg } from "../base/dom.js";
import { say, textWidth } from "../base/format.js";
import { placeOfRecord, plot } from "./subjects.js";
/** @import { Area, Gap, Point } from "../types/player.d.ts" */
/** @import { Player } from "../player.js" */
/** @import { RecordFact } from "../types/payload.d.ts" */

const ROOM = 46;

export class GapOverlay {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    this.node = svg("svg", { class: "tm-gap", "aria-hidden": "true" });
  }

  clear() {
    this.node.replaceChildren();
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
    // Where another picture lies over the plane, times are in the same place, arrivals are not.
    this.covered = this.player.canvas.classList.contains("tm-covered");
    if (record && !this.covered && area.holdsMoment(record.arrival)) this.ring(placeOfRecord(record, area));
    if (gap) this.lines(gap, area, step);
  }

  /** @param {Point} place */
  ring({ x, y }) {
    this.node.append(svg("circle", { class: "tm-gap-ring", cx: x, cy: y, r: 16 }));
  }

  /**
   * @param {Gap} gap
   * @param {Area} area
   * @param {number} step
   */
  lines(gap, area, step) {
    const { lanes, planeCard } = this.player;
    const bottom = Math.min(lanes.container.offsetTop + lanes.container.offsetHeight, planeCard.clientHeight);
    const to = area.left + area.x(gap.needs);
    this.line("tm-gap-needed", to, area.top, bottom);
    if (gap.now === null || gap.now === undefined) {
      this.text(to, this.level(gap, area, step), area, "", gap);
      return;
    }
    const from = area.left + area.x(gap.now);
    const y = this.level(gap, area, step);
    if (gap.judged) this.line("tm-gap-then", from, area.top, bottom);
    const [a, b] = from < to ? [from, to] : [to, from];
    this.node.append(svg("path", { class: "tm-gap-bracket", d: `M${a} ${y - 5}v10M${a} ${y}H${b}M${b} ${y - 5}v10` }));
    this.text(b, y, area, this.words(gap), gap);
  }

  /**
   * The height of the bracket: at the record, or clear of the line of now and its label.
   * @param {Gap} gap
   * @param {Area} area
   * @param {number} step
   */
  level(gap, area, step) {
    if (this.covered) return area.top + area.height - 34;
    if (gap.row) return clamp(area.top + area.y(gap.row.arrival) + 30, area.top + 20, area.top + area.height - 24);
    const { facts, payload } = this.player;
    const fact = facts.at("steps", step)[0];
    const now = area.top + area.y(payload.arrival_axis === "at" ? fact.at : fact.item);
    const after = this.player.plane.up ? now - ROOM : now + ROOM;
    const room = after > area.top + 24 && after < area.top + area.height - 24;
    return room ? after : this.player.plane.up ? now + ROOM : now - ROOM;
  }

  /** @param {Gap} gap */
  words(gap) {
    const {
      times,
      words: { why },
    } = this.player;
    const span = `${times.span(Math.abs(gap.needs - (gap.now ?? 0)))} s`;
    return say(gap.judged ? why[/** @type {const} */ (`bracket_${gap.judged}`)] : why.bracket_missing, { span });
  }

  /**
   * @param {string} name
   * @param {number} x
   * @param {number} y1
   * @param {number} y2
   */
  line(name, x, y1, y2) {
    this.node.append(svg("path", { class: name, d: `M${x} ${y1}V${y2}` }));
  }

  /**
   * The words of the bracket at its right, or at its left where there is no room.
   * @param {number} x
   * @param {number} y
   * @param {Area} area
   * @param {string} text
   * @param {Gap} gap
   */
  text(x, y, area, text, gap) {
    const {
      times,
      words: { why },
    } = this.player;
    const under = say(gap.judged ? why.bracket_limit : why.bracket_needs, { time: times.exact(gap.needs) });
    const wide = Math.max(textWidth(text, 15), textWidth(under, 13));
    const right = x + 10 + wide < area.left + area.width + 20;
    const place = { x: right ? x + 10 : x - 10, "text-anchor": right ? "start" : "end" };
    // Beside the bracket, or above its line.
    const bold = svg("text", { ...place, y: y + (!text ? 5 : right ? 1 : -8), class: "tm-gap-span" });
    bold.textContent = text;
    const quiet = svg("text", { ...place, y: y + 17, class: "tm-gap-note" });
    quiet.textContent = under;
    this.node.append(bold, quiet);
  }
}

/**
 * @param {number} value
 * @param {number} low
 * @param {number} high
 */
function clamp(value, low, high) {
  return Math.min(Math.max(value, low), high);
}
