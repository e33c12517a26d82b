// The player: shows one scenario's facts at any step. It renders facts and knows no rule of the engine.
import { addressOf, compareAddress, stepInAddress } from "./base/address.ts";
import { el, fill, freeArrows } from "./base/dom.ts";
import { Facts } from "./base/facts.ts";
import { Glossary } from "./base/glossary.ts";
import { Telling } from "./base/telling.ts";
import { CodeWalk } from "./base/reading.ts";
import { Times, say } from "./base/format.ts";
import { BatchCard, TimersCard } from "./cards/timers.ts";
import { NowCard } from "./cards/now.ts";
import { OutputCard, Room, WatermarkCard } from "./cards/output.ts";
import { QueryCard } from "./cards/query.ts";
import { CodeDrawer, FactTables } from "./drawers/tables.ts";
import { Differences } from "./drawers/differences.ts";
import { Drawers } from "./drawers/drawers.ts";
import { TextLog, helpDrawers } from "./drawers/help.ts";
import { StateDrawer } from "./drawers/state.ts";
import { Asked, Predictor } from "./frame/predict.ts";
import { Bookmarks, Transport } from "./frame/transport.ts";
import { CompareWith, Find } from "./frame/find.ts";
import { Chain } from "./frame/chain.ts";
import { Controls } from "./frame/controls.ts";
import { GlossaryTip } from "./frame/glossary.ts";
import { fitTitle, footRow, sentence, titleRow } from "./frame/head.ts";
import { Jumps, LiveRegion, neighbour } from "./frame/jumps.ts";
import { commandsOf, listen } from "./frame/keys.ts";
import { LawStrip } from "./drawers/laws.ts";
import { LinkedView, PlaceKeeper, stepLeftAt } from "./frame/place.ts";
import { Narrow } from "./frame/narrow.ts";
import { Presentation } from "./frame/present.ts";
import { Scrubber } from "./frame/scrubber.ts";
import { Watches } from "./frame/watches.ts";
import { Account } from "./picture/account.ts";
import { Plane, PlaneView } from "./picture/chart.ts";
import { Drag } from "./picture/drag.ts";
import { JoinView } from "./picture/join.ts";
import { Lanes } from "./picture/lanes.ts";
import { Motion } from "./picture/motion.ts";
import { Lecture } from "./lecture/lecture.ts";
import { NotesLink } from "./lecture/notes_link.ts";
import { Poll } from "./lecture/poll.ts";
import { Share } from "./share/dialog.ts";
import { EmbedHead, Outside } from "./share/embed.ts";
import { Searches, TryOuts } from "./share/tryouts.ts";
import { Story } from "./story/story.ts";
import { Visit } from "./story/visit.ts";
import { WhyCard } from "./why/panel.ts";
import type { LinkView, OpenedPlace, Payload, Swap, TryOut } from "./types/player.ts";
import type { PlayerWords } from "#types/words";

/** What the parts of the player read: facts, words and times, the step, and what the page has opened them with. */
class PlayerContents {
  payload: Payload;
  packed: Uint8Array<ArrayBuffer>;
  alone: boolean;
  /** What an edition does not hold, notes or answers, is not offered either. */
  isStudents: boolean;
  hasNotes: boolean;
  words: PlayerWords;
  glossary: Glossary;
  times: Times;
  facts: Facts;
  telling: Telling;
  walk: CodeWalk;
  last: number;
  step: number;
  view: LinkView = {};
  open: (place: OpenedPlace) => void;
  /** what is shown at first instead of the original */
  tryOut: TryOut | null;

  /** `packed`: the bytes that `payload` came in; `alone`: the step at which a page without a server opens. */
  constructor(
    payload: Payload,
    open: (place: OpenedPlace) => void,
    { packed, alone, tryOut = null }: { packed: Uint8Array<ArrayBuffer>; alone?: number; tryOut?: TryOut | null },
  ) {
    this.payload = payload;
    this.packed = packed;
    this.alone = alone !== undefined;
    this.isStudents = payload.edition === "student";
    this.hasNotes = payload.edition === "full";
    this.words = payload.words;
    this.glossary = new Glossary(payload.words.glossary);
    this.times = new Times(payload.style, payload.words);
    this.facts = new Facts(payload.tables, payload.strings);
    this.telling = new Telling(payload, this.facts, this.times);
    this.walk = new CodeWalk(payload, this.facts, this.telling);
    this.last = payload.steps - 1;
    const begins = tryOut?.step ?? stepInAddress(payload.name) ?? alone ?? stepLeftAt(payload.name) ?? 0;
    this.step = Math.min(begins, this.last);
    this.open = open;
    this.tryOut = tryOut;
  }
}

export class Player extends PlayerContents {
  /** puts another player in the place of this one, as main.ts sets it */
  swap: Swap = () => {};
  /** the stops, and what they were made from */
  stopping: { of: number[]; breaks: number[]; all: number[] } | null = null;
  /** the step that the picture shows */
  drawn = 0;
  root = el("div", "tidemark-player", null, {
    "data-scenario": this.payload.name,
    "data-steps": this.payload.steps,
    "data-step": this.step,
    "data-ready": "false",
    "data-dated": this.times.dated,
  });
  canvas = el("div", "tm-plane", null, { role: "img" });
  planeCard = el("section", "tm-card tm-plane-card");
  outside = new Outside(this);
  place = new PlaceKeeper(this.payload.name, this.last, this.view);
  plane = new Plane(this.canvas, this.payload);
  join = new JoinView(this);
  orientation = new PlaneView(this);
  account = new Account(this);
  chain = new Chain(this);
  lanes = new Lanes(el("div", "tm-lanes", null, { "aria-hidden": "true" }), this);
  motion = new Motion(this);
  now = new NowCard(this);
  bookmarks = new Bookmarks(this);
  live = new LiveRegion(this);
  lecture = new Lecture(this);
  notes = new NotesLink(this);
  poll = new Poll(this);
  present = new Presentation(this);
  predictor = new Predictor(this);
  asked = new Asked(this);
  scrubber = new Scrubber(this);
  find = new Find(this);
  watches = new Watches(this);
  jumps = new Jumps(this);
  controls = new Controls(this);
  transport = new Transport(this);
  searches = new Searches(this);
  visit = new Visit(this);
  tryouts = new TryOuts(this, this.tryOut);
  drag = new Drag(this);
  why = new WhyCard(this);
  share = new Share(this);
  compareWith = new CompareWith(this);
  embed = new EmbedHead(this);
  commands = commandsOf(this);
  tip = new GlossaryTip(this);
  story = new Story(this);
  lawStrip = new LawStrip(this);
  drawers = new Drawers(this, this.drawerList());
  linked = new LinkedView(this);
  room = new Room(this);
  parts;
  narrow: Narrow;
  stopFitting;
  stopKeys?: () => void;
  resizing?: ResizeObserver;
  onPop?: () => void;
  onLeave?: () => void;
  laid?: boolean;
  closed?: boolean;

  constructor(parent: HTMLElement, ...contents: ConstructorParameters<typeof PlayerContents>) {
    super(...contents);
    const { planeCard: plane, join } = this;
    const legends = fill(el("div", "tm-legend-row"), ...join.legends, join.choice, this.orientation.node);
    plane.append(
      this.tryouts.node,
      this.chain.node,
      legends,
      this.account.node,
      this.canvas,
      this.lanes.container,
      join.tables.node,
      join.node,
    );
    this.plane.scene.whyLines.before(this.tryouts.ghost);
    const waiting = this.facts.all("batches").length ? new BatchCard(this) : new TimersCard(this);
    const cards = [this.now, new QueryCard(this), waiting, new WatermarkCard(this), new OutputCard(this)];
    this.parts = [
      ...cards,
      this.orientation,
      this.account,
      this.chain,
      this.lanes,
      this.present.channels,
      this.join,
      this.why,
      this.transport,
      this.jumps,
      this.find,
      this.watches,
      this.lawStrip,
      this.drawers,
      this.live,
      this.tip,
      this.predictor,
      this.poll,
      this.notes,
      this.story,
      this.visit,
      this.room,
      this.embed,
      this.tryouts,
      this.outside,
    ];
    const [now, ...others] = cards.map((card) => card.node);
    const { opening, ending } = this.story;
    const side = el("div", "tm-side");
    side.append(this.predictor.node, opening.node, now, ending.node, ...others, this.why.node);
    this.why.listen(plane);
    const stage = el("div", "tm-stage");
    plane.append(this.present.channels.node);
    const first = [this.predictor.node, opening.node, now, ending.node, this.why.node];
    this.narrow = new Narrow(this, first, legends);
    stage.append(
      plane,
      this.present.words,
      side,
      this.visit.end.node,
      this.poll.door,
      this.present.panel.node,
      this.poll.sheet,
      this.drawers.sheet,
    );
    const title = titleRow(this, this.open);
    this.stopFitting = fitTitle(title, title.querySelector("h1") as Element);
    this.root.append(
      this.visit.frame.head,
      title,
      sentence(this),
      this.embed.node,
      this.present.head,
      this.lawStrip.node,
      stage,
      this.transport.node,
      this.visit.frame.controls,
      footRow(this),
      this.drawers.aside,
      this.live.node,
      this.lecture.card.node,
      this.lecture.montage.node,
      this.notes.notice,
      this.present.black,
      this.present.spotlight.node,
      this.share.node,
      this.tip.node,
    );
    this.narrow.start(side);
    // Only now: the first visit, a part of the player, may have chosen its own words, whatever the reader's are.
    this.root.dataset.level = this.telling.level;
    this.controls.set();
    this.telling.onChange(() => this.retell());
    freeArrows(this.root);
    fill(parent, this.root);
  }

  /** The drawers, in the order of their buttons. */
  drawerList() {
    const { words } = this;
    return [
      Object.assign(new CodeDrawer(this), { name: "code", title: words.code.title, cap: "O" }),
      Object.assign(new TextLog(this), { name: "text", title: words.steps_as_text, cap: "S" }),
      Object.assign(new Differences(this), { name: "differences", title: words.differences.title, cap: "D" }),
      Object.assign(new StateDrawer(this), { name: "state", title: words.state.title, cap: "I" }),
      Object.assign(new FactTables(this), { name: "table", title: words.table, cap: "T", always: true }),
      ...helpDrawers(this),
    ];
  }

  async start() {
    this.stopKeys = listen(this);
    if (!this.alone) document.title = say(this.words.page_title, { page: this.payload.title });
    if (!this.drag.held) await this.plane.open(); // where one run follows another, nothing blinks
    if (this.closed) return;
    this.resizing = new ResizeObserver(() => this.layout());
    this.resizing.observe(this.planeCard);
    this.onPop = () => this.visit.follow();
    window.addEventListener("popstate", this.onPop);
    this.onLeave = () => this.remember();
    window.addEventListener("tidemark:leaving", this.onLeave);
    this.layout();
    this.visit.start();
    this.linked.openAsLinked();
    this.present.openAsLinked();
    this.paint();
    this.lecture.ready();
    this.notes.start();
    this.root.dataset.ready = "true";
    this.outside.begin();
    this.place.at(this.step);
    this.drag.goOn();
  }

  layout() {
    this.laid = true;
    this.embed.layout();
    this.present.fit();
    this.measure();
    this.paint();
  }

  measure() {
    const room = this.planeCard.clientHeight - this.canvas.offsetTop - this.present.channels.height;
    this.lanes.layout((room * this.lanes.share) / this.plane.big);
    this.plane.resize(this.canvas.clientWidth, this.canvas.clientHeight);
    this.join.layout();
    this.transport.layout();
  }

  /** What happened at `step` and why, in sentences of the chosen level: {what, why}. */
  said(step: number) {
    return this.telling.told(step);
  }

  /** Other words for the same step. */
  retell() {
    this.root.dataset.level = this.telling.level;
    this.controls.set();
    this.watches.again();
    this.layout();
  }

  /** Shows `step` (kept within the run): at once, and without a word to the server. */
  go(step: number) {
    const wanted = this.predictor.halts(this.step, Math.min(Math.max(step, 0), this.last));
    if (wanted === this.step) return;
    this.motion.finish();
    this.step = wanted;
    this.paint();
    this.place.at(wanted);
  }

  /** Before the picture has its size, only the step is kept: a key may be pressed while its font is on the way. */
  paint() {
    this.root.dataset.step = String(this.step);
    if (!this.laid) return;
    this.present.settle(this.step);
    this.present.show();
    // While a question is open, the step before its answer.
    const step = this.predictor.shown(this.present.shown(this.step));
    this.drawn = step;
    this.plane.turn(step);
    // First the plane: a Why card finds room for its notes in what the plane shows.
    this.plane.rounds = this.times.rounds;
    this.plane.show(step);
    for (const part of this.parts) part.show(step);
    this.canvas.setAttribute("aria-label", this.said(step).what);
    this.root.dispatchEvent(new CustomEvent("tidemark:painted", { detail: { step: this.step } }));
  }

  /** Where an arrow key stops: at what matters at the level of the words (not in the visit), beats, breakpoints. */
  get stops() {
    const stops = this.visit.stops ?? this.telling.stops;
    const { breaks } = this.watches;
    if (this.stopping?.of !== stops || this.stopping.breaks !== breaks) {
      const beats = this.payload.beats.map((beat) => beat.step);
      const all = [...new Set([...stops, ...beats, ...breaks])].sort((a, b) => a - b);
      this.stopping = { of: stops, breaks, all };
    }
    return this.stopping.all;
  }

  /** The next stop, or the one before; beyond them the end of the run, or its beginning. */
  goStop(direction: number) {
    if (direction > 0 && this.visit.halts()) return;
    const stop = neighbour(this.stops, this.step, direction) ?? (direction > 0 ? this.last : 0);
    this.motion.step(() => this.go(stop));
  }

  /** The first step of the next stream item, or of the one before; a breakpoint on the way comes first. */
  goItem(direction: number) {
    const { step, last } = this;
    const item = neighbour(this.payload.items, step, direction) ?? (direction > 0 ? last : 0);
    const stop = neighbour(this.watches.breaks, step, direction) ?? item;
    this.motion.step(() => this.go(direction > 0 ? Math.min(item, stop) : Math.max(item, stop)));
  }

  /** Where to begin: with the last step of stream item `item`, or of the one before. */
  startAt(item: number) {
    const steps = this.facts.table("steps");
    while (this.step > 0 && steps.row(this.step).item > item) this.step -= 1;
    while (this.step < this.last && steps.row(this.step + 1).item <= item) this.step += 1;
  }

  remember() {
    this.place.write();
  }

  /** The address of Compare with this scenario beside another side B, at the moment at which record `item` arrives. */
  comparing(other: { [part: string]: string }, item: number) {
    const earlier = new Set(this.facts.all("records").map((row) => row.item));
    const moment = 2 * [...earlier].filter((each) => each < item).length;
    return compareAddress(this.payload.name, { ...other, moment: String(moment) });
  }

  link() {
    return addressOf(this.payload.name, this.place.begun ? this.step : null, this.view).href;
  }

  close() {
    this.closed = true;
    this.motion.finish();
    this.transport.stop();
    this.present.close();
    this.notes.close();
    this.lecture.close();
    this.poll.close();
    this.live.close();
    this.narrow.close();
    this.room.close();
    this.stopFitting();
    this.share.close();
    this.visit.close();
    this.embed.close();
    this.outside.close();
    this.place.close();
    this.tryouts.close();
    this.drag.close();
    this.tip.end();
    this.stopKeys?.();
    this.resizing?.disconnect();
    if (this.onPop) window.removeEventListener("popstate", this.onPop);
    if (this.onLeave) window.removeEventListener("tidemark:leaving", this.onLeave);
    this.plane.close();
  }
}
