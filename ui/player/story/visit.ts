// The first visit: a few scenarios one after another, each one screen, for somebody who has never been here.
import { EndCard } from "./end_card.ts";
import {
  addressOf,
  embeddedInAddress,
  goTo,
  linkTo,
  nothingInAddress,
  openPage,
  ownInAddress,
  stepInAddress,
  valueInAddress,
} from "../base/address.ts";
import { legendItem } from "../frame/head.ts";
import { keepVisit, keptVisit, nothingKept, scenariosSeen, type VisitAnswer } from "../base/kept.ts";
import { Overture } from "./overture.ts";
import { press } from "./story.ts";
import { el, fill, icon, mark, pushButton } from "../base/dom.ts";
import { say } from "../base/format.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { Player } from "../player.ts";
import type { StoppingPlace } from "../types/player.ts";

const VISIT_MODE = "tm-visit";

/** The value by which the address says that the last scene is over. */
const OVER = "end";

/** The value by which it says that the opening plays. */
const OPENING = "opening";

/** As `NOWHERE` of ui/server/screen.py: this visitor has been here. */
const BEEN_HERE = "-";

export class Visit extends PlayerPart {
  /** The names of its scenes, also outside of it; [] where none can be opened. */
  scenes: string[];
  order;
  over: boolean;
  turning = false;
  kept = keptVisit();
  /** Where an arrow key stops: at the author's beats and at the end; null for the stops of the level. */
  stops: number[] | null;
  frame: VisitFrame;
  end: VisitEnd;
  /** what plays before the first scene, for somebody who has never been here; null otherwise */
  overture: Overture | null = null;

  constructor(player: Player) {
    super(player);
    const { payload } = player;
    const asked = this.inAddress;
    const here = asked !== null || nothingInAddress();
    this.scenes = player.alone || embeddedInAddress() ? [] : (payload.visit?.scenes ?? []).map((each) => each.name);
    this.order = here && !ownInAddress() && this.scenes.includes(payload.name) ? (payload.visit ?? null) : null;
    this.over = this.order !== null && asked === OVER;
    this.stops = this.order && payload.beats.length ? [player.last] : null;
    this.frame = new VisitFrame(player, this);
    this.end = new VisitEnd(player, this);
    if (!this.order) return;
    const isNew = asked === null && this.kept.scene === "" && player.step === 0;
    if (this.index === 0 && (isNew || asked === OPENING)) this.overture = new Overture(player, this);
    player.view.visit = this.overture ? OPENING : this.over ? OVER : "1";
    player.telling.take(player.telling.levels[0]);
    player.root.classList.add("tm-visiting");
    // Who has never seen one does not know that a white dot is yet to be decided.
    player.join.legends[0].append(legendItem(player, "arrived"));
    player.root.classList.toggle("tm-visit-first", this.index === 0);
    player.root.classList.toggle("tm-visit-channels", this.manyChannels);
    player.root.classList.toggle("tm-visit-timeless", !player.facts.all("watermark").some((row) => row.value !== null));
    document.documentElement.classList.add(VISIT_MODE);
    if (!this.overture) this.keepScene();
  }

  keepScene() {
    this.kept.scene = this.player.payload.name;
    keepVisit(this.kept);
  }

  /** The opening plays, until the reader begins the tour or leaves it. */
  start() {
    const { overture, player } = this;
    if (!overture) return;
    player.root.append(overture.node);
    player.root.classList.add("tm-overture-on");
    overture.start();
  }

  /** The first scene, after the opening. */
  begin() {
    const { player } = this;
    this.endOverture();
    player.view.visit = "1";
    player.place.at(player.step);
    player.layout();
    this.frame.button?.focus();
  }

  endOverture() {
    this.overture?.close();
    this.overture = null;
    this.player.root.classList.remove("tm-overture-on");
    this.keepScene();
  }

  /** What the address says: "opening", "1" for a scene, "end" for what follows the last one; null outside of them. */
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
    openPage(linkTo("", { scenario: scene, visit: "1" }));
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
    goTo(address, true);
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
    goTo(window.location.href, true);
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
    this.overture?.close();
    document.documentElement.classList.remove(VISIT_MODE);
  }
}

// The end of the first visit: what the visitor got right, what the other answers overlook, and where to go on.

class VisitEnd extends EndCard {
  visit: Visit;

  constructor(player: Player, visit: Visit) {
    super(player, "tm-visit-end", player.words.visit.over);
    this.visit = visit;
  }

  parts() {
    const { visit, player } = this;
    const { words } = player;
    const answers = Object.values(visit.kept.answers);
    const right = answers.filter((each) => each.right).length;
    const wrong = answers.filter((each) => !each.right);
    const score = answers.length
      ? say(words.visit[wrong.length ? "score" : "all_right"], { right, count: answers.length })
      : words.visit.no_answers;
    const known = this.known(answers);
    const head = el("div", "tm-visit-verdict");
    head.append(el("h2", "tm-visit-over-title", words.visit.over), el("p", "tm-visit-score", score));
    const shown = el("div", "tm-visit-shown");
    if (known.length) shown.append(el("h3", "", words.visit.right), this.list(known, "right", "tm-visit-known"));
    if (wrong.length) shown.append(el("h3", "", words.visit.beliefs), this.beliefs(wrong));
    const ways = el("div", "tm-visit-ways");
    const foot = el("div", "tm-story-foot");
    foot.append(
      this.button(words.visit.library, "tm-button", () => visit.leave()),
      this.button(words.visit.measure, "tm-button", () => visit.leave(null, "./inventory")),
      this.button(words.visit.practise, "tm-button", () => visit.leave(null, "./practice")),
      this.button(words.visit.again, "tm-button tm-plain", () => visit.again()),
    );
    if (visit.order?.onward.length) {
      ways.append(
        el("h3", "", words.visit.onward),
        this.onward(),
        el("p", "tm-visit-hint tm-quiet", words.visit.onward_hint),
      );
    }
    ways.append(foot);
    return [head, ...(answers.length ? [shown] : []), ways];
  }

  /** What the scenes showed whose questions were all answered right the first time. */
  known(answers: VisitAnswer[]) {
    return (this.visit.order?.scenes ?? [])
      .filter(({ name }) => {
        const own = answers.filter((each) => each.scene === name);
        return own.length > 0 && own.every((each) => each.right);
      })
      .map(({ says }) => [el("p", "", says)]);
  }

  /** What was believed where an answer was wrong, and what that overlooks. */
  beliefs(answers: VisitAnswer[]) {
    const said = ({ question, chosen, reply }: VisitAnswer) => [
      el("p", "tm-quiet", question),
      el("p", "tm-visit-chosen", say(this.player.words.visit.you_said, { answer: chosen })),
      el("p", "", reply),
    ];
    return this.list(answers.map(said), "dropped", "tm-visit-beliefs");
  }

  /** @param kind the mark in front of each */
  list(entries: HTMLElement[][], kind: string, look: string) {
    const list = el("ul", look);
    for (const parts of entries) {
      list.append(fill(el("li"), mark(kind), fill(el("div"), ...parts)));
    }
    return list;
  }

  /** The scenarios to go to next. */
  onward() {
    const { visit } = this;
    const list = el("ul", "tm-visit-onward");
    for (const { name, title, says } of visit.order?.onward ?? []) {
      const button = this.button("", "tm-visit-door", () => visit.leave(name));
      button.append(el("b", "", title), el("span", "", says));
      list.append(fill(el("li"), button));
    }
    return list;
  }

  button(text: string, look: string, run: () => void) {
    return pushButton(look, text, run);
  }
}

// What stands around a scene of the first visit: how far it has come, the way out, and the one button that leads on.

class VisitFrame {
  player: Player;
  visit: Visit;
  head = el("header", "tm-visit-head");
  controls = el("div", "tm-visit-controls");
  scenes?: HTMLOListElement;
  skip?: HTMLButtonElement;
  backButton?: HTMLButtonElement;
  button?: HTMLButtonElement;

  constructor(player: Player, visit: Visit) {
    this.player = player;
    this.visit = visit;
    this.head.hidden = this.controls.hidden = !visit.on;
    if (!visit.order) return;
    const { words } = player;
    const scenes = el("ol", "tm-visit-scenes", null, { "aria-label": words.visit.scenes });
    scenes.append(...visit.order.scenes.map((each, index) => this.scene(each, index)));
    const skip = pushButton("tm-button tm-plain tm-visit-skip", words.visit.skip, () => visit.leave());
    const label = el("span", "tm-visit-label", words.visit.scenes, { "aria-hidden": "true" });
    this.head.append(el("h1", "", visit.order.title), label, scenes, el("span", "tm-spring"), skip);
    const back = pushButton("tm-button tm-visit-back", null, () => visit.back(), { "aria-label": words.visit.back });
    back.append(icon("back"), el("span", "tm-label", words.visit.back));
    const button = pushButton("tm-button tm-primary tm-visit-on", null, () => visit.forward());
    this.controls.append(back, button);
    this.scenes = scenes;
    this.skip = skip;
    this.backButton = back;
    this.button = button;
  }

  scene({ name, title }: { name: string; title: string }, index: number) {
    const button = pushButton(
      "",
      String(index + 1),
      () => (this.visit.over ? this.visit.reopen(name) : this.visit.go(name)),
      { title },
    );
    return fill(el("li"), button);
  }

  /** Which scenes are over, and which one is open. */
  showScenes() {
    const { visit, player } = this;
    this.scenes?.querySelectorAll("button").forEach((button, index) => {
      const done = visit.kept.done.includes(visit.order?.scenes[index].name ?? "");
      const said = player.words.visit[done ? "scene_done" : "scene"];
      button.setAttribute("aria-label", say(said, { number: index + 1, title: button.title }));
      button.classList.toggle("tm-visit-done", done);
      if (index === visit.index && !visit.over) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    });
  }

  show() {
    const { visit, player } = this;
    if (!visit.on || !this.button) return;
    const { text, arrow } = this.label();
    this.showScenes();
    this.controls.hidden = visit.over;
    if (this.skip) this.skip.hidden = visit.over;
    // A button that turns off loses the focus: the question takes it, once it is there.
    if (visit.asks && document.activeElement === this.button) requestAnimationFrame(() => visit.halts());
    this.button.disabled = visit.asks;
    fill(this.button, el("span", "", text), arrow ? icon("forward") : null);
    if (this.backButton) this.backButton.hidden = player.step === 0 && visit.index === 0 && !player.tryouts.now;
  }

  /** What the button says: it always leads on. */
  label() {
    const { visit, player } = this;
    const { words } = player;
    if (player.story.before) return { text: words.story.start, arrow: true };
    if (visit.asks) return { text: words.visit.answer, arrow: false };
    if (!player.story.isOver) return { text: words.visit.step, arrow: true };
    if (player.tryouts.now) return { text: words.tryout.back, arrow: false };
    if (visit.next) return { text: say(words.story.next, { title: visit.next.title }), arrow: true };
    return { text: words.visit.finish, arrow: true };
  }
}
