// The layers of the plane, from the back to the front: they show the rows of a step where the layout has put them.
import { svg } from "../base/dom.ts";
import { Axes, NowPill } from "./axes.ts";
import { around, interrupted, overlap } from "./labels.ts";
import {
  Layer,
  emittedMark,
  lineThrough,
  names,
  put,
  px,
  recordLabel,
  recordMark,
  resultMark,
  ringsOf,
  sideMark,
  textAt,
} from "./svg.ts";
import { Moment } from "./moment.ts";
import type { Beside, Box, Frame, Label, Laid, PartRows, Place } from "../types/picture.ts";
import type { PartSignals, ResultBar, Side } from "#types/payload";

export class Scene {
  picture = svg("svg", { class: "tm-picture", "aria-hidden": "true" });
  field = svg("g");
  bands: Layer;
  behind: SVGPathElement;
  borders: SVGPathElement;
  axes = new Axes(this.field);
  ideal: Layer;
  stops: Layer;
  connectors: SVGPathElement;
  bars: Layer;
  ended: SVGPathElement;
  segments: SVGPathElement;
  down: SVGPathElement;
  nowLine: SVGPathElement;
  /** What a Why card draws: lines under the records, and its notes on top. */
  whyLines = svg("g", { class: "tm-gap-lines" });
  arrow: SVGPathElement;
  sides: Layer;
  records: Layer;
  rings: Layer;
  results: Layer;
  emitted: Layer;
  names: Layer;
  labels: Layer;
  value: SVGTextElement = svg("text", { class: "tm-pic-value", ...names("watermark", "watermark") });
  whyNotes = svg("g", { class: "tm-gap-notes" });
  pill = new NowPill(this.field);
  /** where everything is; null before there is a size */
  laid: Laid | null = null;
  frame: Frame | null = null;
  /** the room that the step leaves */
  moment: Moment | null = null;
  shown: PartRows | null = null;
  others: Beside[] = [];
  /** where the step stands over the labels of the axes */
  taken: Box[] = [];
  /** where the watermark's value stands */
  valueBox: Box | null = null;

  constructor(container: HTMLElement) {
    this.picture.append(this.field);
    const layer = (name: string) => new Layer(this.field, name);
    const path = (name: string) => {
      const node = svg("path", { class: `tm-pic-${name}` });
      this.field.append(node);
      return node;
    };
    this.bands = layer("bands");
    this.behind = path("behind");
    this.borders = path("borders");
    this.ideal = layer("ideal");
    this.stops = layer("stops");
    this.connectors = path("connectors");
    this.bars = layer("bars");
    this.ended = path("ended");
    this.segments = path("segments");
    this.down = path("down");
    this.nowLine = path("now-line");
    this.field.append(this.whyLines);
    this.arrow = path("arrow");
    this.sides = layer("sides");
    this.records = layer("records");
    this.rings = layer("rings");
    this.results = layer("results");
    this.emitted = layer("emitted");
    this.names = layer("names");
    this.labels = layer("labels");
    this.field.append(this.value);
    this.field.append(this.whyNotes);
    container.append(this.picture);
  }

  size(wide: number, high: number) {
    put(this.picture, "width", wide);
    put(this.picture, "height", high);
    put(this.picture, "viewBox", `0 0 ${wide} ${high}`);
  }

  /** Takes a layout: everything is drawn again. */
  lay(
    laid: Laid,
    frame: Frame,
    {
      signals,
      titles,
      left,
      top,
      big,
    }: { signals: PartSignals; titles: { x: string; y: string }; left: number; top: number; big: number },
  ) {
    this.laid = laid;
    this.frame = frame;
    put(this.field, "transform", `scale(${big}) translate(${left} ${top})`);
    this.axes.lay(signals, frame, titles);
    for (const layer of Object.values(this)) if (layer instanceof Layer) layer.clear();
  }

  /**
   * The rows of a step.
   * @param others what else stands in the same picture
   */
  show(shown: PartRows, others: Beside[] = []) {
    const { laid, frame } = this;
    if (!laid || !frame) return;
    this.shown = shown;
    this.others = others;
    this.moment = new Moment(laid, frame, shown, others);
    this.ground(shown, laid, frame);
    this.lines(shown, laid, frame);
    this.marks(shown, laid);
    this.present(shown, frame);
    this.label();
  }

  /** Windows, what the watermark has passed, and the names of windows. */
  ground(shown: PartRows, laid: Laid, frame: Frame) {
    const { x, y, height } = frame;
    this.bands.show(shown.bands, {
      draw: (row) => {
        const node = svg("g");
        const wide = x(row.x2) - x(row.x);
        if (row.shaded) node.append(svg("rect", { x: px(x(row.x)), width: px(wide), height: px(height) }));
        const middle = laid.windows.get(row);
        if (middle !== undefined) {
          const place = { "text-anchor": "middle", ...names("window", `band:${row.x}`) };
          node.append(textAt(row.text, middle, -10, place));
        }
        return node;
      },
    });
    const behind = shown.behind.map((row) => {
      const [left, top] = [x(row.x), y(row.y)];
      return `M${px(left)} ${px(top)}H${px(x(row.x2))}V${px(y(row.y2))}H${px(left)}z`;
    });
    put(this.behind, "d", behind.join(""));
    put(this.borders, "d", shown.borders.map((row) => `M${px(x(row.x))} -22V${px(height)}`).join(""));
  }

  lines(shown: PartRows, laid: Laid, frame: Frame) {
    const { y, width } = frame;
    this.ideal.show(shown.ideal, { draw: (row) => svg("path", { d: lineThrough([row], frame) }) });
    this.stops.show(shown.stops, {
      draw: (row) => svg("path", { d: `M0 ${px(y(row.y))}H${px(width)}` }),
    });
    put(this.connectors, "d", lineThrough(shown.connectors, frame));
    put(this.connectors, "class", `tm-pic-connectors${laid.dot < 12 ? " tm-faint" : ""}`);
    put(this.ended, "d", lineThrough(shown.segments.filter((row) => row.ended), frame)); // prettier-ignore
    put(this.segments, "d", lineThrough(shown.segments.filter((row) => !row.ended), frame)); // prettier-ignore
    put(this.segments, "stroke-width", laid.dot < 12 ? 3 : 4);
  }

  marks(shown: PartRows, laid: Laid) {
    const { at } = laid;
    const known = (row: { id: string }) => at.has(row.id);
    const placeOf = (row: { id: string }) => at.get(row.id) as Place;
    const pointed = shown.sides.filter((row) => laid.pointers.has(row.id));
    this.sides.show(pointed, { draw: (row) => sideMark(row, laid.pointers.get(row.id) as Place) });
    const records = [...shown.ahead, ...shown.records].filter(known);
    this.records.show(records, { draw: (row) => recordMark(row, placeOf(row), laid) });
    const rings = ringsOf(shown.halo, laid);
    this.rings.show(rings, {
      key: ({ id }) => id,
      draw: ({ x, y, r }) => svg("circle", { cx: px(x), cy: px(y), r: px(r) }),
    });
    this.moment?.ring(rings);
    // What is emitted again after a restore stands where it stood before: only the newest of a place is drawn.
    const newest = new Map(shown.boxes.map((row) => [row.place, row]));
    this.results.show(
      [...newest.values()].filter((row) => laid.results.has(row.place)),
      { draw: (row) => resultMark(row, laid.results.get(row.place) as any) },
    );
    this.emitted.show(
      shown.emitted.filter((row) => laid.emitted.has(row)),
      { draw: (row) => emittedMark(row, laid.emitted.get(row) as Place) },
    );
  }

  /** The present moment at the arrival axis, and the end of the watermark's line with its value. */
  present(shown: PartRows, frame: Frame) {
    const { x, y, down, wide } = frame;
    const [now] = shown.now;
    const [mark] = shown.mark;
    const taken: Box[] = (this.taken = []);
    // Marks at the edge of the plot reach over the axis: the pill stands beside them, and labels of ticks give way.
    const atEdge = this.moment?.atEdge() ?? [];
    taken.push(...atEdge);
    const pill = this.pill.show(now?.text ?? "", { middle: now ? y(now.y) : 0, atEdge, wide });
    if (pill) taken.push(pill);
    if (pill) this.moment?.clear(pill);
    const moved = mark?.moved;
    const tip = down * 4;
    put(this.arrow, "d", moved ? `M${px(x(mark.x) - 5)} ${px(y(mark.y) - tip)}h10l-5 ${2 * tip}z` : "");
    put(this.value, "visibility", mark ? "inherit" : "hidden");
    this.valueBox = null;
    if (mark && this.moment) {
      const { box, left, baseline, axis } = this.moment.value(mark, this.axes.title);
      this.valueBox = box;
      if (axis) taken.push(box);
      put(this.value, "x", px(left));
      put(this.value, "y", px(baseline));
      if (this.value.textContent !== mark.text) this.value.textContent = mark.text;
    }
    this.giveWay();
  }

  /** Labels of the axes give way to what stands there at the step. */
  giveWay(taken = this.taken) {
    this.axes.giveWay((box) => taken.some((each) => overlap(each, box)));
  }

  /** Takes the notes of a Why card away; their room is free again, and labels that gave way to them are back. */
  forgetNotes() {
    if (!this.shown || !this.whyNotes.hasChildNodes()) return;
    this.whyLines.replaceChildren();
    this.whyNotes.replaceChildren();
    this.show(this.shown, this.others);
  }

  /** Labels, except those that give way at this step. */
  label() {
    const { laid, shown, moment } = this;
    if (!laid || !shown || !moment) return;
    const { hidden } = moment;
    const texts = [
      ...(laid.ideal && !hidden.has("ideal") ? shown.ideal : []).map((row) => ({ row, kind: "ideal", at: laid.ideal })),
      ...shown.stops.map((row) => ({ row, kind: "stop", at: laid.stops.get(row) })),
    ];
    this.names.show(
      texts.filter(({ at }) => at),
      {
        key: ({ row }) => row,
        draw: ({ row, kind, at }) => {
          const { left, baseline } = at as Label;
          return textAt(row.text, left, baseline, { class: `tm-pic-${kind}-name`, ...names(kind, kind) });
        },
      },
    );
    const records = [...shown.ahead, ...shown.records];
    this.labels.show(
      records.filter((row) => laid.records.has(row.id) && !hidden.has(row.id)),
      { draw: (row) => recordLabel(row, laid.records.get(row.id) as Label, laid) },
    );
    const boxes = [
      ...texts.map(({ at }) => at?.box),
      ...records.map(({ id }) => (hidden.has(id) ? null : laid.records.get(id)?.box)),
      this.valueBox,
    ];
    this.underTexts(boxes.filter((box) => box !== null && box !== undefined));
  }

  /** The dotted lines of the present moment and the lines of results, interrupted where texts stand. */
  underTexts(texts: Box[]) {
    const { shown, frame } = this;
    if (!shown || !frame) return;
    const { x, y, width, height } = frame;
    const barOf = (row: ResultBar) =>
      interrupted(Math.min(x(row.x), x(row.x2)), Math.max(x(row.x), x(row.x2)), y(row.y), texts)
        .map(([from, to]) => `M${px(from)} ${px(y(row.y))}H${px(to)}`)
        .join("");
    this.bars.show(shown.bars, {
      sign: barOf,
      draw: (row) => svg("path", { d: barOf(row), "data-id": row.id }),
    });
    const [now] = shown.now;
    const across = now ? interrupted(0, width, y(now.y), texts) : [];
    put(this.nowLine, "d", across.map(([from, to]) => `M${px(from)} ${px(y(now.y))}H${px(to)}`).join(""));
    const [mark] = shown.mark;
    const down = mark?.moved ? interrupted(y(mark.y), height, x(mark.x), texts, { upright: true }) : [];
    put(this.down, "d", down.map(([from, to]) => `M${px(x(mark.x))} ${px(from)}V${px(to)}`).join(""));
  }
}

// Where the small pointers stand that say by which side a record came in: beside its mark, on no other one.

const REACH = 4;
const AWAY = 6;

/**
 * The middle of the pointer of each record, by id. It stands on the record's side, else below or above the mark; a
 * record without any room has none.
 * @param at the middles of the marks
 * @param dot the diameter of a mark, px
 */
export function pointersOf(rows: Side[], at: Map<string, Place>, dot: number): Map<string, Place> {
  const away = dot / 2 + AWAY;
  const found: Map<string, Place> = new Map();
  for (const { id, right } of rows) {
    const mark = at.get(id);
    if (!mark || found.has(id)) continue;
    const way = right ? 1 : -1;
    const places = [
      { x: mark.x + way * away, y: mark.y },
      { x: mark.x + way * REACH, y: mark.y + away },
      { x: mark.x + way * REACH, y: mark.y - away },
    ];
    const free = places.find((place) => clear(place, at, dot / 2 + REACH) && clear(place, found, 2 * REACH));
    if (free) found.set(id, free);
  }
  return found;
}

export function pointerBox(place: Place): Box {
  return around(place, REACH);
}

/**
 * Whether nothing of `others` is nearer than `distance`.
 * @param distance px
 */
function clear({ x, y }: Place, others: Map<string, Place>, distance: number) {
  for (const other of others.values()) if (Math.hypot(other.x - x, other.y - y) < distance) return false;
  return true;
}
