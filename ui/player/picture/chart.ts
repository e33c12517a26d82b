// The plane: event time to the right, arrival down (or up), as one SVG picture of the rows of a step. What lies where
// is found once for a part of the run and a size (layout.ts); a step only exchanges what has changed (scene.ts).
import { valueInAddress } from "../base/address.ts";
import { Table, lastUpTo } from "../base/facts.ts";
import { el, fill, roving, svg, textMetrics, pushButton } from "../base/dom.ts";
import { layOut } from "./layout.ts";
import { Scene } from "./scene.ts";
import { say } from "../base/format.ts";
import { keepText, keptChoice } from "../base/kept.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { PackedTable, PlanePayload } from "../types/player.ts";
import type { Beside, Frame, PartRows, PlaneRow, PlaneSource } from "../types/picture.ts";
import type { Player } from "../player.ts";
import type { Namespace, Part, Signals } from "#types/payload";

type Drawn = { part: Part; up: boolean; numbers: Frame["numbers"] };

// Room (px) for axes and names of windows around the plot; the lanes below use the same left and right.
const PADDING = { left: 74, top: 30, right: 20, bottom: 42 };

/** One picture for as long as its scenario is shown. */
export class Plane {
  container: HTMLElement;
  padding = PADDING;
  sources: PlaneSource[];
  payload: PlanePayload;
  signals: Signals;
  part: Part;
  up = false;
  numbers: Frame["numbers"] = null;
  size: number[] = [0, 0];
  big = 1;
  /** whether the watermark's value is written as a novice reads it */
  rounds = false;
  past = false;
  asks = false;
  scene: Scene;
  /** what the layout is for; null once it is for nothing */
  drawn: Drawn | null = null;

  constructor(container: HTMLElement, payload: PlanePayload) {
    this.container = container;
    const sources = Object.entries(payload.sources) as [PlaneSource["name"], PlaneRow[] | PackedTable][];
    this.sources = sources.map(([name, rows]) => ({ name, table: new Table(rows, payload.strings) }));
    this.payload = payload;
    this.signals = payload.signals;
    this.part = payload.parts[0];
    this.scene = new Scene(container);
  }

  /** Resolves once the font is there, by which texts are measured. */
  async open() {
    await document.fonts?.load("13px 'Source Sans'").catch(() => []);
  }

  /** Draws everything `big` times as large as on a desk. The lanes below do the same, so both keep one scale. */
  enlarge(big: number) {
    this.big = big;
    this.size = [0, 0];
  }

  /** Whether what has not arrived yet is left out; `asks`: also what only the answer to an open question tells. */
  keepFuture(hidden: boolean, asks = false) {
    this.past = hidden;
    this.asks = asks;
  }

  /** The rows of a source at `step`, as far as they are to be seen. */
  rowsAt({ name, table }: PlaneSource, step: number) {
    if (this.past && name === "ahead") return [];
    const rows = table.at(step);
    if (this.rounds && name === "mark") return rows.map((row) => ("round" in row ? { ...row, text: row.round } : row));
    return this.past && name === "sides" ? rows.filter((row) => !("quiet" in row && row.quiet)) : rows;
  }

  /** From now on the part of the run that `step` is in; a run of few records is one part. */
  turn(step: number) {
    const { parts } = this.payload;
    this.part = parts[lastUpTo(parts.length, (index) => parts[index].step, step)];
  }

  /** Left edge and width (px) of the plot, which the lanes share; `holds` says whether a window is in it at all. */
  scale() {
    const { part } = this;
    const { x0, x1 } = part.signals;
    const width = this.size[0] / this.big;
    // In a run of one part, what lies far outside is drawn at the edge.
    const holds = ({ start, end }: Namespace) =>
      start === null || end === null || this.payload.parts.length === 1 || (start < x1 && end > x0);
    return {
      left: this.padding.left,
      width,
      part,
      holds,
      px: (ms: number | null) => ((Math.min(Math.max(ms ?? x0, x0), x1) - x0) / (x1 - x0)) * width,
    };
  }

  /** Takes the size (px) of its container. */
  resize(wide: number, high: number) {
    const { left, right, top, bottom } = this.padding;
    const width = wide - (left + right) * this.big;
    const height = high - (top + bottom) * this.big;
    if (width <= 0 || height <= 0 || (this.size[0] === width && this.size[1] === height)) return;
    this.size = [width, height];
    this.scene.size(wide, high);
    this.drawn = null;
  }

  /** Shows `step`. */
  show(step: number) {
    if (!this.size[0]) return;
    this.lay();
    this.scene.show(
      this.each((source) => this.rowsAt(source, step)),
      this.others(step),
    );
  }

  /**
   * What else stands in the same picture, where two planes lie over each other.
   * @param _step undefined for the layout, which is for all steps
   */
  others(_step?: number): Beside[] {
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

  /** How data become places. */
  frame(): Frame {
    const [width, height] = this.size.map((each) => each / this.big);
    const { x0, x1, y0, y1 } = this.axes();
    const { fontFamily } = getComputedStyle(this.container);
    const inside = (value: number, low: number, high: number) =>
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

  /** Where (px) the middle of a record's mark is in the container; null before it is drawn. */
  placeOf(id: string) {
    const place = this.scene.laid?.at.get(id);
    if (!place) return null;
    return { x: (this.padding.left + place.x) * this.big, y: (this.padding.top + place.y) * this.big };
  }

  /** Rows by source. */
  each(rowsOf: (source: PlaneSource) => PlaneRow[]): PartRows {
    return Object.fromEntries(this.sources.map((source) => [source.name, rowsOf(source)])) as any;
  }

  /** Every row of the part that is shown. */
  rowsOfPart(table: Table<PlaneRow>) {
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

// The orientation of the plane: arrival downward, as one reads, or upward, as in Akidau's figures; the order of
// processing as numbers on the records; and which part of a long run it shows.

const WAY_KEPT = "tidemark.view";

/** The switch at the end of the legend. The browser remembers the choice, and a link carries it (`view=up`). */
export class PlaneView extends PlayerPart {
  node = el("div", "tm-view");
  note = el("div", "tm-part");
  group = el("div", "tm-segments", null, { role: "group", "aria-label": this.player.words.scale.orientation });
  buttons: HTMLButtonElement[] = ["down", "up"].map((way) => {
    const button = pushButton("tm-segment", null, () => this.choose(way), {
      "data-view": way,
      title: `${this.player.words.scale[way]} (Y)`,
      "aria-label": this.player.words.scale[way],
    });
    button.append(axesIcon(way));
    this.group.append(button);
    return button;
  });
  numbered = pushButton("tm-segment tm-numbered", "1·2·3", () => this.number(), {
    title: `${this.player.words.scale.numbers} (R)`,
    "aria-label": this.player.words.scale.numbers,
  });
  way = "down";
  part: Part | null = null;

  constructor(player: Player) {
    super(player);
    roving(this.group);
    this.group.append(this.numbered);
    this.node.append(this.group);
    this.set(valueInAddress(player.payload.name, "view") ?? keptChoice(WAY_KEPT, ["down", "up"]));
    this.setNumbers(valueInAddress(player.payload.name, "order") === "processing");
  }

  /** Takes a way, `up` or anything else for down, without drawing. */
  set(way: string | null) {
    this.way = way === "up" ? "up" : "down";
    this.player.view.view = this.way === "up" ? "up" : null;
    this.player.plane.up = this.way === "up";
    for (const button of this.buttons) {
      button.setAttribute("aria-pressed", String(button.dataset.view === this.way));
      button.tabIndex = button.dataset.view === this.way ? 0 : -1;
    }
  }

  /** Shows the plane this way from now on. */
  choose(way: string) {
    this.set(way);
    keepText(WAY_KEPT, this.way);
    this.player.paint();
    this.player.place.at(this.player.step);
  }

  /** Whether records carry the number of their processing, without drawing. A link says it too (`order=processing`). */
  setNumbers(on: boolean) {
    const { facts, plane, view } = this.player;
    plane.numbers = on ? new Map(facts.all("records").map((row) => [row.id, String(row.item)])) : null;
    view.order = on ? "processing" : null;
    this.numbered.setAttribute("aria-pressed", String(on));
  }

  /** Shows the numbers, or the keys again. */
  number() {
    this.setNumbers(this.player.plane.numbers === null);
    this.player.paint();
    this.player.place.at(this.player.step);
  }

  turn() {
    this.choose(this.way === "up" ? "down" : "up");
  }

  show() {
    const { payload, plane, words } = this.player;
    if (this.part === plane.part || payload.parts.length === 1) return;
    this.part = plane.part;
    if (!this.note.isConnected) this.player.canvas.append(this.note);
    const number = (value: number) => value.toLocaleString("en");
    this.note.textContent = say(words.scale.part, {
      number: payload.parts.indexOf(plane.part) + 1,
      count: payload.parts.length,
      from: number(plane.part.from_record + 1),
      until: number(plane.part.until_record),
    });
  }
}

/** Two axes as an icon: event time to the right, arrival down or up. */
function axesIcon(way: string) {
  const paths =
    way === "up"
      ? "M3 13h10M10.5 10.500L13 13l-2.500 2.500M3 13V2.500M.8 5L3 2.500 5.200 5"
      : "M3 3h10M10.5 .800L13 3l-2.500 2.500M3 3v10.500M.8 11L3 13.500 5.200 11";
  return fill(
    svg("svg", { viewBox: "0 0 16 16", class: "tm-icon", "aria-hidden": "true" }),
    svg("path", {
      d: paths,
      fill: "none",
      stroke: "currentColor",
      "stroke-width": "1.500",
      "stroke-linecap": "round",
      "stroke-linejoin": "round",
    }),
  );
}
