// Present mode: the plane, the lanes and two sentences for a whole room. It hides the future, and answers until asked.
import { valueInAddress } from "../base/address.ts";
import { el, fill, icon, pushButton } from "../base/dom.ts";
import { say } from "../base/format.ts";
import { LARGER, PRESENTING, projectorScale, wholeScreen } from "../base/projector.ts";
import { neighbour } from "./jumps.ts";
import { QuestionPanel } from "./predict.ts";
import { keepText, keptChoice } from "../base/kept.ts";
import { holderOf, sided } from "../base/reading.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { Player } from "../player.ts";
import type { StoppingPlace } from "../types/player.ts";
import type { ShownChannel } from "#types/payload";

const LARGER_IN_HAND = 1.15;
const LIGHTS = ["tm-light", "tm-dark"];

export class Presentation extends PlayerPart {
  on = false;
  whole = false;
  question: StoppingPlace | null = null;
  /** the place of the choice */
  chosen: number | null = null;
  revealed = false;
  beats = this.player.payload.beats;
  beatSteps: number[] = this.player.payload.beats.map((beat) => beat.step);
  button = pushButton("tm-button tm-present-button", null, () => this.enter());
  number = el("span", "tm-present-beat");
  head: HTMLElement;
  words = el("section", "tm-card tm-present-words");
  what = el("p", "tm-present-what");
  why = el("p", "tm-present-why");
  panel = new QuestionPanel(this.player);
  channels = new ChannelStrip(this.player);
  spotlight = new Spotlight(this.player);
  way = new BeatWay(this.player);
  black = el("div", "tm-black", null, { "aria-label": this.player.words.present.black });
  onScreen;

  constructor(player: Player) {
    super(player);
    const { words } = player;
    this.button.append(icon("screen"), el("span", "tm-label", words.present.open), el("kbd", "", "P"));
    this.head = this.headRow();
    this.words.append(this.what, this.why);
    this.black.hidden = true;
    this.black.addEventListener("click", () => this.blacken());
    this.onScreen = () => {
      if (!document.fullscreenElement && this.whole) this.leave();
    };
    document.addEventListener("fullscreenchange", this.onScreen);
  }

  headRow() {
    const { words, payload } = this.player;
    const brief = el("p", "tm-brief");
    for (const piece of payload.brief) {
      const part = el("span");
      for (const [text, strong] of piece) part.append(strong ? el("b", "", text) : text);
      brief.append(part);
    }
    const leave = pushButton("tm-button tm-plain", words.present.leave, () => this.leave());
    leave.append(el("kbd", "", "Esc"));
    return fill(
      el("header", "tm-present-head"),
      el("h1", "", payload.title),
      brief,
      el("span", "tm-spring"),
      this.number,
      this.player.hasNotes ? this.player.notes.button : "",
      leave,
    );
  }

  /** Opens it if the link says so. */
  openAsLinked() {
    if (valueInAddress(this.player.payload.name, "present") === "1") this.enter({ whole: false });
  }

  toggle() {
    if (this.on) this.leave();
    else this.enter();
  }

  /** `whole`: also asks the browser for the whole screen, which it grants only to a click or a key. */
  enter({ whole = true }: { whole?: boolean } = {}) {
    const { player } = this;
    if (this.on) return;
    this.on = true;
    if (player.drawers.open) player.drawers.toggle(null);
    player.why.close();
    for (const pop of [player.jumps.menu, player.find.pop]) pop.close(false);
    const { classList } = document.documentElement;
    classList.add(PRESENTING);
    // A lecture keeps its light or dark look from scenario to scenario.
    if (!LIGHTS.some((each) => classList.contains(each))) classList.add(LIGHTS[0]);
    this.whole = Boolean(document.fullscreenElement);
    player.lecture.clock.start({ goesOn: player.lecture.id !== null || !whole });
    if (whole) {
      wholeScreen().then((granted) => {
        this.whole ||= granted;
      });
    }
    this.changed("1");
  }

  leave() {
    if (!this.on) return;
    this.way.finish();
    this.on = false;
    this.black.hidden = true;
    this.spotlight.set("");
    this.player.why.close();
    this.stopWhole();
    this.tidy();
    this.player.lecture.leave();
    this.changed(null);
    this.button.focus({ preventScroll: true });
  }

  tidy() {
    document.documentElement.classList.remove(PRESENTING, ...LIGHTS);
  }

  stopWhole() {
    const whole = this.whole;
    this.whole = false;
    if (whole && document.fullscreenElement) document.exitFullscreen().catch(() => {});
  }

  changed(inLink: string | null) {
    const { player } = this;
    player.view.present = inLink;
    player.root.dataset.mode = this.on ? "present" : "desk";
    player.layout();
    player.place.at(player.step);
  }

  /** How much larger than on a screen of 1280 x 720 everything is drawn; a phone, held in a hand, needs no more. */
  get big() {
    return this.player.narrow.on ? 1 : projectorScale();
  }

  /** Takes the size of the screen; before the picture is measured. */
  fit() {
    const { player, big } = this;
    player.root.style.setProperty("--tm-big", String(big));
    const larger = !this.on ? 1 : player.narrow.on ? LARGER_IN_HAND : LARGER * big;
    if (player.plane.big === larger) return;
    player.lanes.container.style.zoom = this.on ? String(larger) : "";
    player.plane.enlarge(larger);
  }

  /** Swaps light and dark. It starts light, whatever the system prefers, because projectors wash out the dark. */
  changeLight() {
    for (const each of LIGHTS) document.documentElement.classList.toggle(each);
    this.player.paint();
  }

  /** Turns the screen black, and back: what the keys "." and "b" of a remote control do everywhere. */
  blacken() {
    this.black.hidden = !this.black.hidden;
    this.player.transport.stop();
    this.player.notes.tell();
  }

  // --- questions --------------------------------------------------------------------------------------------------

  /** The question that is open: asked, not yet answered. */
  get asks() {
    return this.question !== null && !this.revealed;
  }

  /** Whether what has not happened yet is hidden. */
  get hidesFuture() {
    const { asked, predictor, visit } = this.player;
    return this.on || visit.on || predictor.hides || asked.open !== null;
  }

  /** Whether any question is open, here or at the desk. */
  get waits() {
    const { asked, predictor } = this.player;
    return this.asks || predictor.open !== null || asked.open !== null;
  }

  /** The step whose facts are shown at `step`: before the answer while a question is open, after it afterwards. */
  shown(step: number) {
    const { question } = this;
    if (!question) return step;
    return this.asks ? question.before : (question.until ?? step);
  }

  /** Adapts to `step`. A question stands where the words stood, so the picture keeps its place and its axes. */
  settle(step: number) {
    const { player } = this;
    this.way.seen(step);
    const had = this.question;
    this.question = (this.on && this.beats.find((beat) => beat.step === step && beat.choices.length > 0)) || null;
    if (had !== this.question) {
      this.chosen = null;
      this.revealed = false;
    }
    player.plane.keepFuture(this.hidesFuture, this.waits);
    player.root.classList.toggle("tm-past-only", this.hidesFuture);
    this.panel.node.hidden = this.question === null;
  }

  choose(index: number) {
    if (!this.question || !this.asks || index >= this.question.choices.length) return;
    this.chosen = this.chosen === index ? null : index;
    this.show();
  }

  reveal() {
    if (!this.asks) return;
    if (this.player.poll.running) this.player.poll.results();
    else this.tellAnswer();
  }

  tellAnswer() {
    if (!this.asks) return;
    this.revealed = true;
    this.player.paint();
  }

  /** PageDown and PageUp, also of a clicker: an open question is answered first; then it goes from beat to beat. */
  page(direction: number) {
    const { player } = this;
    if (this.way.finish()) return undefined;
    if (!this.black.hidden) return this.blacken();
    if (player.poll.page(direction) || player.lecture.page(direction)) return undefined;
    if (direction > 0 && this.asks) return this.reveal();
    if (direction > 0 && player.asked.holds()) return undefined;
    if (!this.beats.some((beat) => beat.step > 0)) return player.goItem(direction);
    const step = neighbour(this.beatSteps, player.step, direction);
    if (step !== undefined) this.lead(step);
    else if (direction > 0) {
      player.story.end();
      if (!player.predictor.open) player.live.tell(player.words.present.was_last);
    } else player.story.begin();
    return undefined;
  }

  /** Shows the beat at `step`; while presenting, by the steps in between. At a question they end before its answer. */
  lead(step: number) {
    const { player } = this;
    const beat = this.beats.find((each) => each.step === step);
    const until = beat?.choices.length ? beat.before : step;
    if (this.on) this.way.go(step, { seen: this.shown(player.step), until });
    else player.go(step);
  }

  playOrReveal() {
    if (this.player.poll.page(1)) return;
    if (this.asks) this.reveal();
    else this.player.transport.toggle();
  }

  // --- what stands beside the picture -----------------------------------------------------------------------------

  /** What happens at the step and why; at a beat, its author's words instead. */
  sentences() {
    const { player } = this;
    const beat = this.beats.find((each) => each.step === player.step && each.choices.length === 0);
    if (beat) return { what: "", why: beat.text };
    return player.story.sentences() ?? player.said(player.step);
  }

  /** What is read out instead of the step's sentences while a question is shown; null without one. */
  spoken() {
    return (
      this.player.lecture.card.spoken() ?? (this.question ? this.panel.spoken(this.question, this.revealed) : null)
    );
  }

  show() {
    const { player } = this;
    if (!this.on) return;
    this.words.classList.toggle("tm-on-the-way", this.way.moves);
    if (this.way.moves) return;
    const number = this.beatSteps.indexOf(player.step);
    const beat = number < 0 ? "" : say(player.words.present.beat, { number: number + 1, count: this.beats.length });
    const { plan } = player.lecture;
    this.number.textContent = [plan && say(player.words.lecture.place, plan), beat].filter(Boolean).join(" · ");
    this.words.hidden = this.question !== null;
    if (this.question) this.panel.show(this.question, this.chosen, this.revealed);
    else {
      this.write(this.sentences());
    }
    player.notes.tell();
  }

  write({ what, why }: { what: string; why: string }) {
    this.words.classList.toggle("tm-author", what === "");
    this.what.textContent = what;
    this.why.textContent = why;
  }

  close() {
    this.way.stop();
    this.spotlight.close();
    document.removeEventListener("fullscreenchange", this.onScreen);
    if (!this.on || this.player.lecture.handsOver) return;
    this.stopWhole();
    this.tidy();
  }
}

// While presenting: on the way from beat to beat the steps in between pass by, so that a room sees how one became the
// other. It takes 2 s at most, any key ends it, and it can be switched off.

const LONGEST_WAY = 2000; // ms
const EACH_STEP = 120; // ms
const KEPT_WAY = "tidemark.way";

export class BeatWay extends PlayerPart {
  calm: MediaQueryList = window.matchMedia("(prefers-reduced-motion: reduce)");
  wanted: boolean = keptChoice(KEPT_WAY, ["0", "1"]) !== "0";
  /** where it leads; null while nothing moves */
  to: number | null = null;
  /** The step that it shows now. */
  at = 0;
  frame = 0;

  get moves() {
    return this.to !== null;
  }

  /** Whether steps are seen to pass: never for those who asked their system for less motion. */
  get on() {
    return this.wanted && !this.calm.matches;
  }

  /**
   * Leads to `step`. The picture moves from `seen` to `until`: what it shows now, and at the end.
   * @param picture steps
   */
  go(step: number, { seen, until }: { seen: number; until: number }) {
    this.stop();
    const far = Math.abs(until - seen);
    if (!this.on || far < 2 || document.hidden) {
      this.player.go(step);
      return;
    }
    this.to = step;
    const long = Math.min(far * EACH_STEP, LONGEST_WAY);
    const began = performance.now();
    const tick = (now: number) => {
      const part = Math.max(now - began, 0) / long;
      if (part >= 1) {
        this.finish();
        return;
      }
      this.frame = requestAnimationFrame(tick);
      this.at = seen + Math.trunc((until - seen) * part);
      this.player.go(this.at);
    };
    this.at = this.player.step;
    this.frame = requestAnimationFrame(tick);
    this.player.present.show();
  }

  /** Jumps to its end; false if nothing moves. */
  finish() {
    const { to, player } = this;
    this.stop();
    if (to === null) return false;
    if (player.step === to) player.paint();
    else player.go(to);
    return true;
  }

  /** Whoever goes to another step ends it there. */
  seen(step: number) {
    if (step !== this.at) this.stop();
  }

  stop() {
    cancelAnimationFrame(this.frame);
    this.to = null;
  }

  /** Switches it on or off, for this browser, and says so. */
  toggle() {
    const { words, notes, live } = this.player;
    this.wanted = !this.wanted;
    keepText(KEPT_WAY, this.wanted ? "1" : "0");
    const said = !this.wanted ? words.present.way_off : this.on ? words.present.way_on : words.present.way_calm;
    notes.say([said]);
    live.tell(said);
  }
}

// While presenting: the channels and their watermarks in one line, where there are several or one falls idle. There the
// smallest of them is the point, and the picture shows only that.

/** More have no room beside each other. */
const MOST_ABREAST = 4;

class ChannelStrip extends PlayerPart {
  node = el("ol", "tm-channel-strip", null, { "aria-label": this.player.words.watermark });
  severalInputs: boolean;

  constructor(player: Player) {
    super(player);
    const { facts } = player;
    const first = facts.at("channels", 0);
    this.severalInputs = new Set(first.map((row) => row.input)).size > 1;
    const batches = facts.all("batches").length > 0;
    const idle = facts.all("channels").some((row) => row.status === "idle");
    this.node.hidden = batches || !(idle || (first.length > 1 && first.length <= MOST_ABREAST));
  }

  /** The room (px) that it takes under the lanes. */
  get height() {
    return this.node.getBoundingClientRect().height;
  }

  name(row: ShownChannel) {
    const { words } = this.player;
    return this.severalInputs ? say(words.channel_of, sided(row, words)) : say(words.channel, row);
  }

  show(step: number) {
    if (this.node.hidden) return;
    const { facts, times, words } = this.player;
    const channels = facts
      .at("channels", step)
      .slice()
      .sort((a, b) => (a.input < b.input ? -1 : a.input > b.input ? 1 : a.channel - b.channel));
    const holder = holderOf(channels);
    fill(
      this.node,
      channels.map((row) => {
        const idle = row.status === "idle";
        const item = el("li", row === holder ? "tm-holds" : idle ? "tm-idle" : "");
        const value = row.watermark === null ? words.none_yet : times.exact(row.watermark);
        item.append(el("span", "", this.name(row)), " ", el("b", "", idle ? `${words.idle} · ${value}` : value));
        return item;
      }),
    );
  }
}

// A pointer for the room: a dot that follows the mouse or the finger, or a light that leaves all around it dim.

const LIGHT_KINDS = ["", "dot", "spot"];

class Spotlight extends PlayerPart {
  node = el("div", "tm-spotlight", null, { "aria-hidden": "true" });
  kind = "";
  onMove;

  constructor(player: Player) {
    super(player);
    this.node.hidden = true;
    this.onMove = (event: PointerEvent) => this.at(event.clientX, event.clientY);
    window.addEventListener("pointermove", this.onMove);
    window.addEventListener("pointerdown", this.onMove);
    this.at(window.innerWidth / 2, window.innerHeight / 2);
  }

  at(x: number, y: number) {
    this.node.style.left = `${x}px`;
    this.node.style.top = `${y}px`;
  }

  /** The dot, then the light, then neither. */
  turn() {
    this.set(LIGHT_KINDS[(LIGHT_KINDS.indexOf(this.kind) + 1) % LIGHT_KINDS.length]);
  }

  set(kind: string) {
    this.kind = kind;
    this.node.hidden = kind === "";
    this.node.dataset.kind = kind;
    this.player.root.classList.toggle("tm-lit", kind !== "");
  }

  close() {
    window.removeEventListener("pointermove", this.onMove);
    window.removeEventListener("pointerdown", this.onMove);
  }
}
