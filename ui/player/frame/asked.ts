// The author's questions at the desk: what the reader has tried, the reply to it, and a word before one is skipped.
import { sentences } from "../base/format.ts";
import { keepTried, keptTried } from "../base/kept_tried.ts";
import type { Player } from "../player.ts";
import type { StoppingPlace } from "../types/player.ts";

export class Asked {
  player: Player;
  /** the places of the choices that were tried, in order */
  picks: Map<StoppingPlace, number[]> = new Map();
  /** the question about which the reader has been asked whether to skip it */
  warned: StoppingPlace | null = null;

  constructor(player: Player) {
    this.player = player;
  }

  /** The question at the player's step; null without one, and where Predict or present mode asks it. */
  get here() {
    const { payload, predictor, present, step } = this.player;
    if (present.on || predictor.here) return null;
    return payload.beats.find((beat) => beat.step === step && beat.choices.length > 0) ?? null;
  }

  /** The question that waits for its right answer. */
  get open() {
    const { here } = this;
    return here && !this.solved(here) ? here : null;
  }

  tried(question: StoppingPlace) {
    let tried = this.picks.get(question);
    if (!tried) {
      const { visit } = this.player;
      tried = visit.on ? visit.tried(question) : keptTried(this.key(question), question.choices.length);
      this.picks.set(question, tried);
    }
    return tried;
  }

  key(question: StoppingPlace) {
    return `${this.player.payload.name} ${question.step}`;
  }

  /** Whether there is nothing more to answer; a question that is not graded takes one answer. */
  solved(question: StoppingPlace) {
    if (question.answer === null) return this.tried(question).length > 0;
    return question.answer !== null && this.tried(question).includes(question.answer);
  }

  /**
   * What is said to the last answer: whether it is right, and why, or what it overlooks; null before the first one.
   * Of a question that is not graded, that the answer is kept.
   */
  reply(question: StoppingPlace) {
    const last = this.tried(question).at(-1);
    if (last === undefined) return null;
    const { words } = this.player;
    if (question.answer === null) return { right: null, verdict: words.student.kept, text: words.student.look };
    return this.solved(question)
      ? { right: true, verdict: words.predict.right, text: question.because }
      : { right: false, verdict: words.predict.wrong, text: sentences(question.replies[last], words.predict.again) };
  }

  /** Takes an answer to the open question. The first one counts for the score of Predict. */
  choose(index: number) {
    const question = this.open;
    if (!question || index >= question.choices.length || this.tried(question).includes(index)) return false;
    const tried = [...this.tried(question), index];
    this.picks.set(question, tried);
    this.player.now.notice.clear();
    this.player.predictor.note(question, index);
    if (this.player.visit.on) this.player.visit.answered(question, tried);
    else keepTried(this.key(question), tried);
    this.player.paint();
    return true;
  }

  /** Whether the way on has to wait: a question is open, and the reader has not yet been asked whether to skip it. */
  holds() {
    const { open } = this;
    if (!open || this.warned === open) return false;
    this.warned = open;
    this.player.now.notice.tell(this.player.words.predict.skip);
    return true;
  }

  /** Says that playing waits for an answer; false where nothing is asked. */
  waits() {
    if (!this.open && !this.player.predictor.open) return false;
    this.player.now.notice.tell(this.player.words.predict.waits);
    return true;
  }
}
