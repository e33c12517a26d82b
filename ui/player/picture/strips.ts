// Strips: one line a key with its windows as shades and the number of their records, drawn as far as they can be seen.
import { el, svg } from "../base/dom.ts";
import { say } from "../base/format.ts";
import { keyId } from "../base/facts.ts";
import { keyText } from "../base/reading.ts";
import { BESIDE_SCALE, type Lanes } from "./lanes.ts";
import { Layer, put, px, textAt } from "./svg.ts";
import { shortenedTo, widthOf } from "./labels.ts";
import type { WindowFact } from "#types/payload";
import type { Player } from "../player.ts";
import type { Scale } from "../types/player.ts";

/** Height (px) of a strip. */
export const STRIP = 15;
const STRIP_BOX = 13;
const STRIP_TRACKS = 6;
const STRIP_TEXT = 12;
// Below the strips, where not all can be seen: how many more there are.
const MORE = 17;

type Now = { step: number; scale: Scale; touched: Set<string>; open: number[] };

/** A scroller of strips. `choose(lane)` is called when one is clicked. */
export class Strips {
  player: Player;
  lanes: Lanes;
  now: Now | null = null;
  node = el("div", "tm-strips");
  picture = svg("svg", { class: "tm-strips-picture" });
  ground: SVGGElement;
  names = new Layer(this.picture, "strip-names");
  counts = new Layer(this.picture, "strip-counts");
  room = el("div", "tm-strips-room");
  scroller = el("div", "tm-strips-scroller", null, { "aria-hidden": "true" });
  more = el("span", "tm-strips-more");
  high?: number;

  constructor(player: Player, lanes: Lanes, choose: (lane: number) => void) {
    this.player = player;
    this.lanes = lanes;
    const group = () => this.picture.appendChild(svg("g"));
    this.ground = group();
    this.room.style.height = `${lanes.rows.length * STRIP}px`;
    this.room.append(this.picture);
    this.scroller.append(this.room);
    this.node.append(this.scroller, this.more);
    this.scroller.addEventListener("scroll", () => this.draw());
    this.scroller.addEventListener("click", (event) => {
      const lane = Math.floor((event.clientY - this.room.getBoundingClientRect().top) / this.zoom / STRIP);
      if (lane >= 0 && lane < lanes.rows.length) choose(lane);
    });
  }

  /** How much larger a px of the picture is on the screen. */
  get zoom() {
    return this.room.getBoundingClientRect().height / Math.max(this.room.offsetHeight, 1);
  }

  layout(top: number, high: number) {
    const { length } = this.lanes.rows;
    const all = length * STRIP <= high;
    const room = Math.max(Math.floor((all ? high : high - MORE) / STRIP), 1) * STRIP;
    Object.assign(this.node.style, { top: `${top}px`, height: `${room}px` });
    this.high = room;
    put(this.picture, "height", room);
  }

  show(step: number, scale: Scale, touched: Set<string>, open: number[]) {
    this.now = { step, scale, touched, open };
    this.draw();
  }

  draw() {
    const { now, high } = this;
    if (!now || !high) return;
    const { scale } = now;
    const first = this.scroller.scrollTop / STRIP;
    const last = Math.min(Math.ceil(first + high / STRIP), this.lanes.rows.length);
    const top = (lane: number) => Math.round((lane - first) * STRIP) + 1;
    const lanes = Array.from({ length: last - Math.floor(first) }, (_, index) => Math.floor(first) + index);
    this.names.show(lanes, {
      sign: (lane) => `${top(lane)} ${scale.left} ${now.open.includes(lane)}`,
      draw: (lane) => this.name(lane, top(lane), scale, now.open.includes(lane)),
    });
    this.windows(now, lanes, top);
    const hidden = this.lanes.rows.length - Math.round(high / STRIP + first);
    this.more.hidden = hidden <= 0;
    this.more.textContent = say(this.player.words.scale[hidden === 1 ? "more_one" : "more_many"], { count: hidden });
  }

  name(lane: number, top: number, scale: Scale, open: boolean) {
    const weight = open ? 600 : 400;
    const room = scale.left - BESIDE_SCALE - 2;
    const said = shortenedTo(keyText(this.lanes.rows[lane].key), room, (each) => widthOf(each, STRIP_TEXT, weight));
    return textAt(said, scale.left - BESIDE_SCALE, top + STRIP_BOX / 2 + STRIP_TEXT * 0.34, {
      "text-anchor": "end",
      "font-size": STRIP_TEXT,
      "font-weight": weight,
      "data-label": "key",
      class: open ? "tm-strip-key tm-open" : "tm-strip-key",
    });
  }

  /** The windows as one path for each look, and the numbers of their records where these have room. */
  windows({ step, scale, touched }: Now, lanes: number[], top: (lane: number) => number) {
    const paths: Map<string, string> = new Map();
    const add = (look: string, d: string) => paths.set(look, (paths.get(look) ?? "") + d);
    for (const lane of lanes) add("rule", `M${scale.left} ${top(lane) + STRIP_BOX + 0.5}h${px(scale.width)}`);
    const counted: { row: WindowFact; x: number; y: number }[] = [];
    for (const row of this.player.facts.at("windows", step)) {
      const span = this.player.times.onAxis(row);
      if (row.status === "merged" || !scale.holds(span)) continue;
      const lane = this.lanes.index.get(keyId(row.key));
      if (lane === undefined || lane < lanes[0] || lane > lanes[lanes.length - 1]) continue;
      const left = scale.left + (row.start === null ? 0 : scale.px(span.start)) + 1.5;
      const right = scale.left + (row.start === null ? scale.width : scale.px(span.end));
      const wide = Math.max(right - left - 1.5, 2);
      const tracks = Math.min(this.lanes.rows[lane].tracks, STRIP_TRACKS);
      const look = `${row.status}${touched.has(row.id) ? " tm-touched" : ""}`;
      if (tracks > 1) {
        // Windows that overlap: thin bars under one another, framed where there is room for a frame.
        const high = STRIP_BOX / tracks;
        const y = top(lane) + (this.lanes.tracks[row.id] % tracks) * high;
        if (high >= 5) add(look, boxPath(left + 0.5, y + 0.5, wide - 1, high - 2));
        else add(`${look} tm-solid`, boxPath(left, y, wide, high - 0.6));
        continue;
      }
      add(look, boxPath(left + 0.5, top(lane) + 0.5, wide - 1, STRIP_BOX - 2));
      if (row.status === "cleared" || widthOf(String(row.records), STRIP_TEXT, 400) + 4 > wide) continue;
      counted.push({ row, x: left + wide / 2, y: top(lane) + STRIP_BOX / 2 + STRIP_TEXT * 0.34 });
    }
    this.queued(step, scale, touched, lanes, top, add);
    this.ground.replaceChildren(
      ...[...paths].map(([look, d]) => svg("path", { d, class: `tm-strip tm-strip-${look}` })),
    );
    this.counts.show(counted, {
      key: ({ row }) => row.id,
      sign: ({ row, x, y }) => `${row.records} ${px(x)} ${y}`,
      draw: ({ row, x, y }) =>
        textAt(String(row.records), x, y, { "text-anchor": "middle", "font-size": STRIP_TEXT, "data-label": "count" }),
    });
  }

  /** Waiting records of a sorting queue, each a tick at its time. */
  queued(
    step: number,
    scale: Scale,
    touched: Set<string>,
    lanes: number[],
    top: (lane: number) => number,
    add: (look: string, d: string) => void,
  ) {
    for (const row of this.player.facts.at("queue", step)) {
      const lane = this.lanes.index.get(keyId(row.key));
      if (lane === undefined || !lanes.includes(lane)) continue;
      const now = touched.has(row.id);
      const x = scale.left + scale.px(row.ts) - 1;
      add(now ? "tick tm-touched" : "tick", boxPath(x, top(lane) + 1, now ? 3 : 2, STRIP_BOX - 2));
    }
  }

  /** Nothing outlives the picture. */
  close() {
    this.now = null;
  }
}

function boxPath(x: number, y: number, wide: number, high: number) {
  return `M${px(x)} ${px(y)}h${px(wide)}v${px(high)}h${px(-wide)}z`;
}
