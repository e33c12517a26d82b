// Strips: one line a key with its windows as shades and the number of their records, drawn as far as they can be seen.
import { el } from "../base/dom.js";
import { say, short } from "../base/format.js";
import { keyId } from "../base/identity.js";
import { keyText } from "../base/reading.js";
/** @import { Lanes } from "./lanes.js" */
/** @import { Player } from "../player.js" */
/** @import { Scale } from "../types/player.d.ts" */

/** Height (px) of a strip. */
export const STRIP = 15;
const STRIP_BOX = 13;
const STRIP_TRACKS = 6;

/** @typedef {{ step: number, scale: Scale, touched: Set<string>, open: number[] }} Now */

/** A scroller of strips. `choose(lane)` is called when one is clicked. */
export class Strips {
  /**
   * @param {Player} player
   * @param {Lanes} lanes
   * @param {(lane: number) => void} choose
   */
  constructor(player, lanes, choose) {
    this.player = player;
    this.lanes = lanes;
    /** @type {Now | null} */
    this.now = null;
    this.node = el("div", "tm-strips");
    this.canvas = el("canvas");
    this.room = el("div", "tm-strips-room");
    this.room.style.height = `${lanes.rows.length * STRIP}px`;
    this.room.append(this.canvas);
    this.scroller = el("div", "tm-strips-scroller", null, { "aria-hidden": "true" });
    this.scroller.append(this.room);
    this.more = el("span", "tm-strips-more");
    this.node.append(this.scroller, this.more);
    this.scroller.addEventListener("scroll", () => this.draw());
    this.scroller.addEventListener("click", (event) => {
      const lane = Math.floor((event.clientY - this.room.getBoundingClientRect().top) / STRIP);
      if (lane >= 0 && lane < lanes.rows.length) choose(lane);
    });
    this.scheme = window.matchMedia("(prefers-color-scheme: dark)");
    this.recolour = () => this.draw();
    this.scheme.addEventListener("change", this.recolour);
  }

  /**
   * @param {number} step
   * @param {Scale} scale
   * @param {Set<string>} touched
   * @param {number[]} open
   */
  show(step, scale, touched, open) {
    this.now = { step, scale, touched, open };
    this.draw();
  }

  draw() {
    const { now } = this;
    if (!now) return;
    const { clientWidth: wide, clientHeight: high } = this.scroller;
    if (!wide || !high) return;
    const ratio = window.devicePixelRatio || 1;
    const { canvas } = this;
    if (canvas.width !== Math.round(wide * ratio) || canvas.height !== Math.round(high * ratio)) {
      canvas.width = Math.round(wide * ratio);
      canvas.height = Math.round(high * ratio);
      canvas.style.width = `${wide}px`;
      canvas.style.height = `${high}px`;
    }
    const style = getComputedStyle(this.node);
    const colour = (/** @type {string} */ name) => style.getPropertyValue(`--tm-${name}`).trim();
    const pen = canvas.getContext("2d");
    if (!pen) return;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, wide, high);
    const first = this.scroller.scrollTop / STRIP;
    const last = Math.min(Math.ceil(first + high / STRIP), this.lanes.rows.length);
    const top = (/** @type {number} */ lane) => (lane - first) * STRIP + 1;
    this.names(pen, now, Math.floor(first), last, top, colour, style.fontFamily);
    this.windows(pen, now, Math.floor(first), last, top, colour);
    this.queued(pen, now, Math.floor(first), last, top, colour);
    const hidden = this.lanes.rows.length - Math.round(high / STRIP + first);
    this.more.hidden = hidden <= 0;
    this.more.textContent = say(this.player.words.scale[hidden === 1 ? "more_one" : "more_many"], { count: hidden });
  }

  /**
   * @param {CanvasRenderingContext2D} pen
   * @param {Now} now
   * @param {number} first
   * @param {number} last
   * @param {(lane: number) => number} top
   * @param {(name: string) => string} colour
   * @param {string} family
   */
  names(pen, now, first, last, top, colour, family) {
    const { open, scale } = now;
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    for (let lane = first; lane < last; lane += 1) {
      const here = open.includes(lane);
      pen.font = `${here ? 600 : 400} 12px ${family}`;
      pen.fillStyle = colour(here ? "ink" : "ink2");
      pen.fillText(short(keyText(this.lanes.rows[lane].key), 9), scale.left - 12, top(lane) + STRIP_BOX / 2 + 0.5);
      pen.fillStyle = colour("line");
      pen.fillRect(scale.left, top(lane) + STRIP_BOX, scale.width, 1);
    }
    pen.textAlign = "center";
    pen.font = `400 12px ${family}`;
  }

  /**
   * @param {CanvasRenderingContext2D} pen
   * @param {Now} now
   * @param {number} first
   * @param {number} last
   * @param {(lane: number) => number} top
   * @param {(name: string) => string} colour
   */
  windows(pen, now, first, last, top, colour) {
    const { step, scale, touched } = now;
    const grounds = { open: colour("on-time-tint"), fired: colour("fired-tint"), cleared: colour("line") };
    const solid = { open: colour("on-time"), fired: colour("fired"), cleared: colour("line2") };
    const edges = { open: colour("ink2"), fired: colour("fired"), cleared: colour("line2") };
    const ink = colour("ink");
    for (const row of this.player.facts.at("windows", step)) {
      if (row.status === "merged" || !scale.holds(row)) continue;
      const lane = this.lanes.index.get(keyId(row.key));
      if (lane === undefined || lane < first || lane >= last) continue;
      const left = scale.left + (row.start === null ? 0 : scale.px(row.start)) + 1.5;
      const width = Math.max(
        (row.start === null ? scale.left + scale.width : scale.left + scale.px(row.end)) - left - 1.5,
        2,
      );
      const marked = touched.has(row.id);
      const tracks = Math.min(this.lanes.rows[lane].tracks, STRIP_TRACKS);
      if (tracks > 1) {
        // Windows that overlap: thin bars under one another, framed where there is room for a frame.
        const high = STRIP_BOX / tracks;
        const y = top(lane) + (this.lanes.tracks[row.id] % tracks) * high;
        if (high >= 5) {
          pen.fillStyle = marked ? ink : grounds[row.status];
          pen.fillRect(left, y, width, high - 1);
          pen.lineWidth = 1;
          pen.strokeStyle = marked ? ink : edges[row.status];
          pen.strokeRect(left + 0.5, y + 0.5, width - 1, high - 2);
          continue;
        }
        pen.fillStyle = marked ? ink : solid[row.status];
        pen.fillRect(left, y, width, high - 0.6);
        continue;
      }
      pen.fillStyle = grounds[row.status];
      pen.fillRect(left, top(lane), width, STRIP_BOX - 1);
      pen.lineWidth = marked ? 2 : 1;
      pen.strokeStyle = marked ? ink : edges[row.status];
      pen.strokeRect(left + 0.5, top(lane) + 0.5, width - 1, STRIP_BOX - 2);
      if (row.status === "cleared" || width < 8 * String(row.records).length + 4) continue;
      pen.fillStyle = ink;
      pen.fillText(String(row.records), left + width / 2, top(lane) + STRIP_BOX / 2 + 0.5);
    }
  }

  /**
   * Waiting records of a sorting queue, each a tick at its time.
   * @param {CanvasRenderingContext2D} pen
   * @param {Now} now
   * @param {number} first
   * @param {number} last
   * @param {(lane: number) => number} top
   * @param {(name: string) => string} colour
   */
  queued(pen, now, first, last, top, colour) {
    const { step, scale, touched } = now;
    for (const row of this.player.facts.at("queue", step)) {
      const lane = this.lanes.index.get(keyId(row.key));
      if (lane === undefined || lane < first || lane >= last) continue;
      pen.fillStyle = colour(touched.has(row.id) ? "ink" : "on-time");
      pen.fillRect(scale.left + scale.px(row.ts) - 1, top(lane) + 1, touched.has(row.id) ? 3 : 2, STRIP_BOX - 2);
    }
  }

  close() {
    this.scheme.removeEventListener("change", this.recolour);
  }
}
