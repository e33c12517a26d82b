// An interval join on one event-time axis: left records above, right records below, the matches, and how long each
// record is kept.
import { valueInAddress } from "../base/address.ts";
import { el, fill, svg, tableRow } from "../base/dom.ts";
import { say, short, valueText } from "../base/format.ts";
import { pairedId } from "../base/facts.ts";
import { keyText } from "../base/reading.ts";
import { legend } from "../frame/head.ts";
import { CENTRED, behindWatermark, joinGround, svgText, watermarkLine } from "./ground.ts";
import { BAR_TEXT, JoinTexts } from "./join_texts.ts";
import { JOIN_SIDES, layoutOf } from "./sides.ts";
import { FOR_TEXT, widthOf } from "./labels.ts";
import { BOLD, QUIET, bracketOf, gapNotes, gapWords } from "../why/gap.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { Player } from "../player.ts";
import type { Gap, Row, Scale } from "../types/player.ts";
import type { JoinSide, Part, RecordFact, ShownBuffer } from "#types/payload";

type JoinPlace = import("./ground.ts").JoinPlace;

const CROSS_SIZE = 6;
// How near (px) to a record a press is meant for it.
const NEAR_SPOT = 15;
// How far (px) the range of a record reaches over its side, towards the record and away from it.
const RANGE = { near: 38, far: 34 };
// The height (px) of a row of bars from which on its texts have room.
const LEAST_ROW = 12;

/** Draws over the plane, on its x scale; a switch shows the plane again. Nothing at all where no buffers are. */
export class JoinView extends PlayerPart {
  there: boolean = "join" in this.player.payload.legend;
  inBatches: boolean = this.player.facts.all("batches").length > 0;
  node = el("div", "tm-join", null, { role: "img" });
  tables = new BufferTables(this.player);
  legends: HTMLUListElement[] = ["plane", "join"].map((view) =>
    legend(this.player, view in this.player.payload.legend ? view : "plane"),
  );
  choice = el("div", "tm-segments tm-join-choice", null, {
    role: "group",
    "aria-label": this.player.words.picture.as,
  });
  buttons: HTMLButtonElement[];
  /** the size (px) of the picture, once it is known */
  size: [number, number] | null = null;
  part: Part | null = null;
  width = 0;
  radius = 0;
  touched: Set<string> = new Set();
  /** what the Why card has to show in the picture */
  explained: { gap: Gap | null; step: number } = { gap: null, step: 0 };
  texts: JoinTexts;
  itemOf: Map<string, number> = new Map();
  on?: boolean;
  laid?: {
    names: Map<number, string>;
    at: Map<number, { x: number; y: number; level: number }>;
    lanes: { left: number; right: number };
    bar: (side: JoinSide, item: number) => number;
    rowHigh: { left: number; right: number };
    top: number;
    bottom: number;
  };

  constructor(player: Player) {
    super(player);
    this.node.hidden = this.tables.node.hidden = !this.there;
    this.choice.hidden = !this.there;
    this.buttons = ["join", "plane"].map((view) => {
      const button = el("button", "tm-segment tm-worded", player.words.picture[`view_${view}`], {
        type: "button",
        "data-picture": view,
        title: player.words.picture[`as_${view}`],
      });
      button.addEventListener("click", () => {
        this.set(view);
        player.paint();
        player.place.at(player.step);
      });
      this.choice.append(button);
      return button;
    });
    this.texts = new JoinTexts(this);
    this.set(valueInAddress(player.payload.name, "picture") === "plane" ? "plane" : "join");
  }

  set(view: string) {
    const { player } = this;
    this.on = this.there && view === "join";
    player.view.picture = this.there && !this.on ? "plane" : null;
    this.node.hidden = !this.on;
    player.canvas.classList.toggle("tm-covered", this.on);
    this.legends[0].hidden = this.on;
    this.legends[1].hidden = !this.on;
    for (const button of this.buttons) {
      button.setAttribute("aria-pressed", String((button.dataset.picture === "join") === this.on));
    }
  }

  layout() {
    if (!this.there) return;
    const { canvas, plane } = this.player;
    Object.assign(this.node.style, {
      left: `${canvas.offsetLeft}px`,
      top: `${canvas.offsetTop}px`,
      width: `${canvas.clientWidth}px`,
      height: `${canvas.clientHeight}px`,
    });
    this.size = [canvas.clientWidth / plane.big, canvas.clientHeight / plane.big];
    this.part = null;
  }

  /** Where everything stands, once a part of the run and a size. */
  prepare(scale: Scale) {
    if (this.part === scale.part && this.width === scale.width) return;
    this.part = scale.part;
    this.width = scale.width;
    const { facts } = this.player;
    const order = [
      ...new Set(
        facts
          .all("records")
          .toSorted((a, b) => a.arrival - b.arrival)
          .map((row) => row.item),
      ),
    ];
    const shown = new Set(order.slice(scale.part.from_record, scale.part.until_record));
    const records = facts.all("records").filter((row) => shown.has(row.item));
    this.radius = shown.size > 120 ? 5 : shown.size > 40 ? 7 : 10;
    this.laid = this.layOut(records, scale);
    this.texts.prepare(records, this.size?.[0] ?? 0);
    this.itemOf = new Map(records.map((row) => [pairedId(row.input, row.key, row), row.item]));
  }

  /** Where everything stands; `prepare` has found it. */
  get place() {
    return this.laid as JoinPlace;
  }

  layOut(records: RecordFact[], scale: Scale) {
    return layoutOf({
      records,
      buffers: this.player.facts.all("buffers"),
      scale,
      height: this.size?.[1] ?? 0,
      textWide: (row, names) => widthOf(this.barText(row, names), BAR_TEXT, 400) + 12,
    });
  }

  /** Until when a record is kept, in words. */
  barText(row: ShownBuffer, names: Map<number, string>) {
    const { batches, picture } = this.player.words;
    const name = names.get(row.item);
    return row.kept_until === null
      ? say(batches.join.kept_for_ever, { name })
      : say(picture.to, { name, time: this.player.times.exact(row.kept_until) });
  }

  show(step: number) {
    if (!this.there) return;
    this.tables.show(step);
    this.explained = { gap: null, step };
    this.draw(step);
  }

  /** The gap of the Why card, null for none: words of the step give way to it, so the picture is drawn again. */
  explain(gap: Gap | null) {
    if (!gap && !this.explained.gap) return;
    this.explained.gap = gap;
    this.draw(this.explained.step);
  }

  draw(step: number) {
    if (!this.on || !this.size) return;
    const { gap } = this.explained;
    const { facts, plane } = this.player;
    const scale = plane.scale();
    if (!(scale.width > 0)) return;
    this.prepare(scale);
    const [wide, high] = this.size;
    const root = svg("svg", { viewBox: `0 0 ${wide} ${high}`, width: wide * plane.big, height: high * plane.big });
    this.touched = new Set(facts.at("steps", step)[0].touches);
    const { texts } = this;
    const records = facts.at("records", step).filter((row) => !(plane.past && row.fate === "ahead"));
    const buffers = facts.at("buffers", step).filter((row) => this.place.at.has(row.item));
    texts.begin(records, buffers, this.matchEnds(step), { scale, wide });
    const needed = gap ? gapLines(this, gap, scale) : [];
    const [line, pill] = watermarkLine(this.player, this.place, step, scale, wide);
    // The watermark's line runs behind everything that is to be read; all words lie on top of all lines.
    const [shapes, said] = this.range(step, scale, wide);
    const kept = this.barTexts(buffers, scale);
    // A name may give way to the bracket, so names are drawn after it has its place.
    const bracket = gap ? gapBracket(this, gap, scale) : [];
    root.append(
      ...joinGround(this.player, this.place, scale, wide),
      ...behindWatermark(this.player, this.place, step, scale),
      ...this.ghosts(scale),
      ...shapes,
      ...line,
      ...needed,
      ...this.bars(buffers, scale),
      ...this.matches(step),
      ...records.flatMap((row) => this.record(row)),
      ...kept,
      ...said,
      ...bracket,
      ...pill,
    );
    fill(this.node, root);
    this.node.setAttribute("aria-label", this.player.said(step).what);
  }

  /** Where (px, in the picture's card) the middle of a record is; null where it is not shown. */
  placeOf({ item }: RecordFact) {
    const spot = this.laid?.at.get(item);
    const { offsetLeft, offsetTop } = this.player.canvas;
    return spot ? { x: offsetLeft + spot.x, y: offsetTop + spot.y } : null;
  }

  /** The record nearest to a point of the picture's card, null where none is near. */
  recordAt(step: number, x: number, y: number) {
    let best = null;
    let nearest = NEAR_SPOT;
    for (const row of this.player.facts.at("records", step)) {
      const place = this.placeOf(row);
      const distance = place ? Math.hypot(place.x - x, place.y - y) : Infinity;
      if (distance < nearest) [best, nearest] = [row, distance];
    }
    return best;
  }

  /** Where records of the original were that a try-out has moved, below everything that is to be read. */
  ghosts(scale: Scale) {
    return (this.player.tryouts.now?.ghost.records ?? []).map(([time, , input]) =>
      svg("circle", {
        cx: scale.left + scale.px(time),
        cy: this.place.lanes[input === "left" ? "left" : "right"],
        r: this.radius,
        class: "tm-ghost-record",
      }),
    );
  }

  /** Until when each record in the buffers is kept. */
  bars(buffers: ShownBuffer[], scale: Scale) {
    return buffers.map((row) => {
      const { left, right, top, bottom } = this.texts.barOf(row, scale);
      const y = (top + bottom) / 2;
      const group = svg("g", {
        "data-id": row.id,
        class: `tm-join-bar${this.touched.has(row.id) ? " tm-touched" : ""}`,
      });
      group.append(svg("path", { d: `M${left} ${y}H${right}`, class: "tm-join-kept" }));
      // What is kept for ever reaches to the edge and has no end.
      if (row.kept_until !== null) group.append(svg("path", { d: `M${right} ${y - 5}v10`, class: "tm-join-stop" }));
      const title = svg("title");
      title.textContent = this.barText(row, this.place.names);
      group.append(title);
      return group;
    });
  }

  barTexts(buffers: ShownBuffer[], scale: Scale) {
    return buffers
      .filter((row) => this.place.rowHigh[row.side] >= LEAST_ROW)
      .map((row) => this.texts.bar(row, this.barText(row, this.place.names), scale))
      .filter((text) => text !== null);
  }

  /**
   * What matches the arriving record on the other side, with both bounds: shapes and texts. While a question about it
   * is open, nothing.
   */
  range(step: number, scale: Scale, wide: number) {
    const row = this.player.facts.at("ranges", step)[0];
    const from = row && this.place.at.get(row.item);
    if (!from || this.player.plane.asks) return [[], []];
    const y = this.place.lanes[row.side === "left" ? "right" : "left"];
    const low = scale.left + scale.px(row.low);
    const high = Math.max(scale.left + scale.px(row.high), low + 3);
    const down = row.side === "left";
    const [near, far] = down ? [y - RANGE.near, y + RANGE.far] : [y + RANGE.near, y - RANGE.far];
    const edge = (x: number, open: boolean) =>
      svg("path", { d: `M${x} ${near}V${far}`, class: `tm-join-edge${open ? " tm-open" : ""}` });
    const shapes = [
      svg("path", { d: `M${from.x} ${from.y}L${low} ${near}H${high}Z`, class: "tm-join-cone" }),
      svg("rect", {
        x: low,
        y: Math.min(near, far),
        width: high - low,
        height: RANGE.near + RANGE.far,
        class: "tm-join-range",
        "data-range": `${row.low} ${row.high}`,
      }),
      svg("path", { d: `M${low} ${near}H${high}M${low} ${far}H${high}`, class: "tm-join-edge" }),
      edge(low, row.low_open),
      edge(high, row.high_open),
    ];
    return [shapes, this.texts.range(row, { x: from.x, low, high, near, far, down, wide })];
  }

  /** Lines from left to right records that were joined; of the item that is worked on strong ones. */
  matches(step: number) {
    const { facts } = this.player;
    const { item } = facts.at("steps", step)[0];
    return this.matchEnds(step).map(({ fact, left, right }) =>
      svg("path", {
        d: `M${left.x} ${left.y}L${right.x} ${right.y}`,
        class: `tm-join-match${fact.row.item === item || this.touched.has(fact.id) ? " tm-now" : ""}`,
        "data-id": fact.id,
      }),
    );
  }

  /** The rows that were joined, with the places of both records. */
  matchEnds(step: number) {
    return this.player.facts.at("outputs", step).flatMap((fact) => {
      if (fact.row.row !== "joined") return [];
      const [left, right] = JOIN_SIDES.map((side) => this.spotOf(side, fact.row));
      return left && right ? [{ fact, left, right }] : [];
    });
  }

  /** Where the record of one side of a joined row stands. */
  spotOf(side: JoinSide, row: Row) {
    const record = row[side];
    if (!record || Array.isArray(record)) return undefined;
    const item = this.itemOf.get(pairedId(side, row.key, record));
    return item === undefined ? undefined : this.place.at.get(item);
  }

  record(row: RecordFact): SVGElement[] {
    const { radius } = this;
    const spot = this.place.at.get(row.item);
    if (!spot) return [];
    const { x, y } = spot;
    const group = svg("g", { "data-id": row.id, "data-fate": row.fate, class: `tm-join-record tm-fate-${row.fate}` });
    if (this.touched.has(row.id)) {
      group.append(svg("circle", { cx: x, cy: y, r: radius + 6, class: "tm-join-ring" }));
    }
    if (row.fate === "side") {
      const box = { x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius };
      group.append(svg("rect", { ...box, class: "tm-join-boxed" }));
    }
    if (row.fate === "dropped" || row.fate === "side") {
      const c = Math.min(CROSS_SIZE, radius - 1);
      const d = `M${x - c} ${y - c}l${2 * c} ${2 * c}M${x + c} ${y - c}l${-2 * c} ${2 * c}`;
      group.append(svg("path", { d, class: "tm-join-cross" }));
    } else {
      group.append(svg("circle", { cx: x, cy: y, r: radius, class: "tm-join-dot" }));
      if (radius > 8 && keyText(row.key).length <= 2) {
        group.append(svgText(keyText(row.key), x, y + 4.5, "tm-join-letter", CENTRED));
      }
    }
    const name = this.texts.name(row);
    if (name) group.append(name);
    return [group];
  }
}

// The two buffers of an interval join as tables: which records are kept, what they match, and until when.

class BufferTables extends PlayerPart {
  node = el("div", "tm-buffers");
  sides = ["left", "right"].map((side) => {
    const { picture, columns } = this.player.words;
    const note = el("span", "tm-quiet");
    const head = el("h3", "", picture[`buffer_${side}`]);
    head.append(" ", note);
    const top = el("thead");
    top.append(
      tableRow([picture.record_name, columns.key, columns.time, picture.matches, picture.kept_until], {
        header: true,
        numeric: [2, 4],
      }),
    );
    const rows = el("tbody");
    const table = fill(el("table", "tm-table", null, { "data-table": `buffer-${side}` }), top, rows);
    const scroll = el("div", "tm-buffer-rows", null, {
      tabindex: "0",
      role: "region",
      "aria-label": picture[`buffer_${side}`],
    });
    scroll.append(table);
    const box = fill(el("section", "tm-buffer", null, { "aria-label": picture[`buffer_${side}`] }), head, scroll);
    this.node.append(box);
    return { side, note, rows, scroll };
  });

  show(step: number) {
    const { facts, times, words } = this.player;
    const touched = new Set(facts.at("steps", step)[0].touches);
    const kept = facts.at("buffers", step);
    for (const { side, note, rows, scroll } of this.sides) {
      const own = kept.filter((row) => row.side === side).sort((a, b) => a.order - b.order);
      note.textContent =
        own.length === 1
          ? words.picture.buffer_one
          : own.length
            ? say(words.picture.buffer_many, { count: own.length })
            : words.picture.buffer_empty;
      fill(
        rows,
        own.map((row) => {
          const range = row.low === null ? words.batches.join.any_time : times.range(row);
          const name =
            row.value !== null && typeof row.value === "object" ? `#${row.item}` : short(valueText(row.value), 10);
          const line = tableRow(
            [
              name,
              keyText(row.key),
              times.short(row.ts),
              range,
              row.kept_until === null ? words.batches.join.for_ever : times.exact(row.kept_until),
            ],
            { numeric: [2, 4], className: touched.has(row.id) ? "tm-hl" : "" },
          );
          line.dataset.id = row.id;
          return line;
        }),
      );
      scroll.querySelector(".tm-hl")?.scrollIntoView({ block: "nearest" });
    }
  }
}

// The gap of a Why card over the two sides of a join: a dashed line at the watermark that is needed, behind all that is
// to be read, and a bracket to it from the current one, with its words, where the step leaves room for them.

// How far apart (px) the heights are that the bracket tries, the lowest first.
const LEVEL = 6;

/** Its lines, whose places the texts of the step then know. */
function gapLines({ place: { top, bottom }, texts }: JoinView, gap: Gap, scale: Scale) {
  const at = (time: number) => {
    const x = scale.left + scale.px(time);
    texts.space.block({ left: x - 1, right: x + 1, top, bottom }, "ring");
    return `M${x} ${top}V${bottom}`;
  };
  const lines = [svg("path", { class: "tm-gap-needed", d: at(gap.needs) })];
  if (gap.now === null || gap.now === undefined) return lines;
  const d = at(gap.now);
  return gap.judged ? [...lines, svg("path", { class: "tm-gap-then", d })] : lines;
}

/** The bracket and its words; nothing where there is no room, for the card says the same. */
function gapBracket({ player, place, texts }: JoinView, gap: Gap, scale: Scale) {
  const { bold, quiet } = gapWords(player, gap);
  const wide = Math.max(widthOf(bold, BOLD, 600), widthOf(quiet, QUIET, 400));
  const to = scale.left + scale.px(gap.needs);
  const from = bold ? scale.left + scale.px(gap.now ?? null) : to;
  const [a, b] = [Math.min(from, to), Math.max(from, to)];
  const places = [];
  for (let y = place.bottom - 24; y > place.top + 24; y -= LEVEL) {
    const isFree = a === b || texts.space.cost({ left: a, right: b, top: y - 6, bottom: y + 6 }, FOR_TEXT) < Infinity;
    if (!isFree) continue;
    for (const left of [b + 10, b - 10 - wide, a - 10 - wide]) {
      const over = left > a - wide && left < b;
      places.push({ y, left, over, box: { left, right: left + wide, top: y - (over ? 21 : 12), bottom: y + 21 } });
    }
  }
  const found = texts.note(places);
  if (!found) return [];
  const { y, left, over } = found;
  return [...(a === b ? [] : [bracketOf(from, to, y)]), ...gapNotes(player, gap, { x: left, y, over })];
}
