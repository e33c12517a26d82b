// The plane: holds the Vega view, gives it the rows of the step, its size and the page's colours.
import { Table, lastUpTo } from "../base/facts.js";
/** @import { Namespace, Part, PlaneRow } from "../types/payload.d.ts" */
/** @import { PackedTable, PlanePayload } from "../types/player.d.ts" */

const COLOURS = {
  ink: "ink",
  ink2: "ink2",
  ink3: "ink3",
  surface: "surface",
  band: "band",
  behind: "behind",
  line: "line",
  line2: "line2",
  on_time: "on-time",
  late: "late",
  dropped: "dropped",
  fired: "fired",
  ahead: "ahead",
};

// Sources whose rows are quiet while their record is still ahead.
const QUIET = new Set(["labels", "sides"]);

/** Vega, unpacked by its own component (ui/charts/vega.py) or by the exported page. */
function vega() {
  const ready = (globalThis.tidemarkVega ??= {});
  ready.promise ??= new Promise((resolve) => {
    ready.resolve = resolve;
  });
  return ready.promise;
}

/** One chart for as long as its scenario is shown. */
export class Plane {
  /**
   * @param {HTMLElement} container
   * @param {PlanePayload} payload
   */
  constructor(container, payload) {
    this.container = container;
    this.padding = payload.spec.padding;
    /** @type {[string, PlaneRow[] | PackedTable][]} */
    const sources = Object.entries(payload.sources);
    this.sources = sources.map(([name, rows]) => ({
      name,
      table: new Table(rows, payload.strings),
      shown: new Set(),
    }));
    this.payload = payload;
    this.signals = payload.signals;
    this.part = payload.parts[0];
    this.up = false;
    /** @type {any} the Vega view, once it is there */
    this.view = null;
    /** @type {{ part: Part, up: boolean } | null} */
    this.drawn = null;
    /** @type {Promise<void> | null} */
    this.busy = null;
    /** @type {number | null} */
    this.wanted = null;
    this.size = [0, 0];
    this.big = 1;
    this.past = false;
  }

  async open() {
    const { View, changeset, parse } = await vega();
    this.changeset = changeset;
    await document.fonts?.load("13px 'Source Sans'").catch(() => []);
    const view = new View(parse(this.payload.spec), { renderer: "canvas", container: this.container, hover: false });
    for (const [name, value] of Object.entries(this.signals)) view.signal(name, value);
    this.view = view;
    this.colour();
  }

  /**
   * Draws everything `big` times as large as on a desk. The lanes below do the same, so both keep one scale.
   * @param {number} big
   */
  enlarge(big) {
    this.big = big;
    this.drawn = null;
    this.size = [0, 0];
    this.view
      ?.signal("big", big)
      .padding(Object.fromEntries(Object.entries(this.padding).map(([side, px]) => [side, px * big])));
  }

  /**
   * Diameter (px) of a record's mark.
   * @param {number} px
   */
  dot(px) {
    return this.big > 1 ? px * 1.3 : px;
  }

  /**
   * Whether what has not arrived yet is left out.
   * @param {boolean} hidden
   */
  keepFuture(hidden) {
    this.past = hidden;
  }

  /**
   * The rows of a source at `step`, as far as they are to be seen.
   * @param {{ name: string, table: Table<PlaneRow> }} source
   * @param {number} step
   */
  rowsAt({ name, table }, step) {
    const rows = this.past && name === "ahead" ? [] : table.at(step);
    return this.past && QUIET.has(name) ? rows.filter((row) => !row.quiet) : rows;
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

  colour() {
    if (!this.view) return;
    const style = getComputedStyle(this.container);
    for (const [signal, token] of Object.entries(COLOURS)) {
      this.view.signal(signal, style.getPropertyValue(`--tm-${token}`).trim());
    }
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
    if (!this.view || width <= 0 || height <= 0 || (this.size[0] === width && this.size[1] === height)) return;
    this.size = [width, height];
    this.view.width(width).height(height);
  }

  /**
   * Shows `step`; of many calls while it draws only the last one counts.
   * @param {number} step
   */
  show(step) {
    this.wanted = step;
    this.busy ??= this.draw().finally(() => {
      this.busy = null;
    });
    return this.busy;
  }

  async draw() {
    while (this.wanted !== null) {
      const step = this.wanted;
      this.wanted = null;
      if (!this.view) return;
      this.turnView();
      for (const source of this.sources) {
        const rows = new Set(this.rowsAt(source, step));
        const gone = [...source.shown].filter((row) => !rows.has(row));
        const come = [...rows].filter((row) => !source.shown.has(row));
        if (!gone.length && !come.length) continue;
        source.shown = rows;
        if (source.name === "now" && rows.size) this.view.signal("now_y", [...rows][0].y);
        this.view.change(source.name, this.changeset().remove(gone).insert(come));
      }
      await this.view.runAsync();
    }
  }

  /** Gives the view the axes of the part, and its direction: upward the ends of the arrival axis are exchanged. */
  turnView() {
    if (this.drawn?.part === this.part && this.drawn.up === this.up) return;
    this.drawn = { part: this.part, up: this.up };
    for (const [name, value] of Object.entries(this.part.signals)) this.view.signal(name, value);
    const { y0, y1 } = this.part.signals;
    const [first, last, down] = this.up ? [y1, y0, -1] : [y0, y1, 1];
    this.view.signal("y0", first).signal("y1", last).signal("down", down);
    const { arrival_axis: axis, style, words } = this.payload;
    const upward = words.scale[axis === "item" ? "axis_item" : style.style === "clock" ? "axis_at" : "axis_at_s"];
    this.view.signal("y_title", this.up ? upward : this.signals.y_title);
    this.view.signal("dot", this.dot(this.signals.dot));
  }

  close() {
    this.view?.finalize();
    this.view = null;
  }
}
