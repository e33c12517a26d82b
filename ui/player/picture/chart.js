// The plane: event time to the right, arrival down (or up), as one SVG picture of the rows of a step. What lies where
// is found once for a part of the run and a size (layout.js); a step only exchanges what has changed (scene.js).
import { Table, lastUpTo } from "../base/facts.js";
import { textMetrics } from "../base/measuring.js";
import { layOut } from "./layout.js";
import { Scene } from "./scene.js";
/** @import { Namespace, Part } from "../types/payload.d.ts" */
/** @import { PackedTable, PlanePayload } from "../types/player.d.ts" */
/** @import { Beside, Frame, PartRows, PlaneRow, PlaneSource } from "../types/picture.d.ts" */

/** @typedef {{ part: Part, up: boolean, numbers: Frame["numbers"] }} Drawn */

// Room (px) for axes and names of windows around the plot; the lanes below use the same left and right.
const PADDING = { left: 74, top: 30, right: 20, bottom: 42 };

/** One picture for as long as its scenario is shown. */
export class Plane {
  /**
   * @param {HTMLElement} container
   * @param {PlanePayload} payload
   */
  constructor(container, payload) {
    this.container = container;
    this.padding = PADDING;
    const sources = /** @type {[PlaneSource["name"], PlaneRow[] | PackedTable][]} */ (Object.entries(payload.sources));
    /** @type {PlaneSource[]} */
    this.sources = sources.map(([name, rows]) => ({ name, table: new Table(rows, payload.strings) }));
    this.payload = payload;
    this.signals = payload.signals;
    this.part = payload.parts[0];
    this.up = false;
    /** @type {Frame["numbers"]} */
    this.numbers = null;
    this.size = [0, 0];
    this.big = 1;
    this.past = false;
    this.asks = false;
    this.scene = new Scene(container);
    /** @type {Drawn | null} what the layout is for; null once it is for nothing */
    this.drawn = null;
  }

  /** Resolves once the font is there, by which texts are measured. */
  async open() {
    await document.fonts?.load("13px 'Source Sans'").catch(() => []);
  }

  /**
   * Draws everything `big` times as large as on a desk. The lanes below do the same, so both keep one scale.
   * @param {number} big
   */
  enlarge(big) {
    this.big = big;
    this.size = [0, 0];
  }

  /**
   * Whether what has not arrived yet is left out; `asks`: also what only the answer to an open question tells.
   * @param {boolean} hidden
   * @param {boolean} [asks]
   */
  keepFuture(hidden, asks = false) {
    this.past = hidden;
    this.asks = asks;
  }

  /**
   * The rows of a source at `step`, as far as they are to be seen.
   * @param {PlaneSource} source
   * @param {number} step
   */
  rowsAt({ name, table }, step) {
    if (this.past && name === "ahead") return [];
    const rows = table.at(step);
    return this.past && name === "sides" ? rows.filter((row) => !("quiet" in row && row.quiet)) : rows;
  }

  /**
   * From now on the part of the run that `step` is in; a run of few records is one part.
   * @param {number} step
   */
  turn(step) {
    const { parts } = this.payload;
    this.part = parts[lastUpTo(parts.length, (index) => parts[index].step, step)];
  }

  /** Left edge and width (px) of the plot, which the lanes share; `holds` says whether a window is in it at all. */
  scale() {
    const { part } = this;
    const { x0, x1 } = part.signals;
    const width = this.size[0] / this.big;
    // In a run of one part, what lies far outside is drawn at the edge.
    const holds = (/** @type {Namespace} */ { start, end }) =>
      start === null || end === null || this.payload.parts.length === 1 || (start < x1 && end > x0);
    return {
      left: this.padding.left,
      width,
      part,
      holds,
      px: (/** @type {number | null} */ ms) => ((Math.min(Math.max(ms ?? x0, x0), x1) - x0) / (x1 - x0)) * width,
    };
  }

  /**
   * Takes the size (px) of its container.
   * @param {number} wide
   * @param {number} high
   */
  resize(wide, high) {
    const { left, right, top, bottom } = this.padding;
    const width = wide - (left + right) * this.big;
    const height = high - (top + bottom) * this.big;
    if (width <= 0 || height <= 0 || (this.size[0] === width && this.size[1] === height)) return;
    this.size = [width, height];
    this.scene.size(wide, high);
    this.drawn = null;
  }

  /**
   * Shows `step`.
   * @param {number} step
   */
  show(step) {
    if (!this.size[0]) return;
    this.lay();
    this.scene.show(
      this.each((source) => this.rowsAt(source, step)),
      this.others(step),
    );
  }

  /**
   * What else stands in the same picture, where two planes lie over each other.
   * @param {number} [_step] undefined for the layout, which is for all steps
   * @returns {Beside[]}
   */
  others(_step) {
    return [];
  }

  /** The ends of both axes, and their labels. */
  axes() {
    return this.part.signals;
  }

  /** Finds the place of everything, unless the part, the size and the direction are as they were. */
  lay() {
    const { part, up, numbers } = this;
    if (this.drawn?.part === part && this.drawn.up === up && this.drawn.numbers === numbers) return;
    this.drawn = { part, up, numbers };
    const frame = this.frame();
    const laid = layOut(
      this.each((source) => this.rowsOfPart(source.table)),
      frame,
      this.others(),
    );
    const { left, top } = this.padding;
    const { arrival_axis: axis, style, words } = this.payload;
    const upward = words.scale[axis === "item" ? "axis_item" : style.style === "clock" ? "axis_at" : "axis_at_s"];
    const titles = { x: this.signals.x_title, y: this.up ? upward : this.signals.y_title };
    this.scene.lay(laid, frame, { signals: this.axes(), titles, left, top, big: this.big });
  }

  /** How data become places. @returns {Frame} */
  frame() {
    const [width, height] = this.size.map((each) => each / this.big);
    const { x0, x1, y0, y1 } = this.axes();
    const { fontFamily } = getComputedStyle(this.container);
    const inside = (/** @type {number} */ value, /** @type {number} */ low, /** @type {number} */ high) =>
      (Math.min(Math.max(value, low), high) - low) / (high - low);
    return {
      width,
      height,
      down: this.up ? -1 : 1,
      dot: this.signals.dot,
      numbers: this.numbers,
      x: (ms) => inside(ms, x0, x1) * width,
      y: (arrival) => (this.up ? 1 - inside(arrival, y0, y1) : inside(arrival, y0, y1)) * height,
      // All digits are as wide as a zero: the page asks its font for that, and a canvas cannot.
      wide: (text, size, weight) =>
        text ? textMetrics(`${weight} ${size}px ${fontFamily}`, text.replace(/\d/g, "0")).width + 1 : 0,
    };
  }

  /**
   * Where (px) the middle of a record's mark is in the container; null before it is drawn.
   * @param {string} id
   */
  placeOf(id) {
    const place = this.scene.laid?.at.get(id);
    if (!place) return null;
    return { x: (this.padding.left + place.x) * this.big, y: (this.padding.top + place.y) * this.big };
  }

  /**
   * Rows by source.
   * @param {(source: PlaneSource) => PlaneRow[]} rowsOf
   * @returns {PartRows}
   */
  each(rowsOf) {
    return /** @type {any} */ (Object.fromEntries(this.sources.map((source) => [source.name, rowsOf(source)])));
  }

  /**
   * Every row of the part that is shown.
   * @param {Table<PlaneRow>} table
   */
  rowsOfPart(table) {
    const { parts } = this.payload;
    if (parts.length === 1) return table.rows;
    const until = parts[parts.indexOf(this.part) + 1]?.step ?? Infinity;
    const rows = [];
    for (let place = table.lastBegun(this.part.step - 1) + 1; place < table.length; place += 1) {
      if (table.value("from_step", place) >= until) break;
      rows.push(table.row(place));
    }
    return rows;
  }

  close() {
    this.scene.picture.remove();
  }
}
