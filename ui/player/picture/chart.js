// The plane: holds the Vega view, gives it the rows of the step, its size and the page's colours.
import { Table, lastUpTo } from "../base/facts.js";

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
  constructor(container, payload) {
    this.container = container;
    this.padding = payload.spec.padding;
    this.sources = Object.entries(payload.sources).map(([name, rows]) => ({
      name,
      table: new Table(rows, payload.strings),
      shown: new Set(),
    }));
    this.payload = payload;
    this.signals = payload.signals;
    this.part = payload.parts[0];
    this.up = false;
    this.view = null;
    this.busy = null;
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

  /** Draws everything `big` times as large as on a desk. The lanes below do the same, so both keep one scale. */
  enlarge(big) {
    this.big = big;
    this.drawn = null;
    this.size = [0, 0];
    this.view
      ?.signal("big", big)
      .padding(Object.fromEntries(Object.entries(this.padding).map(([side, px]) => [side, px * big])));
  }

  /** Diameter (px) of a record's mark. */
  dot(px) {
    return this.big > 1 ? px * 1.3 : px;
  }

  /** Whether what has not arrived yet is left out. */
  keepFuture(hidden) {
    this.past = hidden;
  }

  /** The rows of a source at `step`, as far as they are to be seen. */
  rowsAt({ name, table }, step) {
    const rows = this.past && name === "ahead" ? [] : table.at(step);
    return this.past && QUIET.has(name) ? rows.filter((row) => !row.quiet) : rows;
  }

  /** From now on the part of the run that `step` is in; a run of few records is one part. */
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
    const holds = ({ start, end }) => start === null || this.payload.parts.length === 1 || (start < x1 && end > x0);
    return {
      left: this.padding.left,
      width,
      part,
      holds,
      px: (ms) => ((Math.min(Math.max(ms, x0), x1) - x0) / (x1 - x0)) * width,
    };
  }

  colour() {
    if (!this.view) return;
    const style = getComputedStyle(this.container);
    for (const [signal, token] of Object.entries(COLOURS)) {
      this.view.signal(signal, style.getPropertyValue(`--tm-${token}`).trim());
    }
  }

  /** Takes the size (px) of its container. */
  resize(wide, high) {
    const { left, right, top, bottom } = this.padding;
    const width = wide - (left + right) * this.big;
    const height = high - (top + bottom) * this.big;
    if (!this.view || width <= 0 || height <= 0 || (this.size[0] === width && this.size[1] === height)) return;
    this.size = [width, height];
    this.view.width(width).height(height);
  }

  /** Shows `step`; of many calls while it draws only the last one counts. */
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
    const sign = this.up ? ["y1", "y0", -1] : ["y0", "y1", 1];
    if (this.drawn?.part === this.part && this.drawn.up === this.up) return;
    this.drawn = { part: this.part, up: this.up };
    for (const [name, value] of Object.entries(this.part.signals)) this.view.signal(name, value);
    this.view.signal("y0", this.part.signals[sign[0]]).signal("y1", this.part.signals[sign[1]]).signal("down", sign[2]);
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
