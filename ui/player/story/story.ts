// A scenario as a story: what it is about before the first step, what it showed after the last.
import { sentences } from "../base/format.ts";
import { stepInAddress } from "../frame/place.ts";
import { Ending } from "./ending.ts";
import { Opening } from "./opening.ts";
import type { Player } from "../player.ts";

export class Story {
  player: Player;
  texts;
  /** Whether the reader is still before the first step. */
  before: boolean;
  /** Whether what it showed was asked for although a question is still open at the last step. */
  asked = false;
  opening: Opening;
  ending: Ending;

  /** A link that names a step opens exactly that step; any other one begins with the opening. */
  constructor(player: Player) {
    this.player = player;
    const { name, story } = player.payload;
    this.texts = story;
    this.before = stepInAddress(name) === null && player.step === 0;
    this.opening = new Opening(player);
    this.ending = new Ending(player);
    player.place.begun = !this.before;
  }

  /** What is read before the first step: what to look for, or what it is about. */
  get first() {
    return this.texts.look_for || this.texts.summary;
  }

  /** Page Up before the first beat. */
  begin() {
    this.follow(null);
  }

  /** Goes to the step that an address names; to the opening where it names none. */
  follow(step: number | null) {
    const { player } = this;
    const before = step === null;
    if (player.step === (step ?? 0) && this.before === before) return;
    this.before = before;
    player.place.begun = !before;
    if (player.step === (step ?? 0)) player.paint();
    else player.go(step ?? 0);
  }

  /** Page Down after the last beat. */
  end() {
    const { player } = this;
    if (player.step < player.last) player.go(player.last);
    else {
      this.asked = true;
      player.paint();
    }
  }

  /** Whether the reader stands at the last step and nothing is asked there any more. */
  get isOver() {
    const { player, asked } = this;
    return player.step === player.last && (asked || !player.root.classList.contains("tm-asking"));
  }

  show() {
    const { player } = this;
    if (player.step > 0 && this.before) {
      this.before = false;
      player.place.begun = true;
    }
    if (player.step < player.last) this.asked = false;
    const opens = this.before && !player.present.on && !player.drawers.open;
    const ends = this.isOver && !player.present.on && !player.drawers.open;
    this.opening.node.hidden = !opens;
    this.ending.show(ends);
    player.root.classList.toggle("tm-opening-story", opens);
    player.root.classList.toggle("tm-ending-story", ends);
  }

  /** What is said instead of the step's sentences while presenting or in a course page; null for nothing. */
  sentences() {
    const { player, texts } = this;
    if (this.before && this.first) return { what: player.present.on ? "" : player.payload.title, why: this.first };
    if (player.step === player.last && texts.takeaway) return { what: "", why: texts.takeaway };
    return null;
  }

  /** What is read out before the first step; null afterwards. */
  spoken() {
    if (!this.before || this.player.present.on) return null;
    return sentences(this.player.payload.title, this.texts.summary, this.texts.look_for);
  }
}
