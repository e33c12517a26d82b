// The opening: fourteen seconds that play by themselves for somebody who has never been here, before the first scene.
//
// Theory of operation. Two phones send points to a server that adds them up; one phone rides through a tunnel, so that
// its point arrives after the round has been closed. Then the same dots fly to their places on the plane whose axes are
// the two times. `momentAt` says where everything is, from the time of the story and the size of the stage alone. There
// is no state between two moments, so any of them can be drawn: the still picture for readers who want less motion is
// one of them.
import { el, fill, icon, svg, pushButton } from "../base/dom.ts";
import { say } from "../base/format.ts";
import type { Player } from "../player.ts";
import type { Visit } from "./visit.ts";

/** As in the scenarios of the first visit, in every language. */
const NAMES = { ann: "Ann", ben: "Ben" };

/**
 * Points of the game: whose, when scored and when the server receives them, in seconds. Each is in a scene of the first
 * visit with the same two times, and is counted or lost as it is there.
 */
export const POINTS = [
  { player: "ben", scored: 1, arrives: 1.2 },
  { player: "ann", scored: 3, arrives: 3.2 },
  { player: "ben", scored: 7, arrives: 7.2 },
  { player: "ann", scored: 8, arrives: 15 },
] as const;

/** Seconds of the game: the train is in the tunnel between these, and the server closes the round after `CLOSES_S`. */
const TUNNEL_S = { from: 5, to: 13.6 };
const ROUND_S = 10;
const CLOSES_S = 13.2;
const CLOCK_S = 16;
/** A point is seen on its way for at least so long, since nobody could follow it in the 0.2 s that it takes. */
const SEEN_S = 1.2;

/** Which second of the game is at which ms: slower once the round is closed, so that each caption can be read. */
const PACE = [
  [0, 0],
  [6_200, CLOSES_S],
  [8_200, 15],
  [8_800, CLOCK_S],
] as const;
const FLIGHT_MS = { from: 11_200, to: 12_400 };
export const STORY_MS = 14_000;
/** The moment that stands for the whole story where nothing may move: the round is closed, the fourth point is lost. */
export const STILL_MS = 10_600;

/** How many points the server has counted when it closes the round, and how many there were. */
export const COUNTED = POINTS.filter((each) => each.arrives <= CLOSES_S).length;
export const SCORED = POINTS.length;

/** The captions, each with the ms at which it begins. */
const CAPTIONS = [
  { from: 0, name: "points" },
  { from: (TUNNEL_S.from / CLOSES_S) * PACE[1][0], name: "tunnel" },
  { from: PACE[1][0], name: "closed" },
  { from: PACE[2][0], name: "lost" },
  { from: FLIGHT_MS.from, name: "plane" },
] as const;

type Place = { x: number; y: number };
type Dot = Place & { shown: number; kind: "moving" | "waiting" | "counted" | "lost" };
export type Moment = {
  caption: (typeof CAPTIONS)[number]["name"];
  /** seconds of the game */
  clock: number;
  /** what the server has counted so far */
  count: number;
  closed: boolean;
  train: Place;
  dots: Dot[];
  /** how much is to be seen of how many points there were, of the scene, and of the plane, 0 to 1 */
  truth: number;
  scene: number;
  plane: number;
};

/** Where things stand on a stage of `width` × `height` px. */
export function stageOf(width: number, height: number) {
  const narrow = width < 600;
  const box = { width: narrow ? 124 : 240, height: narrow ? 104 : 156 };
  const server = { x: width - box.width - (narrow ? 12 : 0.08 * width), y: 0.14 * height, ...box };
  const track = { y: 0.8 * height, from: 0.06 * width, to: 0.86 * width };
  const along = (share: number) => track.from + share * (track.to - track.from);
  const margin = { left: narrow ? 52 : 0.16 * width, right: narrow ? 24 : 0.16 * width, top: 40, bottom: 48 };
  const axes = {
    x: (seconds: number) => margin.left + (seconds / CLOCK_S) * (width - margin.left - margin.right),
    y: (seconds: number) => margin.top + (seconds / CLOCK_S) * (height - margin.top - margin.bottom),
  };
  return {
    width,
    height,
    server,
    phone: { x: (narrow ? 0.1 : 0.12) * width, y: server.y + box.height / 2 } as Place,
    track,
    tunnel: { from: along(0.24), to: along(0.74) },
    axes,
    /** the place of the nth point that is counted */
    slot: (n: number) => ({ x: server.x + 26 + 28 * n, y: server.y + box.height - 20 }),
    /** where a point ends that is not let in, and where it says how many there were */
    outside: { x: server.x + 22, y: server.y + box.height + 28 },
    truth: { x: server.x + box.width, y: server.y + box.height + (narrow ? 66 : 35) },
  };
}
export type StageOf = ReturnType<typeof stageOf>;

const within = (value: number, from: number, to: number) => Math.min(1, Math.max(0, (value - from) / (to - from)));
const eased = (share: number) => share * share * (3 - 2 * share);
const between = (from: Place, to: Place, share: number) => ({
  x: from.x + (to.x - from.x) * share,
  y: from.y + (to.y - from.y) * share,
});

/** When a point is seen to arrive. */
const landing = ({ scored, arrives }: (typeof POINTS)[number]) => Math.max(arrives, scored + SEEN_S);

/** The train with Ann's phone: fast outside of the tunnel, slow in it. */
function trainAt(clock: number, { track, tunnel }: StageOf): Place {
  const stops = [
    [0, track.from],
    [TUNNEL_S.from, tunnel.from],
    [TUNNEL_S.to, tunnel.to],
    [CLOCK_S, track.to],
  ];
  const next = Math.max(
    1,
    stops.findIndex(([time]) => time >= clock),
  );
  const [[t0, x0], [t1, x1]] = [stops[next - 1], stops[next]];
  return { x: x0 + (x1 - x0) * within(clock, t0, t1), y: track.y };
}

/** The second of the game `ms` after the beginning. */
function clockAt(ms: number) {
  const next = Math.max(
    1,
    PACE.findIndex(([at]) => at >= ms),
  );
  const [[from, since], [to, until]] = ms >= PACE[3][0] ? [PACE[2], PACE[3]] : [PACE[next - 1], PACE[next]];
  return since + (until - since) * within(ms, from, to);
}

/** Where everything is, `ms` after the beginning. */
export function momentAt(ms: number, stage: StageOf): Moment {
  const clock = clockAt(ms);
  const flight = eased(within(ms, FLIGHT_MS.from, FLIGHT_MS.to));
  const dots = POINTS.map((point, index): Dot => {
    const inTime = point.arrives <= CLOSES_S;
    const leaves = inTime ? point.scored : TUNNEL_S.to;
    const lands = landing(point);
    const home = (time: number) => (point.player === "ann" ? trainAt(time, stage) : stage.phone);
    const nth = POINTS.filter((each) => each.arrives < point.arrives).length;
    const door = inTime ? stage.slot(nth) : { x: stage.server.x - 8, y: stage.server.y + stage.server.height - 20 };
    let place = between(home(Math.min(clock, leaves)), door, eased(within(clock, leaves, lands)));
    // It does not get in, and falls beside the box.
    if (!inTime) place = between(place, stage.outside, eased(within(clock, lands, CLOCK_S)));
    const target = { x: stage.axes.x(point.scored), y: stage.axes.y(point.arrives) };
    const arrived = clock >= lands;
    return {
      ...between(place, target, flight * within(ms, FLIGHT_MS.from + 90 * index, FLIGHT_MS.to)),
      shown: within(clock, point.scored, point.scored + 0.2),
      kind: arrived ? (inTime ? "counted" : "lost") : clock < leaves ? "waiting" : "moving",
    };
  });
  return {
    caption: CAPTIONS.findLast((each) => ms >= each.from)?.name ?? "points",
    clock,
    count: POINTS.filter((each) => landing(each) <= Math.min(clock, CLOSES_S)).length,
    closed: clock >= CLOSES_S,
    train: trainAt(clock, stage),
    dots,
    truth: within(ms, PACE[3][0], PACE[3][0] + 400),
    scene: 1 - within(ms, FLIGHT_MS.from - 300, FLIGHT_MS.from + 300),
    plane: within(ms, FLIGHT_MS.from, FLIGHT_MS.from + 600),
  };
}

/** Keys that lead on through the tour. */
const ONWARD = new Set(["ArrowRight", "ArrowDown", "PageDown"]);

export class Overture {
  node = el("section", "tm-overture");
  player: Player;
  visit: Visit;
  stage = svg("svg", { "aria-hidden": "true" });
  caption = el("p", "tm-overture-caption");
  again: HTMLButtonElement;
  begun = 0;
  ms = 0;
  frame = 0;
  sizes: ResizeObserver;
  draw: (moment: Moment) => void = () => {};

  constructor(player: Player, visit: Visit) {
    this.player = player;
    this.visit = visit;
    const words = player.words.overture;
    this.node.setAttribute("aria-label", words.label);
    const title = el("h1", "", say(words.title, { counted: COUNTED, scored: SCORED }));
    const head = fill(el("div", "tm-overture-head"), title, el("p", "", visit.order?.about));
    const figure = el("figure", "tm-overture-stage");
    // What the picture tells, for those who do not see it.
    const whole = CAPTIONS.map(({ name }) => this.says(name)).join(" ");
    figure.append(this.stage, this.caption, el("figcaption", "tm-visually-hidden", whole));
    this.caption.setAttribute("aria-hidden", "true");
    const foot = el("div", "tm-overture-foot");
    this.again = this.button("", "tm-button tm-plain tm-overture-again", () => this.turn());
    foot.append(
      this.again,
      this.button(words.knows, "tm-button", () => visit.leave()),
      this.button(words.tour, "tm-button tm-primary tm-overture-tour", () => visit.begin()),
    );
    this.node.append(head, figure, foot);
    this.sizes = new ResizeObserver(() => this.fit());
  }

  start() {
    this.sizes.observe(this.stage);
    window.addEventListener("keydown", this.onKey, true);
    this.fit();
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) this.show(STILL_MS);
    else this.play();
  }

  close() {
    this.stop();
    this.sizes.disconnect();
    window.removeEventListener("keydown", this.onKey, true);
    this.node.remove();
  }

  onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (ONWARD.has(event.key)) {
      event.preventDefault();
      this.visit.begin();
    }
    // The player behind it does not move.
    if (event.key !== "Tab" && event.key !== "Enter" && event.key !== " ") event.stopPropagation();
  };

  button(text: string, look: string, run: () => void) {
    return pushButton(look, text, run);
  }

  says(name: Moment["caption"]) {
    return say(this.player.words.overture[name], { counted: COUNTED, scored: SCORED });
  }

  turn() {
    if (this.frame) this.stop();
    else this.play();
  }

  play() {
    if (this.ms >= STORY_MS || this.ms === STILL_MS) this.ms = 0;
    this.begun = performance.now() - this.ms;
    const next = (now: number) => {
      this.show(Math.min(STORY_MS, Math.max(0, now - this.begun)));
      this.frame = this.ms < STORY_MS ? requestAnimationFrame(next) : 0;
      if (!this.frame) this.offer();
    };
    this.frame = requestAnimationFrame(next);
    this.offer();
  }

  stop() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.offer();
  }

  /** What the small button does now: pause, go on, or play again. */
  offer() {
    const { words } = this.player;
    const ended = !this.frame && (this.ms >= STORY_MS || this.ms === STILL_MS);
    const text = ended ? words.overture.again : words.overture[this.frame ? "pause" : "play"];
    fill(this.again, icon(this.frame ? "pause" : "play"), el("span", "", text));
  }

  show(ms: number) {
    this.ms = ms;
    const { width, height } = this.stage.getBoundingClientRect();
    const moment = momentAt(ms, stageOf(width, height));
    const said = this.says(moment.caption);
    if (this.caption.textContent !== said) this.caption.textContent = said;
    this.node.dataset.ms = String(Math.round(ms));
    this.draw(moment);
    if (ms === STILL_MS) this.offer();
  }

  /** The stage in its size, with everything that does not move. */
  fit() {
    const { width, height } = this.stage.getBoundingClientRect();
    if (!width || !height) return;
    this.stage.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const { nodes, draw } = drawing(stageOf(width, height), this.player.words);
    fill(this.stage, ...nodes);
    this.draw = draw;
    this.show(this.ms);
  }
}

/** What the stage holds, and what puts it into a moment. */
function drawing(stage: StageOf, { overture: words, ...names }: Player["words"]) {
  const { server, track, tunnel, axes } = stage;
  const text = (x: number, y: number, said: string, look = "", anchor = "middle") => {
    const node = svg("text", { x, y, class: look, "text-anchor": anchor });
    node.textContent = said;
    return node;
  };
  const turned = (x: number, y: number, said: string) => {
    const node = text(0, 0, said, "tm-overture-name");
    node.setAttribute("transform", `translate(${x} ${y}) rotate(-90)`);
    return node;
  };
  const phone = (name: string) => {
    return fill(
      svg("g"),
      svg("rect", { x: -15, y: -26, width: 30, height: 52, rx: 6, class: "tm-overture-phone" }),
      svg("line", { x1: -5, x2: 5, y1: 20, y2: 20, class: "tm-overture-line" }),
      text(0, 44, name, "tm-overture-name"),
    );
  };
  const scene = svg("g");
  const way = svg("path", {
    d: `M${stage.phone.x + 28} ${stage.phone.y}H${server.x - 12}`,
    class: "tm-overture-ideal",
  });
  const ben = phone(NAMES.ben);
  ben.setAttribute("transform", `translate(${stage.phone.x} ${stage.phone.y})`);
  const ann = phone(NAMES.ann);
  const rails = svg("line", {
    x1: track.from - 24,
    x2: track.to + 24,
    y1: track.y + 30,
    y2: track.y + 30,
    class: "tm-overture-rail",
  });
  const arch = svg("path", {
    d: `M${tunnel.from} ${track.y + 30}v-44q0-30 30-30H${tunnel.to - 30}q30 0 30 30v44z`,
    class: "tm-overture-tunnel",
  });
  const box = svg("rect", { ...server, rx: 10, class: "tm-overture-server" });
  const bar = svg("rect", { x: server.x + 12, y: server.y + 34, height: 5, rx: 2.5, class: "tm-overture-bar" });
  const count = text(server.x + server.width / 2, server.y + 0.62 * server.height, "0", "tm-overture-count");
  count.style.fontSize = `${0.3 * server.height}px`;
  const round = text(server.x + 12, server.y + 24, words.board, "tm-overture-name", "start");
  const shut = text(server.x + server.width / 2, server.y - 12, words.shut, "tm-overture-shut");
  const truth = text(stage.truth.x, stage.truth.y, say(words.truth, { scored: SCORED }), "tm-overture-truth", "end");
  scene.append(
    rails,
    way,
    ben,
    box,
    bar,
    round,
    count,
    shut,
    ann,
    arch,
    truth,
    text((tunnel.from + tunnel.to) / 2, track.y - 54, words.tunnel_name, "tm-overture-name"),
  );
  const plane = svg("g");
  const [left, top, right, bottom] = [axes.x(0), axes.y(0), axes.x(CLOCK_S), axes.y(CLOCK_S)];
  plane.append(
    svg("rect", { x: left, y: top, width: axes.x(ROUND_S) - left, height: bottom - top, class: "tm-overture-band" }),
    svg("path", { d: `M${left} ${top}V${bottom}H${right}`, class: "tm-overture-axis" }),
    svg("path", { d: `M${left} ${top}L${right} ${bottom}`, class: "tm-overture-ideal" }),
    svg("path", { d: `M${left} ${axes.y(CLOSES_S)}H${right}`, class: "tm-overture-closing" }),
    text(right, bottom + 38, names.event_time_s, "tm-overture-name", "end"),
    turned(left - 34, (top + bottom) / 2, names.arrival_axis_at_s),
    text(right, axes.y(CLOSES_S) - 7, words.shut, "tm-overture-shut tm-overture-small", "end"),
    text(
      left,
      top - 14,
      say(words.sum, { scored: SCORED, counted: COUNTED, lost: SCORED - COUNTED }),
      "tm-overture-name",
      "start",
    ),
    ...[0, 5, 10, 15].flatMap((each) => [
      text(axes.x(each), bottom + 18, String(each), "tm-overture-tick"),
      text(left - 8, axes.y(each) + 4, String(each), "tm-overture-tick", "end"),
    ]),
  );
  const dots = POINTS.map(({ player }) => {
    return fill(
      svg("g"),
      svg("circle", { r: 11, class: "tm-overture-dot" }),
      svg("path", { d: "M-9 -9L9 9M9 -9L-9 9", class: "tm-overture-cross" }),
      text(17, 1, NAMES[player], "tm-overture-whose", "start"),
    );
  });
  const draw = (moment: Moment) => {
    scene.setAttribute("opacity", String(moment.scene));
    plane.setAttribute("opacity", String(moment.plane));
    ann.setAttribute("transform", `translate(${moment.train.x} ${moment.train.y})`);
    bar.setAttribute("width", String((server.width - 24) * Math.min(1, moment.clock / CLOSES_S)));
    count.textContent = String(moment.count);
    box.classList.toggle("tm-overture-closed", moment.closed);
    shut.setAttribute("opacity", String(Number(moment.closed)));
    truth.setAttribute("opacity", String(moment.truth));
    moment.dots.forEach(({ x, y, shown, kind }, index) => {
      dots[index].setAttribute("transform", `translate(${x} ${y})`);
      dots[index].setAttribute("opacity", String(shown));
      dots[index].setAttribute("class", `tm-overture-point tm-overture-${kind}`);
      dots[index].lastElementChild?.setAttribute("opacity", String(moment.plane));
    });
  };
  return { nodes: [plane, scene, ...dots], draw };
}
