// The first visit: a few scenarios one after another, each one screen, for somebody who has never been here.
import {
  addressOf,
  embeddedInAddress,
  nothingInAddress,
  openPage,
  ownInAddress,
  stepInAddress,
  valueInAddress,
} from "../frame/place.ts";
import { legendItem } from "../frame/head.ts";
import { scenariosSeen } from "../base/kept_seen.ts";
import { keepVisit, keptVisit, nothingKept } from "../base/kept_visit.ts";
import { press } from "./opening.ts";
import { VisitEnd } from "./visit_end.ts";
import { VisitFrame } from "./visit_frame.ts";
import type { Player } from "../player.ts";
import type { StoppingPlace } from "../types/player.ts";

const VISIT_MODE = "tm-visit";

/** The value by which the address says that the last scene is over. */
const OVER = "end";

/** As `NOWHERE` of ui/server/visitor.py: this visitor has been here. */
const BEEN_HERE = "-";

export class Visit {
  player: Player;
  /** The names of its scenes, also outside of it; [] where none can be opened. */
  scenes: string[];
  order;
  over: boolean;
  turning = false;
  kept;
  /** Where an arrow key stops: at the author's beats and at the end; null for the stops of the level. */
  stops: number[] | null;
  frame: VisitFrame;
  end: VisitEnd;

  constructor(player: Player) {
    this.player = player;
    const { payload } = player;
    const asked = this.inAddress;
    const here = asked !== null || nothingInAddress();
    this.scenes = player.alone || embeddedInAddress() ? [] : (payload.visit?.scenes ?? []).map((each) => each.name);
    this.order = here && !ownInAddress() && this.scenes.includes(payload.name) ? (payload.visit ?? null) : null;
    this.over = this.order !== null && asked === OVER;
    this.kept = keptVisit();
    this.stops = this.order && payload.beats.length ? [player.last] : null;
    this.frame = new VisitFrame(player, this);
    this.end = new VisitEnd(player, this);
    if (!this.order) return;
    player.view.visit = this.over ? OVER : "1";
    player.telling.take(player.telling.levels[0]);
    player.root.classList.add("tm-visiting");
    // Who has never seen one does not know that a white dot is yet to be decided.
    player.join.legends[0].append(legendItem(player, "arrived"));
    player.root.classList.toggle("tm-visit-channels", this.manyChannels);
    player.root.classList.toggle("tm-visit-timeless", !player.facts.all("watermark").some((row) => row.value !== null));
    document.documentElement.classList.add(VISIT_MODE);
    this.kept.scene = payload.name;
    keepVisit(this.kept);
  }

  /** What the address says: "1" for a scene, "end" for what follows the last one, null outside of the visit. */
  get inAddress() {
    return valueInAddress(this.player.payload.name, "visit");
  }

  /** Whether the scenario is shown as a scene of the visit. */
  get on() {
    return this.order !== null;
  }

  get manyChannels() {
    return this.player.facts.all("channels").some((row) => row.channel > 0);
  }

  /** Whether somebody comes from the visit and has not yet seen a scenario of the library to its end. */
  get isFresh() {
    const finished = Object.entries(scenariosSeen()).filter(([, seen]) => seen?.finished);
    return !this.on && this.kept.scene !== "" && finished.every(([name]) => this.scenes.includes(name));
  }

  /** The way back: to the scene that was left, or, once it is finished, to the beginning of a new one. */
  reenter() {
    const { kept, scenes } = this;
    if (kept.finished) keepVisit(nothingKept());
    const scene = kept.finished || !scenes.includes(kept.scene) ? scenes[0] : kept.scene;
    openPage(`./?${new URLSearchParams({ scenario: scene, visit: "1" })}`);
  }

  /** The place of the scene in the order, from 0. */
  get index() {
    return this.order?.scenes.findIndex((each) => each.name === this.player.payload.name) ?? -1;
  }

  /** The scene that follows; null after the last one. */
  get next() {
    return this.order?.scenes[this.index + 1] ?? null;
  }

  /** Whether a question at this step has no answer yet. */
  get asks() {
    const { player } = this;
    const beat = player.payload.beats.find((each) => each.step === player.step && each.choices.length > 0);
    return this.on && beat !== undefined && !(this.key(beat) in this.kept.answers);
  }

  /**
   * Whether the question at this step must be answered first; then it gets the focus, and none of its choices: the key
   * that led to it would choose that.
   */
  halts() {
    if (!this.asks) return false;
    this.player.now.focusQuestion();
    return true;
  }

  key(beat: StoppingPlace) {
    return `${this.player.payload.name} ${beat.step}`;
  }

  /** The choices that were tried, also before a reload. */
  tried(beat: StoppingPlace) {
    return this.kept.answers[this.key(beat)]?.tried?.filter((each) => each in beat.choices) ?? [];
  }

  /** Somebody has answered; the first answer is what they believed. */
  answered(beat: StoppingPlace, tried: number[]) {
    const [chosen] = tried;
    const answer = {
      scene: this.player.payload.name,
      question: beat.text,
      chosen: beat.choices[chosen],
      right: chosen === beat.answer,
      reply: beat.replies?.[chosen] || beat.because,
    };
    const key = this.key(beat);
    this.kept.answers[key] = { ...(this.kept.answers[key] ?? answer), tried };
    keepVisit(this.kept);
    this.frame.show();
  }

  /** What the button at the lower edge does: a step, the next scene, or the end. */
  forward() {
    const { player } = this;
    // The reason was read; it would hide what the author says next.
    if (player.why.isOpen) player.why.close();
    if (!player.story.isOver) player.story.opening.step();
    else if (player.tryouts.now) player.tryouts.back();
    else if (this.next) this.go(this.next.name);
    else this.finish();
  }

  back() {
    const { player } = this;
    if (this.over) this.reopen(player.payload.name);
    else if (player.step > 0) press(player, "ArrowLeft");
    else if (player.tryouts.now) player.tryouts.back();
    else if (this.index > 0) this.go(this.order?.scenes[this.index - 1].name ?? "");
  }

  /** Another scene, from its beginning. */
  go(name: string) {
    const { player } = this;
    if (this.turning || name === player.payload.name) return;
    this.turning = true;
    player.transport.stop();
    player.remember();
    player.place.leave();
    const address = addressOf(name, null, { visit: "1" });
    window.history.pushState(window.history.state, "", address);
    player.open(Object.fromEntries(address.searchParams));
  }

  /** The last scene is over: what the visitor got right, and where to go on. */
  finish() {
    this.kept.finished = true;
    keepVisit(this.kept);
    this.turn(true);
  }

  /** From the end back to a scene. */
  reopen(name: string) {
    if (name === this.player.payload.name) this.turn(false);
    else this.go(name);
  }

  /** To the end, or from it to the scene: another place in the browser's history. */
  turn(over: boolean) {
    const { place, step } = this.player;
    place.at(step);
    place.write();
    window.history.pushState(window.history.state, "", window.location.href);
    this.become(over);
  }

  /** After Back or Forward, or a link to the same scenario: shows what the address says. */
  follow() {
    const { player } = this;
    if (!player.place.isHere || nothingInAddress()) return;
    if (this.on !== (this.inAddress !== null)) {
      const { payload, packed } = player.tryouts.now?.original ?? player;
      player.place.leave();
      player.swap(payload, packed, null);
      return;
    }
    const over = this.inAddress === OVER;
    player.story.follow(stepInAddress(player.payload.name));
    if (this.on && over !== this.over) this.become(over);
  }

  again() {
    this.kept = { ...nothingKept(), scene: this.player.payload.name };
    keepVisit(this.kept);
    this.go(this.order?.scenes[0].name ?? "");
  }

  become(over: boolean) {
    const { player } = this;
    this.over = over;
    player.view.visit = over ? OVER : "1";
    player.place.home = over ? BEEN_HERE : player.payload.name;
    player.place.at(player.step);
    player.place.write();
    player.paint();
  }

  /**
   * Skips the rest, which the library offers to take up again.
   * @param scenario where to go
   * @param page where to go without one
   */
  leave(scenario: string | null = null, page = "./library") {
    const { player } = this;
    player.place.home = BEEN_HERE;
    player.place.at(player.step);
    player.place.write();
    if (scenario) player.open(scenario);
    else openPage(page);
  }

  show() {
    if (!this.on) return;
    const { player, kept } = this;
    player.root.classList.toggle("tm-visit-over", this.over);
    if (player.story.isOver && !player.tryouts.now && !kept.done.includes(player.payload.name)) {
      kept.done.push(player.payload.name);
      keepVisit(kept);
    }
    this.frame.show();
    this.end.show(this.over);
  }

  close() {
    document.documentElement.classList.remove(VISIT_MODE);
  }
}
