// Present mode: the plane, the lanes and two sentences for a whole room. It hides the future, and answers until asked.
import { el } from "../base/dom.js";
import { say } from "../base/format.js";
import { icon } from "../base/icons.js";
import { ChannelStrip } from "./channel_strip.js";
import { neighbour } from "./jumps.js";
import { valueInAddress } from "./place.js";
import { QuestionPanel } from "./question.js";
import { Spotlight } from "./spotlight.js";
/** @import { Player } from "../player.js" */
/** @import { StoppingPlace } from "../types/player.d.ts" */

// On a screen of 1280 x 720 the smallest text of the picture, of 12 px, becomes one of 20; elsewhere all grow with it.
const LARGER = 1.67;
const FULL_SCREEN = { wide: 1280, high: 720 };
const SMALLEST_SCREEN = 0.75;
const LARGER_IN_HAND = 1.15;
const LANES_SHARE = 0.36;
const LANES_SHARE_ABOVE_WORDS = 0.33;
const MODE = "tm-presenting";
const LIGHTS = ["tm-light", "tm-dark"];

export class Presentation {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    this.on = false;
    this.whole = false;
    /** @type {StoppingPlace | null} */
    this.question = null;
    /** What `big` was when the words were sized. */
    this.fitted = 0;
    /** @type {number | null} the place of the choice */
    this.chosen = null;
    this.revealed = false;
    const { words, payload } = player;
    this.beats = payload.beats;
    this.beatSteps = payload.beats.map((beat) => beat.step);
    this.button = el("button", "tm-button tm-present-button", null, { type: "button" });
    this.button.append(icon("screen"), el("span", "tm-label", words.present.open), el("kbd", "", "P"));
    this.button.addEventListener("click", () => this.enter());
    this.number = el("span", "tm-present-beat");
    this.head = this.headRow();
    this.words = el("div", "tm-present-words");
    this.what = el("p", "tm-present-what");
    this.why = el("p", "tm-present-why");
    this.words.append(this.what, this.why);
    this.panel = new QuestionPanel(player);
    this.channels = new ChannelStrip(player);
    this.spotlight = new Spotlight(player);
    this.black = el("div", "tm-black", null, { "aria-label": words.present.black });
    this.black.hidden = true;
    this.black.addEventListener("click", () => this.blacken());
    this.onScreen = () => {
      if (!document.fullscreenElement && this.whole) this.leave();
    };
    document.addEventListener("fullscreenchange", this.onScreen);
  }

  headRow() {
    const { words, payload } = this.player;
    const row = el("header", "tm-present-head");
    const brief = el("p", "tm-brief");
    for (const piece of payload.brief) {
      const part = el("span");
      for (const [text, strong] of piece) part.append(strong ? el("b", "", text) : text);
      brief.append(part);
    }
    const leave = el("button", "tm-button tm-plain", words.present.leave, { type: "button" });
    leave.append(el("kbd", "", "Esc"));
    leave.addEventListener("click", () => this.leave());
    row.append(
      el("h1", "", payload.title),
      brief,
      el("span", "tm-spring"),
      this.number,
      this.player.hasNotes ? this.player.notes.button : "",
      leave,
    );
    return row;
  }

  /** Opens it if the link says so. */
  openAsLinked() {
    if (valueInAddress(this.player.payload.name, "present") === "1") this.enter({ whole: false });
  }

  toggle() {
    if (this.on) this.leave();
    else this.enter();
  }

  /**
   * `whole`: also asks the browser for the whole screen, which it grants only to a click or a key.
   * @param {{ whole?: boolean }} [options]
   */
  enter({ whole = true } = {}) {
    const { player } = this;
    if (this.on) return;
    this.on = true;
    if (player.drawers.open) player.drawers.toggle(null);
    player.why.close();
    for (const pop of [player.jumps.menu, player.find.pop]) pop.close(false);
    const { classList } = document.documentElement;
    classList.add(MODE);
    // A lecture keeps its light or dark look from scenario to scenario.
    if (!LIGHTS.some((each) => classList.contains(each))) classList.add(LIGHTS[0]);
    this.whole = Boolean(document.fullscreenElement);
    player.lecture.clock.start({ goesOn: player.lecture.id !== null || !whole });
    if (whole && document.fullscreenEnabled) {
      document.documentElement.requestFullscreen().then(
        () => {
          this.whole = true;
        },
        () => {},
      );
    }
    this.changed("1");
  }

  leave() {
    if (!this.on) return;
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
    document.documentElement.classList.remove(MODE, ...LIGHTS);
  }

  stopWhole() {
    const whole = this.whole;
    this.whole = false;
    if (whole && document.fullscreenElement) document.exitFullscreen().catch(() => {});
  }

  /** @param {string | null} inLink */
  changed(inLink) {
    const { player } = this;
    player.view.present = inLink;
    player.root.dataset.mode = this.on ? "present" : "desk";
    this.sizeWords();
    player.layout();
    player.place.at(player.step);
  }

  /** How much larger than on a screen of 1280 x 720 everything is drawn; a phone, held in a hand, needs no more. */
  get big() {
    const { innerWidth, innerHeight } = window;
    if (this.player.narrow.on) return 1;
    return Math.max(SMALLEST_SCREEN, Math.min(innerWidth / FULL_SCREEN.wide, innerHeight / FULL_SCREEN.high));
  }

  /** Takes the size of the screen; before the picture is measured. */
  fit() {
    const { player, big } = this;
    player.root.style.setProperty("--tm-big", String(big));
    const larger = !this.on ? 1 : player.narrow.on ? LARGER_IN_HAND : LARGER * big;
    if (player.plane.big === larger && this.fitted === big) return;
    this.fitted = big;
    player.lanes.container.style.zoom = this.on ? String(larger) : "";
    player.plane.enlarge(larger);
    this.sizeWords();
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

  /**
   * The step whose facts are shown at `step`: before the answer while a question is open, after it afterwards.
   * @param {number} step
   */
  shown(step) {
    const { question } = this;
    if (!question) return step;
    return this.asks ? question.before : (question.until ?? step);
  }

  /**
   * Adapts to `step`; true if the room for the picture has changed.
   * @param {number} step
   */
  settle(step) {
    const { player } = this;
    const had = this.question;
    this.question = (this.on && this.beats.find((beat) => beat.step === step && beat.choices.length > 0)) || null;
    if (had !== this.question) {
      this.chosen = null;
      this.revealed = false;
    }
    player.plane.keepFuture(this.hidesFuture);
    player.root.classList.toggle("tm-past-only", this.hidesFuture);
    this.panel.node.hidden = this.question === null;
    player.root.classList.toggle("tm-with-question", this.question !== null);
    return Boolean(had) !== Boolean(this.question);
  }

  /** @param {number} index */
  choose(index) {
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

  /**
   * PageDown and PageUp, also of a clicker: an open question is answered first; then it goes from beat to beat.
   * @param {number} direction
   */
  page(direction) {
    const { player } = this;
    if (!this.black.hidden) return this.blacken();
    if (player.poll.page(direction) || player.lecture.page(direction)) return undefined;
    if (direction > 0 && this.asks) return this.reveal();
    if (direction > 0 && player.asked.holds()) return undefined;
    if (!this.beats.some((beat) => beat.step > 0)) return player.goItem(direction);
    const step = neighbour(this.beatSteps, player.step, direction);
    if (step !== undefined) player.go(step);
    else if (direction > 0) {
      player.story.end();
      if (!player.predictor.open) player.live.tell(player.words.present.was_last);
    } else player.story.begin();
    return undefined;
  }

  playOrReveal() {
    if (this.player.poll.page(1)) return;
    if (this.asks) this.reveal();
    else this.player.transport.toggle();
  }

  /** How much of the picture's height the lanes may take. */
  get lanesShare() {
    return this.on && !this.question ? LANES_SHARE_ABOVE_WORDS : LANES_SHARE;
  }

  /** The height (px) of what stands under the lanes. */
  get below() {
    return [this.channels.node, this.words].reduce((sum, each) => sum + each.getBoundingClientRect().height, 0);
  }

  // --- what stands under the lanes --------------------------------------------------------------------------------

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

  /** @param {{ what: string, why: string }} sentences */
  write({ what, why }) {
    this.words.classList.toggle("tm-author", what === "");
    this.what.textContent = what;
    this.why.textContent = why;
  }

  /** Room for the longest sentences of the run, so that the picture above never moves. */
  sizeWords() {
    this.words.style.height = "";
    if (!this.on) return;
    const steps = this.player.facts.table("steps");
    const longest = { what: "", why: "" };
    for (let index = 0; index < steps.length; index += 1) {
      longest.what = longer(longest.what, steps.value("what", index));
      longest.why = longer(longest.why, steps.value("why", index));
    }
    const { first, texts } = this.player.story;
    const told = [...this.beats.filter((beat) => !beat.choices.length).map((beat) => beat.text), first, texts.takeaway];
    const said = told.map((why) => ({ what: "", why }));
    this.words.hidden = false;
    const heights = [longest, ...said].map((each) => {
      this.write(each);
      return this.words.offsetHeight;
    });
    this.words.style.height = `${Math.max(...heights)}px`;
  }

  close() {
    this.spotlight.close();
    document.removeEventListener("fullscreenchange", this.onScreen);
    if (!this.on || this.player.lecture.handsOver) return;
    this.stopWhole();
    this.tidy();
  }
}

/**
 * @param {string} longest
 * @param {string | null | undefined} text
 */
function longer(longest, text) {
  return text && text.length > longest.length ? text : longest;
}
