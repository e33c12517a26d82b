// How long state lives: a bar for each window or waiting record, and over them how many values are held.
import { el, fill, mark, nearest, svg } from "../base/dom.ts";
import { say, short } from "../base/format.ts";
import { keyText, timingMark } from "../base/reading.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { Player } from "../player.ts";
import type { BarRow, FoldedBar, Lifetimes } from "#types/payload";

const LIFE_LABEL = 132;
const LIFE_CHART = 62;
const LIFE_AXIS = 22;
const LIFE_RIGHT = 14;
// As high as the labels beside the bars (css/7b-lifetimes.css).
const LIFE_ROW = 32;
const LIFE_EDGE = 8;

/** Drawn once for a size and an axis; a step moves the line and what lies behind it. */
export class LifetimeView extends PlayerPart {
  lives: Lifetimes = this.player.payload.state.lifetimes;
  /** bars, or where there are too many, keys */
  rows: (BarRow | FoldedBar)[] = this.lives.bars ?? this.lives.keys ?? [];
  axis = "steps";
  drawn: string;
  from = 0;
  to = 0;
  width = 0;
  label: SVGTextElement = lifeText(6, 12, "", "start", "tm-life-now-text");
  lines: SVGElement[] = [];
  /** the rectangles of the clip paths */
  clips: Element[] = [];
  node = el("div", "tm-lifetime");
  note = el("span", "tm-life-note", null, { "aria-live": "off" });
  top = svg("svg", { class: "tm-life-chart", "aria-hidden": "true" });
  scroll = el("div", "tm-life-scroll");
  list = el("ul", "tm-life-rows");
  picture = svg("svg", { class: "tm-life-bars", "aria-hidden": "true" });

  constructor(player: Player) {
    super(player);
    const own = player.words.state.lifetime;
    const bars = this.lives.bars ?? [];
    this.drawn = "";
    const head = el("div", "tm-life-head");
    head.append(
      this.note,
      this.lives.bars ? this.legend(bars) : el("span", "tm-quiet", say(own.folded, this.lives)),
      this.axisButtons(),
    );
    this.scroll.append(this.list, this.picture);
    this.node.append(head, this.top, this.scroll);
    fill(
      this.list,
      this.rows.map((row) => this.rowButton(row)),
    );
    this.list.addEventListener("click", (event) => {
      const button = nearest(event, "button");
      if (button) player.go(Number(button.dataset.step));
    });
    new ResizeObserver(() => {
      this.drawn = "";
      if (this.node.isConnected) this.show(player.step);
    }).observe(this.node);
  }

  legend(rows: BarRow[]) {
    const own = this.player.words.state.lifetime;
    const windows = rows.some((row) => row.kind === "window");
    const timings = new Set(rows.flatMap((row) => row.fired.map(([, timing]) => timing)));
    const marks = [
      ["result", "on-time"],
      ["early", "early"],
      ["update", "late"],
    ].filter(([, timing]) => timings.has(timing));
    const looks: [string, Element][] = windows
      ? [
          ["open", el("i")],
          ["fired", el("i")],
          ...marks.map(([name, timing]) => [name, mark(timingMark(timing))] as [string, Element]),
        ]
      : [];
    return fill(
      el("span", "tm-life-legend"),
      looks.map(([name, look]) => {
        return fill(el("span", name === "fired" ? "tm-kept-look" : ""), look, own[`legend_${name}`]);
      }),
    );
  }

  axisButtons() {
    const own = this.player.words.state.lifetime;
    const group = el("span", "tm-state-tabs", null, { role: "group", "aria-label": own.axis });
    for (const name of ["steps", "arrival"]) {
      const button = el("button", "tm-state-tab", own[`by_${name}`], {
        type: "button",
        "aria-pressed": String(name === this.axis),
      });
      button.addEventListener("click", () => {
        this.axis = name;
        for (const each of group.children) each.setAttribute("aria-pressed", String(each === button));
        this.show(this.player.step);
      });
      group.append(button);
    }
    return group;
  }

  /** A row's label; it goes to where the bar begins. */
  rowButton(row: BarRow | FoldedBar) {
    const { times, words } = this.player;
    const own = words.state.lifetime;
    const first = "lives" in row ? row.lives[0][0] : row.alive[0][0];
    const button = el("button", "tm-life-row", null, { type: "button", "data-step": first });
    const key =
      "keys" in row && row.key === null && row.keys > 1
        ? say(own.more_keys, { count: row.keys })
        : short(keyText(row.key ?? undefined), 10);
    const what =
      "alive" in row
        ? say(own.of_key, { count: row.bars })
        : row.kind === "window"
          ? times.window(row.start, row.end)
          : row.kind === "queue"
            ? say(own.queue_of, row)
            : say(own.record_of, { ...row, side: words.picture[row.kind] });
    button.setAttribute("aria-label", say(own.row, { name: `${key} ${what}`, step: first }));
    button.append(el("b", "", key), el("span", "", what));
    return fill(el("li"), button);
  }

  show(step: number) {
    const { facts, words } = this.player;
    const held = facts.at("held", step)[0];
    this.note.textContent = this.rows.length ? say(words.state.lifetime.now, held) : words.state.lifetime.nothing;
    const sign = `${this.node.clientWidth} ${this.node.clientHeight} ${this.axis}`;
    if (sign !== this.drawn) this.draw(sign);
    const x = this.x(step);
    for (const clip of this.clips) clip.setAttribute("width", String(Math.max(x, 0) + LIFE_EDGE));
    for (const line of this.lines) line.setAttribute("transform", `translate(${x} 0)`);
    const past = x > this.width - 60;
    this.label.textContent = say(words.state.reasons.step, { step });
    this.label.setAttribute("text-anchor", past ? "end" : "start");
    this.label.setAttribute("x", past ? "-6" : "6");
  }

  /** Where a step lies, in px from the left edge of the bars. */
  x(step: number) {
    const place = this.axis === "steps" ? step : this.arrival(Math.min(step, this.player.last));
    return ((place - this.from) / Math.max(this.to - this.from, 1)) * this.width;
  }

  arrival(step: number) {
    return this.player.facts.table("steps").value(this.player.payload.arrival_axis, step);
  }

  draw(sign: string) {
    this.drawn = sign;
    const { last } = this.player;
    [this.from, this.to] = this.axis === "steps" ? [0, last] : [this.arrival(0), this.arrival(last)];
    this.width = Math.max(this.node.clientWidth - LIFE_LABEL - LIFE_RIGHT, 50);
    this.drawTop();
    this.drawBars();
  }

  drawTop() {
    const { facts, payload, times, words } = this.player;
    const own = words.state.lifetime;
    const rows = facts.all("held");
    const most = Math.max(...rows.map((row) => row.values), 1);
    const path = countPath(
      rows.map((row) => [row.from_step, row.values]),
      this.player.last,
      (step) => this.x(step),
      (value) => LIFE_CHART - 4 - (value / most) * (LIFE_CHART - 14),
    );
    const group = svg("g", { transform: `translate(${LIFE_LABEL} 0)` });
    const [clip, done] = this.clipped("tm-life-top-done", LIFE_CHART);
    this.clips = [...clip.children];
    done.append(
      svg("path", { d: `${path}V${LIFE_CHART - 4}H0Z`, class: "tm-life-area" }),
      svg("path", { d: path, class: "tm-life-step" }),
    );
    const title =
      own[this.axis === "steps" ? "steps_axis" : payload.arrival_axis === "item" ? "item_axis" : "arrival_axis"];
    const format = this.axis === "steps" || payload.arrival_axis === "item" ? String : (ms: number) => times.short(ms);
    const ticks = gridOf(this.from, this.to, this.width, this.axis === "arrival" && payload.arrival_axis === "at");
    for (const tick of ticks) {
      const x = ((tick - this.from) / Math.max(this.to - this.from, 1)) * this.width;
      group.append(
        svg("line", { x1: x, x2: x, y1: 8, y2: LIFE_CHART, class: "tm-life-grid" }),
        lifeText(x, LIFE_CHART + 14, format(tick), "middle"),
      );
    }
    group.append(
      clip,
      svg("path", { d: path, class: "tm-life-ahead" }),
      done,
      svg("line", { x1: 0, x2: this.width, y1: LIFE_CHART - 4, y2: LIFE_CHART - 4, class: "tm-life-base" }),
    );
    const line = lifeNow(LIFE_CHART);
    this.label = lifeText(6, 12, "", "start", "tm-life-now-text");
    line.append(this.label);
    group.append(line);
    this.top.setAttribute("height", String(LIFE_CHART + LIFE_AXIS));
    fill(
      this.top,
      lifeText(LIFE_LABEL - 10, 14, String(most), "end"),
      lifeText(LIFE_LABEL - 10, LIFE_CHART - 2, "0", "end"),
      lifeText(0, LIFE_CHART / 2 + 6, own.values, "start"),
      lifeText(0, LIFE_CHART + 14, title, "start"),
      group,
    );
    this.lines = [line];
  }

  drawBars() {
    const height = this.rows.length * LIFE_ROW;
    const [clip, done] = this.clipped("tm-life-bars-done", height);
    this.clips.push(...clip.children);
    const ahead = svg("g", { class: "tm-life-ahead-bars" });
    const x = (step: number | null) => this.x(step ?? this.player.last + 1);
    this.rows.forEach((row, index) => {
      const y = index * LIFE_ROW;
      if ("alive" in row) {
        const most = Math.max(...row.alive.map(([, count]) => count), 1);
        const foot = y + LIFE_ROW - 3;
        const path = countPath(row.alive, this.player.last, x, (count) => foot - (count / most) * (LIFE_ROW - 7));
        const area = `M${x(row.alive[0][0])} ${foot}V${path.slice(path.indexOf(" ") + 1)}V${foot}Z`;
        ahead.append(svg("path", { d: area, class: "tm-life-ahead" }));
        done.append(svg("path", { d: area, class: "tm-life-area" }));
        return;
      }
      const middle = y + LIFE_ROW / 2;
      ahead.append(...barPaths(row, x, middle).map(([d]) => svg("path", { d, class: "tm-life-ahead" })));
      done.append(
        ...barPaths(row, x, middle).map(([d, kind]) => svg("path", { d, class: `tm-life-bar tm-life-${kind}` })),
        ...barMarks(row, x, middle),
      );
    });
    const line = lifeNow(height);
    const group = fill(svg("g", { transform: `translate(${LIFE_LABEL} 0)` }), clip, ahead, done, line);
    this.lines.push(line);
    this.picture.setAttribute("height", String(height));
    fill(this.picture, group);
  }

  /** A clip path that shows what the step has reached, and a group under it. */
  clipped(id: string, height: number) {
    const clip = fill(svg("clipPath", { id }), svg("rect", { x: -LIFE_EDGE, y: 0, width: 0, height }));
    return [clip, svg("g", { "clip-path": `url(#${id})` })];
  }
}

function lifeText(x: number, y: number, text: string, anchor: string, className = "tm-life-text") {
  const node = svg("text", { x, y, "text-anchor": anchor, class: className });
  node.textContent = text;
  return node;
}

function lifeNow(height: number) {
  return fill(svg("g", { class: "tm-life-now" }), svg("line", { x1: 0, x2: 0, y1: 0, y2: height }));
}

// The shapes of the lifetime picture: bars with their firings and ends, counts as steps, ticks of an axis.

const BAR_HALF = 5.5;
const MARK = 13;
const BAR_TICK_ROOM = 70;
const CLOCK_UNITS = [
  100, 200, 500, 1000, 2000, 5000, 10000, 30000, 60000, 300000, 600000, 1800000, 3600000, 21600000, 86400000,
];

/**
 * The rectangles of a bar as [path, kind]: `open` until its first result, then `fired`; in time order.
 * @param x a place (px); null is the end of the run
 */
function barPaths({ lives, fired }: BarRow, x: (step: number | null) => number, middle: number) {
  return lives.flatMap(([from, until]) => {
    const first = fired.map(([step]) => step).find((step) => step >= from && (until === null || step < until));
    const box = (begin: number | null, end: number | null, kind: string) => [
      `M${x(begin)} ${middle - BAR_HALF}H${Math.max(x(end), x(begin) + 2)}V${middle + BAR_HALF}H${x(begin)}Z`,
      kind,
    ];
    return first === undefined ? [box(from, until, "open")] : [box(from, first, "open"), box(first, until, "fired")];
  });
}

/**
 * A mark for each result, and how each life ended.
 * @param x a place (px); null is the end of the run
 */
function barMarks({ lives, fired }: BarRow, x: (step: number | null) => number, middle: number) {
  const ends = lives
    .filter(([, , how]) => how === "cleared" || how === "merged")
    .map(([, until, how]) =>
      svg("path", {
        d: how === "cleared" ? `M${x(until)} ${middle - 9}V${middle + 9}` : `M${x(until)} ${middle - 8}l6 8l-6 8`,
        class: "tm-life-end",
      }),
    );
  const results = fired.map(([step, timing]) => {
    const look = mark(timingMark(timing));
    for (const [name, value] of Object.entries({
      x: x(step) - MARK / 2,
      y: middle - MARK / 2,
      width: MARK,
      height: MARK,
    })) {
      look.setAttribute(name, String(value));
    }
    return look;
  });
  return [...ends, ...results];
}

/** A count as a step line: `counts` are [step, count], each true until the next. */
function countPath(
  counts: [number, number][],
  last: number,
  x: (step: number) => number,
  y: (count: number) => number,
) {
  let path = "";
  counts.forEach(([step, count], index) => {
    path += `${index ? `H${x(step)}V` : `M${x(step)} `}${y(count)}`;
  });
  return `${path}H${x(last)}`;
}

/** Round places on an axis, as many as fit; `time`: it is one of times (ms), not of steps. */
function gridOf(from: number, to: number, width: number, time: boolean) {
  const least = ((to - from) * BAR_TICK_ROOM) / Math.max(width, 1);
  const unit = (time ? CLOCK_UNITS.find((each) => each >= least) : null) ?? Math.max(roundTick(least), 1);
  const ticks = [];
  for (let tick = Math.ceil(from / unit) * unit; tick <= to; tick += unit) ticks.push(tick);
  return ticks;
}

/** The next of 1, 2, 5, 10, 20 … */
function roundTick(least: number) {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  return [1, 2, 5, 10].map((each) => each * power).find((each) => each >= least) ?? 10 * power;
}
