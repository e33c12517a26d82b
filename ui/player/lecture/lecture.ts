// A lecture: scenarios presented one after another, with a title card before each and one at the end.
import { addressOf, embeddedInAddress, goTo, valueInAddress } from "../base/address.ts";
import { el, fileName, fill, save, pushButton } from "../base/dom.ts";
import { fourSteps, sheetOf } from "../share/figure.ts";
import { isWhole, readKept, writeKept } from "../base/kept.ts";
import { minutesAlong, say, sentences } from "../base/format.ts";
import { smallPlane } from "../base/small.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { CardKind, LectureOrder, LectureScenario } from "../types/lecture.ts";
import type { Player } from "../player.ts";

export class Lecture extends PlayerPart {
  id: string | null =
    this.player.alone || embeddedInAddress() ? null : valueInAddress(this.player.payload.name, "lecture");
  clock = new Clock(this.id ?? this.player.payload.name);
  card: TitleCard;
  montage = new Montage(this.player);
  turning = false;
  onOrder;
  toLastBeat?: boolean;

  constructor(player: Player) {
    super(player);
    const { name } = player.payload;
    player.view.lecture = this.id;
    this.card = new TitleCard(player, this);
    this.onOrder = () => this.know();
    window.addEventListener("tidemark:lecture", this.onOrder);
    this.begin(this.id && valueInAddress(name, "present") === "1" ? valueInAddress(name, "card") : null);
  }

  /** The order of the lecture, once it has arrived; null outside of one. */
  get order() {
    const order = globalThis.tidemarkLecture;
    return this.id && order?.id === this.id && order.scenarios.some((each) => each.name === this.player.payload.name)
      ? order
      : null;
  }

  /** Whether beats, cards and scenarios follow each other: a lecture is being presented. */
  get runs() {
    return this.player.present.on && (this.order !== null || this.card.kind !== null);
  }

  /** The place of this scenario in the order, from 0; -1 without an order. */
  get index() {
    return this.order?.scenarios.findIndex((each) => each.name === this.player.payload.name) ?? -1;
  }

  /** Which scenario of how many this is, the minutes planned for it, and the names of those that are missing. */
  get plan() {
    const { order } = this;
    if (!order) return null;
    const { missing, title } = order;
    return {
      number: this.index + 1,
      count: order.scenarios.length,
      planned: plannedMinutes(order, this.index),
      title,
      missing,
    };
  }

  /**
   * Starts at the card that the address names.
   * @param card "1" for the title; "end" for the last beat, to which a presenter goes back
   */
  begin(card: string | null) {
    this.toLastBeat = card === "end";
    if (!card) return;
    // Otherwise the page under the card would be visible for a moment, until the picture is ready.
    document.documentElement.classList.add("tm-presenting");
    this.setCard("title");
  }

  /** Keeps what lies under a card or the four pictures out of reach. */
  cover() {
    this.player.root.classList.toggle("tm-covered", this.card.kind !== null || this.montage.isOpen);
  }

  /** The order has arrived. */
  know() {
    this.card.show();
    this.player.present?.show();
  }

  setCard(kind: CardKind | null) {
    this.player.view.card = kind === "title" && !this.toLastBeat ? "1" : null;
    this.card.set(kind);
    this.player.live?.show();
  }

  /** Everything is drawn: a presenter who went back gets the last beat. */
  ready() {
    if (!this.toLastBeat) return;
    this.toLastBeat = false;
    this.setCard(null);
    this.player.go(this.player.present.beatSteps.at(-1) ?? this.player.last);
  }

  /** What PageDown and PageUp do to the lecture before they go from beat to beat; true if they did something. */
  page(direction: number) {
    const { player } = this;
    if (this.montage.isOpen) {
      this.montage.close();
      return true;
    }
    if (!this.runs) return false;
    if (this.turning || this.toLastBeat) return true;
    if (this.card.kind) {
      this.pageOfCard(direction);
      return true;
    }
    if (direction > 0 && player.present.asks) return false;
    const { beatSteps } = player.present;
    const stops = beatSteps.length ? beatSteps : [0, player.last];
    if (stops.some((step) => (direction > 0 ? step > player.step : step < player.step))) return false;
    if (direction > 0) this.turn(1);
    else this.setCard("title");
    this.changed();
    return true;
  }

  pageOfCard(direction: number) {
    const { player } = this;
    if (this.card.kind === "end") {
      if (direction < 0) this.setCard(null);
    } else if (direction < 0) this.turn(-1);
    else {
      if (!this.order || this.index === 0) this.clock.start();
      this.setCard(null);
      player.present.lead(player.present.beatSteps[0] ?? 0);
    }
    this.changed();
  }

  /** On to the next scenario, or back to the one before. */
  turn(direction: number) {
    const { player, order } = this;
    if (!order) return;
    const other = order.scenarios[this.index + direction];
    player.transport.stop();
    if (!other) {
      if (direction > 0) this.setCard("end");
      return;
    }
    this.turning = true;
    this.card.set("title", other);
    player.place.leave();
    const address = addressOf(other.name, 0, { lecture: this.id, present: "1", card: direction > 0 ? "1" : "end" });
    goTo(address, true);
    player.open(Object.fromEntries(address.searchParams));
  }

  changed() {
    this.player.place.at(this.player.step);
    this.player.present.show();
    this.player.poll.show();
  }

  /** Whether the next player takes over: then the screen stays as it is. */
  get handsOver() {
    return this.turning;
  }

  /** Leaving the presentation leaves the cards too; the lecture itself stays in the address. */
  leave() {
    if (this.card.kind) this.setCard(null);
    this.montage.close();
  }

  close() {
    window.removeEventListener("tidemark:lecture", this.onOrder);
    this.montage.close();
  }
}

// Four steps of the run on one sheet, to leave on the screen at the end of a lecture.

/** Of one picture, so that four of them can be read from the last row. */
const ON_SCREEN = { wide: 760, high: 410 };

class Montage extends PlayerPart {
  node = el("section", "tm-montage tm-paper", null, { "aria-label": this.player.words.lecture.montage });
  address: string | null = null;

  constructor(player: Player) {
    super(player);
    this.node.hidden = true;
  }

  get isOpen() {
    return !this.node.hidden;
  }

  toggle() {
    if (this.isOpen) this.close();
    else this.open();
  }

  async open() {
    const { player } = this;
    const { words } = player;
    player.transport.stop();
    this.node.hidden = false;
    player.lecture.cover();
    const said = el("p", "tm-montage-said", words.lecture.drawing, { role: "status" });
    fill(this.node, said);
    const steps = fourSteps(player);
    const blob = await sheetOf(player, steps, "png", ON_SCREEN).catch(() => null);
    if (!this.isOpen) return;
    if (!blob) {
      said.textContent = words.lecture.not_drawn;
      return;
    }
    this.address = URL.createObjectURL(blob);
    const alt = steps.map((step) => player.said(step).what).join(" ");
    const foot = el("div", "tm-montage-foot");
    foot.append(
      this.button(words.lecture.save, "", () =>
        save(blob, fileName(player.payload.name, `steps-${steps.join("-")}`, "png")),
      ),
      this.button(words.close, "E", () => this.close()),
    );
    fill(this.node, el("img", "", null, { src: this.address, alt }), foot);
  }

  button(text: string, cap: string, run: () => void) {
    const button = pushButton("tm-button", text, run);
    if (cap) button.append(el("kbd", "", cap));
    return button;
  }

  close() {
    this.node.hidden = true;
    this.player.lecture.cover();
    fill(this.node);
    if (this.address) URL.revokeObjectURL(this.address);
    this.address = null;
  }
}

// How long a presentation has been going on. Its start is kept in this tab, so that a reload does not lose it.

const KEPT_CLOCK = "tidemark.clock";

class Clock {
  of: string;
  /** ms since 1970 */
  started: number | null;

  /** @param of the lecture or scenario that is timed; another one starts from zero */
  constructor(of: string) {
    this.of = of;
    const kept = readKept(KEPT_CLOCK, (read) => (isWhole(read.started) ? read : null), "tab");
    this.started = kept?.of === of ? kept.started : null;
  }

  /** Starts from now, or if it `goesOn`, from where it started before. */
  start({ goesOn = false }: { goesOn?: boolean } = {}) {
    if (goesOn && this.started !== null) return;
    this.started = Date.now();
    writeKept(KEPT_CLOCK, { of: this.of, started: this.started }, "tab");
  }
}

/**
 * The minutes planned for a scenario, from the start of the lecture; null where it or one before it does not say.
 * @param index of the scenario
 */
function plannedMinutes({ scenarios, minutes }: LectureOrder, index: number) {
  const planned = minutesAlong(scenarios.map((each) => each.minutes))[index];
  return planned ? { ...planned, minutes } : null;
}

// The cards of a lecture: the title before a scenario, and what was shown at the end.

/** Of the pictures at the end. */
const ROWS = 3;
const LEAST_COLUMNS = 5;

class TitleCard {
  player: Player;
  lecture: Lecture;
  words;
  node: HTMLElement;
  kind: CardKind | null = null;
  of: LectureScenario | null = null;

  constructor(player: Player, lecture: Lecture) {
    this.player = player;
    this.lecture = lecture;
    this.words = player.words.lecture;
    this.node = el("section", "tm-title-card", null, { "aria-label": this.words.card });
    this.node.hidden = true;
  }

  /**
   * @param kind null for no card
   * @param of the scenario that is announced, if it is not this one
   */
  set(kind: CardKind | null, of: LectureScenario | null = null) {
    this.kind = kind;
    this.of = of;
    this.node.hidden = kind === null;
    this.lecture.cover();
    this.show();
  }

  show() {
    if (this.kind === null) return;
    fill(this.node, this.kind === "end" ? this.end() : this.title());
  }

  title() {
    const { words, lecture, player } = this;
    const { order } = lecture;
    const name = this.of?.name ?? player.payload.name;
    const index = order?.scenarios.findIndex((each) => each.name === name) ?? -1;
    const scenario = order?.scenarios[index];
    const planned = order && plannedMinutes(order, index);
    const body = el("div", "tm-title-body");
    const place = scenario ? say(words.place, { number: index + 1, count: order?.scenarios.length }) : "";
    const minutes = planned ? say(words.minutes, planned) : "";
    body.append(
      el("p", "tm-title-place", [place, minutes].filter(Boolean).join(" · ")),
      el("h1", "", scenario?.title ?? player.payload.title),
      el("p", "tm-title-summary", scenario?.summary ?? ""),
    );
    const begin = this.button(words.begin, "PgDn", () => lecture.page(1));
    const first = order === null || index === 0;
    return [this.head(order, index === 0), body, this.foot(index, order, first ? [...this.ways(), begin] : [begin])];
  }

  /** What the first card offers besides: the way out, and the look of the screen. */
  ways() {
    const { present, words } = this.player;
    const light = this.button(this.words.light, "D", () => present.changeLight());
    light.title = this.words.light_about;
    return [this.button(words.present.leave, "Esc", () => present.leave()), light];
  }

  end() {
    const { words, lecture, player } = this;
    const { order } = lecture;
    const scenarios = order?.scenarios ?? [];
    const body = el("div", "tm-title-body");
    const pictures = scenarios.every((each) => each.picture);
    const list = fill(el("ol", "tm-title-list"), ...scenarios.map((each) => this.entry(each, pictures)));
    list.classList.toggle("tm-title-pictures", pictures);
    body.classList.toggle("tm-with-pictures", pictures);
    list.style.setProperty("--tm-columns", String(Math.max(LEAST_COLUMNS, Math.ceil(scenarios.length / ROWS))));
    body.append(el("h1", "", order?.title), list);
    const buttons = [
      this.button(words.montage, "E", () => lecture.montage.toggle()),
      this.button(player.words.present.leave, "Esc", () => player.present.leave()),
    ];
    return [
      el("p", "tm-title-head", `${words.end} · ${this.questions()}`),
      body,
      this.foot(scenarios.length, order, buttons),
    ];
  }

  /**
   * A scenario that was shown.
   * @param pictures whether each has its plane in small
   */
  entry({ title, picture }: LectureScenario, pictures: boolean) {
    const item = el("li");
    if (pictures && picture) item.append(smallPlane(picture));
    item.append(el("span", "", title));
    return item;
  }

  /** @param begins whether nothing was shown yet */
  head(order: LectureOrder | null, begins: boolean) {
    const parts = order ? [order.minutes ? say(this.words.head, order) : order.title] : [];
    return el("p", "tm-title-head", [...parts, ...(begins ? [this.questions()] : [])].join(" · "));
  }

  /** Where the class finds the questions that are asked before and after. */
  questions() {
    const { host, pathname } = window.location;
    return say(this.words.questions, { address: `${host}${pathname.replace(/[^/]*$/, "")}inventory` });
  }

  /** How far the lecture has come, with a bar for each scenario as long as its minutes; and what to do now. */
  foot(index: number, order: LectureOrder | null, buttons: HTMLElement[]) {
    const bar = el("div", "tm-title-bar", null, { "aria-hidden": "true" });
    for (const [number, each] of (order?.scenarios ?? []).entries()) {
      const part = el("i", number < index ? "tm-done" : number === index ? "tm-here" : "");
      part.style.flexGrow = String(Math.max(each.minutes, 1));
      bar.append(part);
    }
    return fill(el("div", "tm-title-foot"), bar, ...buttons);
  }

  button(text: string, cap: string, run: () => void) {
    const button = pushButton("tm-button", text, run);
    button.append(el("kbd", "", cap));
    return button;
  }

  /** What is read out while a card is shown; null without one. */
  spoken() {
    if (this.kind === null) return null;
    return sentences(...[...this.node.querySelectorAll("p, h1, li")].map((each) => each.textContent ?? ""));
  }
}
