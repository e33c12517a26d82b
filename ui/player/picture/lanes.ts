// Lanes under the plane, on its x scale: each key's windows with contents, result and state, or its sorting queue.
import { el, fill, icon, svg } from "../base/dom.ts";
import { Table, keyId, type Facts } from "../base/facts.ts";
import { say, short, valueText, type Times } from "../base/format.ts";
import { boxFacts, chipText, drawBox, resultText } from "./box_drawing.ts";
import { BOX_LOOKS, layBox } from "./box_layout.ts";
import { Fold, foldOf } from "./fold.ts";
import { drawQueue } from "./queue.ts";
import { Layer, put, px, textAt } from "./svg.ts";
import { shortenedTo, widthOf } from "./labels.ts";
import { keyText } from "../base/reading.ts";
import type { BoxFacts, LanePlace, LaneSize, OutputFact, Scale } from "../types/player.ts";
import type { Place } from "../types/picture.ts";
import type { KeptBar, LaneQueue, LaneVersions, LaneWindow } from "../types/lanes.ts";
import type { Player } from "../player.ts";
import type { Json, Lane, PlainKey, StateFact, WindowFact } from "#types/payload";

// Sizes (px) from roomy to dense: a track, its box, and whether the bar of kept state has room.
const LANE_SIZES: LaneSize[] = [
  { name: "full", track: 60, box: 40, kept: true },
  { name: "mid", track: 42, box: 28, kept: true },
  { name: "small", track: 24, box: 20, kept: false },
  { name: "tiny", track: 12, box: 9, kept: false },
];
const BETWEEN_LANES = 7;
// The line of the watermark begins above the lanes; at the right end stands the name of the axis there.
const LINE_ABOVE = 14;
const AXIS_NAME = 90;

export class Lanes {
  container: HTMLElement;
  /** How much of the picture's height it may take. */
  share = 0.36;
  player: Player;
  rows: Lane[];
  tracks: Record<string, number>;
  joins: boolean;
  slices: boolean;
  named: boolean;
  sorts: boolean;
  hasVersions: boolean;
  picture = svg("svg", { class: "tm-lane-picture" });
  line = svg("path", { class: "tm-lane-watermark" });
  rules = svg("path", { class: "tm-lane-rule" });
  layers;
  versions: Layer;
  ghosts: Layer;
  body = el("div", "tm-lane-rows");
  index: Map<string, number>;
  chosen: number | null = null;
  fold: Fold | null = null;
  places: (LanePlace | undefined)[] = [];
  size: LaneSize = LANE_SIZES[0];
  height = 0;

  constructor(container: HTMLElement, player: Player) {
    this.container = container;
    this.player = player;
    this.rows = player.payload.lanes.rows;
    this.tracks = player.payload.lanes.tracks;
    this.joins = player.payload.lanes.joins;
    this.slices = player.payload.lanes.slices;
    // Windows that overlap have no names over the plane.
    this.named = new Table(player.payload.sources.bands).length === 0;
    this.sorts = player.facts.table("queue").length > 0;
    this.hasVersions = player.facts.table("versions").length > 0;
    this.picture.append(this.line, this.rules);
    const layer = (name: string) => new Layer(this.picture, name);
    this.layers = {
      keys: layer("keys"),
      kept: layer("kept"),
      boxes: layer("boxes"),
      slices: layer("slices"),
      queues: layer("queues"),
    };
    this.versions = layer("versions");
    this.ghosts = layer("ghosts");
    fill(container, this.body);
    this.index = new Map(this.rows.map((row, index) => [keyId(row.key), index]));
  }

  /** Chooses the size that fits `most` px, for the whole run, so that nothing jumps. */
  layout(most: number) {
    this.fold?.close();
    const folded = foldOf(this.rows, LANE_SIZES, most);
    this.fold = folded && new Fold(this.player, this, folded, most);
    // Folded, the lanes hold a control; what they show stands in the tables for those who cannot see it.
    if (folded) this.container.removeAttribute("aria-hidden");
    else this.container.setAttribute("aria-hidden", "true");
    if (this.fold) this.layoutFolded(this.fold, most);
    else this.layoutOpen(most);
    put(this.picture, "height", this.height);
    for (const each of [...Object.values(this.layers), this.versions, this.ghosts]) each.clear();
  }

  layoutOpen(most: number) {
    const tracks = this.rows.reduce((sum, row) => sum + row.tracks, 0);
    const needs = (size: LaneSize) => tracks * size.track + this.rows.length * BETWEEN_LANES + 4;
    this.size = LANE_SIZES.find((size) => needs(size) <= most) ?? LANE_SIZES[LANE_SIZES.length - 1];
    const height = this.rows.length ? Math.min(needs(this.size), Math.max(most, 40)) : 0;
    this.container.style.height = `${height}px`;
    let top = 4;
    this.places = this.rows.map((row) => {
      const place = { top, height: row.tracks * this.size.track };
      top += place.height + BETWEEN_LANES;
      return place;
    });
    this.height = this.rows.length ? top : 0;
    this.body.classList.toggle("tm-scrolls", this.height > Math.ceil(height) + 1);
    fill(this.body, this.picture);
  }

  /** Some keys lie open, and strips of all of them are below. */
  layoutFolded(fold: Fold, most: number) {
    this.size = fold.size;
    this.height = most;
    this.container.style.height = `${most}px`;
    this.body.classList.remove("tm-scrolls");
    fill(this.body, this.picture, fold.choice, fold.strips.node);
  }

  show(step: number) {
    const { facts, plane } = this.player;
    const scale = plane.scale();
    const touched = new Set(facts.at("steps", step)[0]?.touches ?? []);
    if (this.fold) this.places = this.fold.show(step, scale, touched);
    this.drawRules(scale);
    this.layers.keys.show(this.lanesFromTop(), {
      key: ({ lane }) => lane,
      sign: ({ place }) => `${place.top} ${scale.left}`,
      draw: ({ lane, place }) => this.key(lane, place, scale),
    });
    const windows = this.windowsAt(step, scale);
    const mark = (node: Element, { row }: { row: { id: string } }) =>
      node.classList.toggle("tm-touched", touched.has(row.id));
    this.layers.boxes.show(windows, {
      key: ({ row }) => row,
      sign: ({ sign }) => sign,
      draw: (each) => this.box(each),
      move: mark,
    });
    const bars: KeptBar[] = this.size.kept ? keptBars(windows, scale, this.size, this.player) : [];
    this.layers.kept.show(bars, {
      key: ({ row }) => row,
      sign: ({ from, to, y, over, lower, text }) => [from, to, y, over, lower, text].join(" "),
      draw: (bar) => drawKept(bar, scale.left),
    });
    this.layers.slices.show(
      this.slices ? slicesAt(facts, step, scale, (row) => this.placeOf(row), this.size.box, this.player.times) : [],
      {
        key: ({ row }) => row,
        sign: ({ sign }) => sign,
        draw: (slice) => drawSlice(slice, this.sliceName(slice.row)),
        move: mark,
      },
    );
    this.ghosts.show(this.merged(step, scale), { draw: (node) => node });
    this.layers.queues.show(this.sorts ? this.queuesAt(step, scale) : [], {
      key: ({ id }) => id,
      sign: ({ sign }) => sign,
      draw: (queue) => drawQueue(queue, step, scale, this.size.name, this.player),
    });
    this.versions.show(this.hasVersions ? this.versionsAt(step, scale) : [], {
      key: ({ id }) => id,
      sign: ({ sign }) => sign,
      draw: (versions) => drawVersions(versions, scale, this.size.name),
    });
    this.drawLine(step, scale);
  }

  /** The middles of the boxes that are drawn, by the holder of what they contain. */
  boxes(): Map<string, Place> {
    const drawn = [...this.layers.boxes.kept] as [WindowFact, { node: SVGElement }][];
    return new Map(
      drawn.map(([row, { node }]) => {
        const [x, y] = (node.getAttribute("transform")?.match(/-?[\d.]+/g) ?? []).map(Number);
        const ground = node.querySelector(".tm-lane-ground");
        const half = (name: string) => Number(ground?.getAttribute(name)) / 2;
        return [row.holder, { x: x + half("width"), y: y + half("height") }];
      }),
    );
  }

  /** The lanes that lie open, from the top. */
  lanesFromTop() {
    return this.places
      .flatMap((place, lane) => (place ? [{ lane, place }] : []))
      .sort((a, b) => a.place.top - b.place.top);
  }

  key(lane: number, place: LanePlace, scale: Scale) {
    const middle = middleOf(place, this.size);
    const word = this.fold ? "" : this.player.words.key;
    const choice = this.fold !== null && place.top === this.fold.tops[0];
    return drawKey(this.rows[lane].key, scale.left, middle, word, this.size, choice);
  }

  /** Lines between the lanes. */
  drawRules(scale: Scale) {
    const tops = this.fold ? this.fold.rules : this.places.slice(1).map((place) => (place as LanePlace).top);
    put(
      this.rules,
      "d",
      tops.map((top) => `M${scale.left - 40} ${top - 4.5}H${px(scale.left + scale.width)}`).join(""),
    );
  }

  /** The line of now: of the watermark, or of the clock where windows end by it. */
  drawLine(step: number, scale: Scale) {
    const { facts, payload } = this.player;
    const value = facts.at(payload.time === "processing" ? "clock" : "watermark", step)[0]?.value ?? null;
    // Left of the axis there is no place for it: the plane has an arrow there.
    const there = value !== null && value >= scale.part.signals.x0 && this.rows.length > 0;
    const x = scale.px(value);
    const top = x > scale.width - AXIS_NAME || this.body.classList.contains("tm-scrolls") ? 2 : -LINE_ABOVE;
    put(this.line, "d", there ? `M${px(scale.left + x)} ${top}V${this.height}` : "");
  }

  /** The windows of a step, each with its place. */
  windowsAt(step: number, scale: Scale): LaneWindow[] {
    const { facts } = this.player;
    return facts.at("windows", step).flatMap((row) => {
      const place = this.placeOf(row);
      const span = this.player.times.onAxis(row);
      if (!place || row.status === "merged" || !scale.holds(span)) return [];
      const found = boxFacts(facts, row, step);
      const y = place.top + (this.tracks[row.id] ?? 0) * this.size.track;
      // A lane that has not room for all of its tracks shows those that it has room for.
      if (this.fold && y + this.size.box > place.top + place.height + 1) return [];
      const from = row.start === null ? 0 : scale.px(span.start);
      const to = row.start === null ? scale.width : scale.px(span.end);
      const wide = Math.max(to - from - 3, 3);
      const sign = `${found.sign} ${scale.part.step} ${y} ${scale.left + from} ${wide}`;
      return [{ row, found, sign, x: scale.left + from + 1.5, y, wide, high: this.size.box }];
    });
  }

  placeOf(row: { key: WindowFact["key"] }) {
    return this.places[this.index.get(keyId(row.key)) ?? -1];
  }

  sliceName({ start, end }: { start: number | null; end: number | null }) {
    const { times, words } = this.player;
    return say(words.slice_of, { window: times.window(start, end) });
  }

  box(window: LaneWindow) {
    const { row, found, wide } = window;
    const { words, times } = this.player;
    const look = BOX_LOOKS[this.size.name];
    const name = this.named && row.start !== null ? times.window(row.start, row.end) : "";
    const laid = look ? layBox(row, found, wide, { words, look, inputs: this.joins, name }) : null;
    const title = !laid || laid.cut ? this.inWords(row, found) : "";
    return drawBox(window, laid, look, title);
  }

  /** What a window holds and what it gave, where not all of it has room in the box. */
  inWords(row: WindowFact, { contents, outputs }: BoxFacts) {
    const held = contents.map(chipText).join(", ");
    const result = row.result === null ? "" : ` = ${valueText(row.result)}`;
    const results = outputs.map((fact) => resultText(fact.row, 60)).join(", ");
    const name = this.player.times.window(row.start, row.end);
    return [name, `${held}${result}`, results].filter(Boolean).join(" · ");
  }

  /** At the step of a merge: the outlines that windows had, in the one that they went into. */
  merged(step: number, scale: Scale) {
    const { facts } = this.player;
    return facts.at("windows", step).flatMap((row) => {
      const place = this.placeOf(row);
      if (!place || row.status !== "merged" || row.from_step !== step) return [];
      const span = this.player.times.onAxis(row);
      if (!scale.holds(span)) return [];
      const from = scale.px(span.start);
      return [
        svg("rect", {
          x: px(scale.left + from + 1.5),
          y: px(place.top + (this.tracks[row.merged_into ?? ""] ?? 0) * this.size.track),
          width: px(Math.max(scale.px(span.end) - from - 3, 3)),
          height: this.size.box,
          rx: 5,
          class: "tm-lane-ghost",
          "data-id": row.id,
        }),
      ];
    });
  }

  /** The sorting queues, a lane for each key. */
  queuesAt(step: number, scale: Scale): LaneQueue[] {
    const { facts } = this.player;
    const waiting = Map.groupBy(facts.at("queue", step), (row) => keyId(row.key));
    const emitted = facts.at("outputs", step).filter((fact) => this.isReleased(fact));
    const frames = Map.groupBy(facts.at("frames", step), (row) => keyId(row.key));
    const released = Map.groupBy(emitted, (fact) => keyId(fact.row.key));
    return this.rows.flatMap((row, lane) => {
      const id = keyId(row.key);
      const [queue, out] = [waiting.get(id) ?? [], released.get(id) ?? []];
      const frame = (frames.get(id) ?? []).sort((a, b) => a.ts - b.ts || a.order - b.order);
      const place = this.places[lane];
      if (!place) return [];
      const top = place.top + (this.hasVersions ? this.size.track : 0);
      const sign = [
        scale.part.step,
        place.top,
        scale.width,
        out.length,
        out.at(-1)?.from_step === step,
        ...[...queue, ...frame].map((each) => each.id),
      ].join(" ");
      return [{ id, sign, waiting: queue, released: out, frame, top }];
    });
  }

  /** Whether a row shows that a waiting one has left: sorted, with its aggregate, or joined with its version. */
  isReleased({ row }: OutputFact) {
    return row.row === "emitted" || (row.row === "joined" && this.hasVersions);
  }

  /** The versions of a temporal join, a track for each key. */
  versionsAt(step: number, scale: Scale): LaneVersions[] {
    const { facts } = this.player;
    const byKey = Map.groupBy(facts.at("versions", step), (row) => keyId(row.key));
    const joined = facts.at("outputs", step).find((fact) => fact.from_step === step && fact.row.row === "joined")?.row;
    return this.rows.flatMap((row, lane) => {
      const id = keyId(row.key);
      const place = this.places[lane];
      if (!place) return [];
      const rows = byKey.get(id) ?? [];
      const meets = joined && joined.key !== undefined && keyId(joined.key) === id ? (joined.timestamp ?? null) : null;
      const version = rows.find((each) => meets !== null && each.ts <= meets && (each.until ?? Infinity) > meets);
      const met = version && meets !== null ? { version: version.id, ts: meets } : null;
      const facets = rows.map((each) => `${each.id}:${each.until}`);
      const sign = [scale.part.step, place.top, scale.width, met?.version, met?.ts, ...facets].join(" ");
      return [{ id, sign, rows, met, top: place.top, below: place.top + this.size.track }];
    });
  }
}

// Bars of state that is kept beyond the end of a window. Those of a row give way to one another, and a label to a bar.

const KEPT_TEXT = 12;
const SHORTEST = 4;
const APART = 6;

/** The bars of these windows. */
function keptBars(
  windows: LaneWindow[],
  scale: Scale,
  size: LaneSize,
  { words, times }: Pick<Player, "words" | "times">,
): KeptBar[] {
  const bars: (KeptBar & { texts: string[] })[] = [];
  for (const { row, y } of windows) {
    const { end } = times.onAxis(row);
    if (row.kept_until === null || end === null || row.kept_until <= end) continue;
    const [from, to] = [scale.px(end), scale.px(row.kept_until)];
    if (to - from <= SHORTEST) continue;
    const over = row.status === "cleared";
    const fields = { time: times.exact(row.kept_until), window: times.window(row.start, row.end) };
    const texts = size.name === "full" && !over ? [say(words.kept_of, fields), say(words.kept_to, fields)] : [];
    bars.push({ row, from, to, y: y + size.box + 3, over, lower: false, text: "", texts });
  }
  bars.sort((a, b) => a.from - b.from);
  const meet = (bar: KeptBar, y: number, from: number, to: number) => bar.y === y && bar.from < to && from < bar.to;
  bars.forEach((bar, index) => {
    bar.lower =
      size.name === "full" &&
      bars.slice(0, index).some((other) => !other.lower && meet(other, bar.y, bar.from, bar.to));
  });
  for (const bar of bars) {
    const from = bar.to + 6;
    bar.text =
      bar.texts.find((each) => {
        const until = from + widthOf(each, KEPT_TEXT, 400);
        return until <= scale.width && !bars.some((other) => other !== bar && meet(other, bar.y, from - 4, until + 4));
      }) ?? "";
  }
  return bars;
}

/** @param left of the scale */
function drawKept(bar: KeptBar, left: number) {
  const [from, to, y] = [left + bar.from, left + bar.to, bar.y + 4.5 + (bar.lower ? APART : 0)];
  const group = svg("g", { class: `tm-kept${bar.over ? " tm-over" : ""}` });
  group.append(
    svg("path", { d: `M${px(from)} ${px(y)}H${px(to)}`, class: "tm-kept-line" }),
    svg("path", { d: `M${px(from)} ${px(y - 4.5)}v9M${px(to)} ${px(y - 4.5)}v9`, class: "tm-kept-ends" }),
  );
  if (bar.text) {
    group.append(
      textAt(bar.text, to + 6, bar.y + 8.5, { "font-size": KEPT_TEXT, "data-label": "kept", class: "tm-kept-label" }),
    );
  }
  return group;
}

// The slices of a window table function: below the windows of a key, each on the span of time that it holds. A window
// that has just been put together shows of which slices.

const SLICE_TEXT = 12;
const LOWEST_WITH_TEXT = 16;

/** A slice with its place; `merging`: its window is put together at this very step. */
type Slice = { row: StateFact; sign: string; x: number; y: number; wide: number; high: number; merging: boolean };

/** What the step says at which a window is put together. */
type Merging = { window: { key: StateFact["key"] }; parts: { start: number }[] };

/** The slices of a step. */
function slicesAt(
  facts: Facts,
  step: number,
  scale: Scale,
  placeOf: (row: { key: StateFact["key"] }) => LanePlace | undefined,
  high: number,
  times: Pick<Times, "onAxis">,
): Slice[] {
  const now = facts.at("steps", step)[0];
  const merging = now?.event === "SlicesMerged" ? (now.fields as Merging) : null;
  return facts.at("state", step).flatMap((row) => {
    const place = placeOf(row);
    if (!place || row.kind !== "contents" || row.start === null || row.end === null) return [];
    const span = times.onAxis(row);
    if (!scale.holds(span)) return [];
    const [from, to] = [scale.px(span.start), scale.px(span.end)];
    const wide = Math.max(to - from - 3, 3);
    const [x, y] = [scale.left + from + 1.5, place.top + place.height - high - 4];
    const merges =
      merging !== null &&
      keyId(merging.window.key) === keyId(row.key) &&
      merging.parts.some((each) => each.start === row.start);
    const sign = `${scale.part.step} ${x} ${y} ${wide} ${JSON.stringify(row.value)} ${merges}`;
    return [{ row, sign, x, y, wide, high, merging: merges }];
  });
}

/** @param name the span of time, as text */
function drawSlice({ row, x, y, wide, high, merging }: Slice, name: string) {
  const group = svg("g", { class: `tm-slice${merging ? " tm-merging" : ""}`, "data-id": row.id });
  group.append(svg("rect", { x: px(x), y: px(y), width: px(wide), height: high, rx: 3 }));
  const value = ` = ${heldText(row.value)}`;
  const text = [name + value, value.slice(3), ""].find((each) => widthOf(each, SLICE_TEXT, 400) <= wide - 8) ?? "";
  if (text && high >= LOWEST_WITH_TEXT) {
    group.append(textAt(text, x + 5, y + high / 2 + 4, { "font-size": SLICE_TEXT, class: "tm-slice-text" }));
  }
  const title = svg("title");
  title.textContent = name + value;
  group.append(title);
  return group;
}

/** What an accumulator holds: of an average sum and number. */
function heldText(value: Json) {
  return Array.isArray(value) ? value.map((each) => valueText(each)).join(" / ") : short(valueText(value), 12);
}

// The versions of one key of a temporal join: each a bar from its beginning to that of the next, on the x scale of the
// plane. The left rows wait right below, so the version above a row is the one that it meets.

// Of each size of lane where the bars stand, how high they are, and their letters (px); 0 for none.
const VERSION_HEIGHTS = {
  full: { top: 22, high: 28, size: 14 },
  mid: { top: 14, high: 22, size: 13 },
  small: { top: 5, high: 17, size: 12 },
  tiny: { top: 1, high: 9, size: 0 },
};
const VERSION_PAD = 7;
const VERSION_GAP = 2;

function drawVersions({ rows, met, top: down, below }: LaneVersions, scale: Scale, size: LaneSize["name"]) {
  const { top, high, size: letters } = VERSION_HEIGHTS[size];
  const node = svg("g", { class: "tm-versions", transform: `translate(${px(scale.left)} ${px(down)})` });
  for (const row of rows) {
    const from = scale.px(row.ts);
    const to = row.until === null ? scale.width : scale.px(row.until);
    const ended = row.op === "delete";
    const bar = svg("g", {
      class: `tm-version${ended ? " tm-ended" : ""}${row.id === met?.version ? " tm-met" : ""}`,
      "data-id": row.id,
    });
    const wide = Math.max(to - from - VERSION_GAP, 3);
    bar.append(svg("rect", { x: px(from), y: top, width: px(wide), height: high, rx: 4, "data-mark": "version" }));
    const text = ended ? "∅" : short(valueText(row.value), 16);
    if (letters && widthOf(text, letters, 600) + 2 * VERSION_PAD <= wide) {
      const place = { "font-size": letters, "font-weight": 600, "data-label": "version" };
      bar.append(textAt(text, from + VERSION_PAD, top + high / 2 + letters * 0.34, place));
    }
    node.append(bar);
  }
  if (met) node.append(svg("path", { d: `M${px(scale.px(met.ts))} ${top}V${below - down}`, class: "tm-version-tie" }));
  return node;
}

// The names of keys, at the left of their lanes and strips.

/** Room (px) between a name and the scale, and at the left edge of the picture. */
export const BESIDE_SCALE = 12;
const KEY_EDGE = 2;
const CHOICE_ARROW = 18;

/** The middle of a lane's first box, where its name stands. */
export function middleOf(place: LanePlace, size: LaneSize) {
  return place.top + Math.min(place.height, size.box) / 2;
}

/**
 * @param left of the scale
 * @param word stands before the name where there is room for both
 * @param choice whether it is a choice of all keys, which an arrow shows
 */
function drawKey(key: PlainKey, left: number, middle: number, word: string, { name }: LaneSize, choice = false) {
  const size = name === "tiny" ? 12 : 14;
  const whole = keyText(key);
  const room = left - BESIDE_SCALE - KEY_EDGE - (choice ? CHOICE_ARROW : 0);
  const said = shortenedTo(whole, room, (text) => widthOf(text, size, 600));
  const long = widthOf(said, size, 600);
  const before = word && widthOf(`${word} `, size, 400) + long <= room ? `${word} ` : "";
  const node = svg("text", {
    x: px(left - BESIDE_SCALE),
    y: px(middle + size * 0.34),
    "text-anchor": "end",
    "font-size": size,
    class: "tm-lane-key",
    "data-label": "key",
  });
  const strong = svg("tspan", { "font-weight": 600, class: "tm-lane-key-name" });
  strong.textContent = said;
  node.append(before, strong);
  if (said === whole && !choice) return node;
  const group = svg("g");
  if (said !== whole) {
    const title = svg("title");
    title.textContent = whole;
    group.append(title);
  }
  group.append(node);
  if (!choice) return group;
  const arrow = icon("chevron");
  const place = { x: left - BESIDE_SCALE - long - CHOICE_ARROW, y: middle - 7, width: 14, height: 14 };
  for (const [attribute, value] of Object.entries(place)) arrow.setAttribute(attribute, px(value));
  group.append(arrow);
  return group;
}
