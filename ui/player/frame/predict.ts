// Predict mode: the run halts before a result worth asking about, asks, and grades the answer.
import { linkTo, ownInAddress } from "../base/address.ts";
import { el, fill, mark, save, pushButton } from "../base/dom.ts";
import { between, say, sentences } from "../base/format.ts";
import { isWhole, keepTried, keptTried, readKept, soundTable, writeKept } from "../base/kept.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { Player } from "../player.ts";
import type { StoppingPlace } from "../types/player.ts";

const KEPT_ANSWERS = "tidemark.answers";

/** An answer: the place of the choice, and whether it was right; null in a student edition, which does not know. */
type Given = { chosen: number; right: boolean | null };

/** What this browser remembers, by scenario and by question. */
function keptAnswers(): { [scenario: string]: { [question: string]: Given } | undefined } {
  const given = (each: any) => (isWhole(each?.chosen) && [true, false, null].includes(each.right) ? each : null);
  return readKept(KEPT_ANSWERS, (read) => soundTable(read, (each) => soundTable(each, given))) ?? {};
}

export class Predictor extends PlayerPart {
  questions;
  on = false;
  given: { [question: string]: Given } = keptAnswers()[this.player.payload.name] ?? {};
  skipped = new Set();
  button = pushButton("tm-button tm-predict-button", null, () => this.toggle(), {
    "aria-pressed": "false",
    title: this.player.words.predict.mode,
    "aria-keyshortcuts": "Q",
  });
  node = el("section", "tm-card tm-predict", null, { "aria-label": this.player.words.predict.mode });
  title = el("h2");
  choices = el("ol", "tm-predict-choices");
  said = el("div", "tm-predict-said", null, { "aria-live": "polite" });
  foot = el("div", "tm-predict-foot");

  constructor(player: Player) {
    super(player);
    const { payload, words } = player;
    const own = payload.beats.filter((beat) => beat.choices.length);
    const taken = new Set(own.map((beat) => beat.step));
    this.questions = [...own, ...payload.predictions.filter((each) => !taken.has(each.step))].sort(
      (a, b) => a.step - b.step,
    );
    this.button.append(el("span", "tm-label", words.predict.open), el("kbd", "", "Q"));
    this.button.hidden = !this.questions.length;
    this.node.hidden = true;
    this.node.append(this.title, this.choices, this.said, this.foot);
  }

  toggle() {
    const { player } = this;
    if (!this.questions.length) {
      player.live.tell(player.words.predict.none);
      return;
    }
    this.on = !this.on;
    this.button.setAttribute("aria-pressed", String(this.on));
    player.root.classList.toggle("tm-predicting", this.on);
    player.transport.layout();
    player.paint();
    player.find.again();
    this.explain();
  }

  /** Says what the mode does, and leads to the next question. */
  explain() {
    const { player } = this;
    const { words } = player;
    if (!this.on || this.open) {
      player.now.notice.clear();
      player.live.tell(this.on ? words.predict.on : words.predict.off);
      return;
    }
    const next = this.ahead ?? this.questions.find((each) => !this.answered(each));
    if (next) {
      const text = next.step > player.step ? words.predict.starts : words.predict.starts_behind;
      const run = () => player.go(next.step);
      player.now.notice.tell(say(text, { step: next.step }), { label: words.predict.go_there, run });
    } else {
      player.now.notice.tell(words.predict.all_answered, { label: words.predict.forget, run: () => this.forget() });
    }
  }

  /** The next question that has not been answered, from the player's step on; null without one. */
  get ahead() {
    return this.questions.find((each) => each.step >= this.player.step && !this.answered(each)) ?? null;
  }

  /** Whether what lies ahead is hidden: as long as something of it is to be predicted. */
  get hides() {
    return this.on && !this.player.present.on && this.ahead !== null;
  }

  /** The last step of which anything may be told; beyond it a question waits. */
  get limit() {
    return this.hides && this.ahead ? Math.min(this.ahead.before, this.ahead.step) : this.player.last;
  }

  /** A name for a question by its subject, so that it is recognized on another visit. */
  name(question: StoppingPlace) {
    return `${question.kind} ${question.step}`;
  }

  answered(question: StoppingPlace) {
    return this.name(question) in this.given || this.skipped.has(question);
  }

  /** The question at the player's step; null without one. */
  get here() {
    if (!this.on || this.player.present.on) return null;
    return this.questions.find((each) => each.step === this.player.step) ?? null;
  }

  /** The question that waits for an answer. */
  get open() {
    const { here } = this;
    return here && !this.answered(here) ? here : null;
  }

  /** How far the player may go from `step` towards `wanted`: to the next question that has not been answered. */
  halts(step: number, wanted: number) {
    if (!this.on || this.player.present.on || wanted <= step) return wanted;
    if (this.open) return step;
    return (
      this.questions.find((each) => each.step > step && each.step <= wanted && !this.answered(each))?.step ?? wanted
    );
  }

  /** The step whose facts are shown at `step`: before an answer, facts that do not reveal it. */
  shown(step: number) {
    return this.open ? this.open.before : step;
  }

  choose(index: number) {
    const question = this.open;
    if (!question || index >= question.choices.length) return false;
    this.give(question, index);
    this.player.now.notice.clear();
    this.player.paint();
    this.foot.querySelector("button")?.focus();
    return true;
  }

  /** Keeps a first answer that was given without Predict. */
  note(question: StoppingPlace, index: number) {
    if (this.name(question) in this.given) this.report(question, index);
    else this.give(question, index);
  }

  give(question: StoppingPlace, index: number) {
    this.given[this.name(question)] = { chosen: index, right: this.report(question, index) };
    this.keep();
  }

  /** Tells the page around a frame what was chosen. Returns whether that is right; null where nobody here knows. */
  report(question: StoppingPlace, index: number) {
    const right = question.answer === null ? null : index === question.answer;
    this.player.outside.tell("answered", { question: this.name(question), text: question.text, chosen: index, right });
    return right;
  }

  reveal() {
    if (!this.open) return;
    this.skipped.add(this.open);
    this.player.paint();
  }

  /** Goes on to the step that shows the answer. */
  goOn() {
    const question = this.here;
    if (question) this.player.go(question.until ?? question.step + 1);
  }

  keep() {
    writeKept(KEPT_ANSWERS, { ...keptAnswers(), [this.player.payload.name]: this.given });
  }

  forget() {
    this.given = {};
    this.skipped.clear();
    this.keep();
    this.player.paint();
    this.explain();
  }

  score() {
    const { words } = this.player;
    const given = this.questions.map((each) => this.given[this.name(each)]).filter(Boolean);
    if (!given.length) return words.predict.score_none;
    if (this.player.isStudents) return say(words.student.given, { count: given.length });
    return say(words.predict.score, { right: given.filter((each) => each.right).length, asked: given.length });
  }

  /** The answers as a file: question, answer given, right answer. */
  save() {
    const answers = this.questions
      .filter((each) => this.given[this.name(each)])
      .map((each) => {
        const { chosen, right } = this.given[this.name(each)];
        return {
          step: each.step,
          question: each.text,
          answer: each.choices[chosen],
          right,
          right_answer: each.choices[each.answer ?? -1],
        };
      });
    const { payload } = this.player;
    const text = JSON.stringify({ scenario: payload.name, title: payload.title, answers }, null, 2);
    save(new Blob([text], { type: "application/json" }), `${payload.name}-answers.json`);
  }

  /** What is read out while there is a question here; null without one. */
  spoken() {
    const { here } = this;
    if (!here) return null;
    return this.open
      ? [here.text, ...here.choices.map((text, index) => `${index + 1}: ${text}`)].join(" ")
      : this.said.textContent;
  }

  show() {
    const question = this.here;
    this.node.hidden = question === null;
    this.player.root.classList.toggle("tm-with-prediction", question !== null);
    if (!question) return;
    const given = this.given[this.name(question)];
    const open = !this.answered(question);
    this.title.textContent = question.text;
    fill(
      this.choices,
      question.choices.map((text, index) => this.choice(question, text, index, given, open)),
    );
    fill(this.said, ...this.answerParts(question, given, open));
    fill(this.foot, ...this.footParts(open));
  }

  choice(question: StoppingPlace, text: string, index: number, given: Given | undefined, open: boolean) {
    const item = el("li");
    const button = pushButton("tm-predict-choice", null, () => this.choose(index));
    const badge = el("span", "tm-predict-number", String(index + 1));
    button.append(badge, el("span", "", text));
    button.disabled = !open;
    if (!open && index === question.answer) {
      button.classList.add("tm-right");
      fill(badge, mark("right"));
    } else if (given?.chosen === index && question.answer === null) {
      button.classList.add("tm-chosen");
    } else if (given?.chosen === index) {
      button.classList.add("tm-wrong");
      fill(badge, mark("dropped"));
    }
    // Once it is answered, only the right choice and one's own matter.
    item.hidden = !open && index !== question.answer && given?.chosen !== index;
    item.append(button);
    return item;
  }

  answerParts(question: StoppingPlace, given: Given | undefined, open: boolean) {
    const { words } = this.player;
    if (open) return [];
    if (question.answer === null) {
      const { kept, look } = words.student;
      return given ? [el("b", "", kept), between(kept, look), look] : [];
    }
    const parts: (Node | string)[] = [];
    if (given) {
      const verdict = given.right ? words.predict.right : words.predict.wrong;
      const said = el("b", given.right ? "tm-said-right" : "tm-said-wrong", verdict);
      parts.push(said, between(verdict, question.because));
    }
    parts.push(question.because);
    const wrong = given && !given.right ? question.replies[given.chosen] : "";
    if (!wrong) return parts;
    const belief = el("p", "tm-predict-belief", wrong);
    const name = given && question.beliefs?.[given.chosen];
    if (name && !this.player.alone && !ownInAddress()) belief.append(" ", this.seeBelief(name));
    return [...parts, belief];
  }

  /** A link to the page Compare, where the belief runs beside the truth. */
  seeBelief(belief: string) {
    const { payload, words } = this.player;
    return el("a", "tm-see-belief", words.ways.see_belief, {
      href: linkTo("compare", { scenario: payload.name, belief }),
    });
  }

  footParts(open: boolean) {
    const { words } = this.player;
    const button = (text: string, cap: string, act: () => void, look = "") => {
      const node = pushButton(`tm-button ${look}`, text, act);
      if (cap) node.append(el("kbd", "", cap));
      return node;
    };
    const main = open
      ? button(words.predict.reveal, "Enter", () => this.reveal())
      : button(words.present.on, "Enter", () => this.goOn(), "tm-primary");
    const parts = [main, el("span", "tm-predict-score", this.score())];
    if (Object.keys(this.given).length) {
      parts.push(
        button(words.predict.export, "", () => this.save(), "tm-plain"),
        button(words.predict.forget, "", () => this.forget(), "tm-plain"),
      );
    }
    return parts;
  }
}

// The question of a beat while presenting: choices with number keys, and the answer once it is revealed.

const TIGHTEST = 3;

export class QuestionPanel extends PlayerPart {
  node = el("section", "tm-card tm-question", null, { "aria-label": this.player.words.present.predict });
  title = el("h2", "", null, { tabindex: "-1" });
  choices = el("ol", "tm-question-choices");
  reply = el("p", "tm-question-reply");
  because = el("p", "tm-question-because");
  button = pushButton("tm-button tm-primary", null, () =>
    this.player.present.asks ? this.player.present.reveal() : this.player.present.page(1),
  );
  note = el("span", "tm-question-note", this.player.words.present.from_run);
  shown = "";
  /** the place of the choice that is shown */
  chosen: number | null = null;

  constructor(player: Player) {
    super(player);
    const { words } = player;
    const foot = fill(el("div", "tm-question-foot"), this.button, player.poll.button, this.note);
    this.node.append(
      el("p", "tm-question-head", words.present.predict),
      this.title,
      this.choices,
      this.reply,
      this.because,
      player.poll.strip,
      foot,
    );
    this.node.hidden = true;
  }

  /** Shows `beat` with the `chosen` choice (or null), before and after the answer. */
  show(beat: StoppingPlace, chosen: number | null, revealed: boolean) {
    const sign = `${beat.step} ${chosen} ${revealed}`;
    if (this.shown === sign) return;
    const same = this.shown.split(" ")[0] === String(beat.step);
    this.shown = sign;
    this.chosen = chosen;
    const { words } = this.player;
    const held = [...this.choices.querySelectorAll("button")].findIndex((each) => each === document.activeElement);
    this.title.textContent = beat.text;
    this.node.classList.toggle("tm-revealed", revealed);
    const buttons = beat.choices.map((text, index) =>
      this.choice(text, index, { chosen: index === chosen, right: index === beat.answer, revealed }),
    );
    fill(
      this.choices,
      buttons.map((button) => {
        return fill(el("li"), button);
      }),
    );
    // Another question gets the focus itself: a key that is pressed again must not choose an answer.
    if (held >= 0) (same ? buttons[held] : this.title)?.focus();
    const wrong = revealed ? overlooked(beat, chosen) : "";
    fill(
      this.reply,
      wrong ? [el("b", "tm-said-wrong", words.predict.wrong), between(words.predict.wrong, wrong), wrong] : null,
    );
    this.because.textContent = !revealed ? "" : beat.answer === null ? words.student.look : beat.because;
    const [label, cap] = revealed ? [words.present.on, "PgDn"] : [words.present.reveal, "Enter"];
    fill(this.button, document.createTextNode(label), el("kbd", "", cap));
    this.note.hidden = revealed || this.player.poll.there;
    this.fit();
  }

  choice(
    text: string,
    index: number,
    { chosen, right, revealed }: { chosen: boolean; right: boolean; revealed: boolean },
  ) {
    const { words } = this.player;
    const button = pushButton("tm-big-choice", null, () => this.player.present.choose(index), {
      "aria-pressed": String(chosen),
    });
    const badge = el("span", "tm-big-number", String(index + 1));
    const said = el("span", "tm-big-text", text);
    button.append(badge, said);
    if (chosen) button.classList.add("tm-chosen");
    if (revealed && this.player.isStudents) button.disabled = true;
    else if (revealed) {
      button.disabled = true;
      button.classList.add(right ? "tm-is-right" : "tm-is-wrong");
      if (right || chosen) {
        fill(badge, mark(right ? "right" : "dropped"));
        said.append(el("span", "tm-visually-hidden", ` (${right ? words.present.right : words.present.wrong})`));
      }
    }
    return button;
  }

  /** Sets a long question closer together, so that none of it needs scrolling. */
  fit() {
    for (let tight = 0; tight <= TIGHTEST; tight += 1) {
      this.node.dataset.tight = String(tight);
      if (this.node.scrollHeight <= this.node.clientHeight) return;
    }
  }

  /** What is read out: the question and its choices, or the answer. */
  spoken(beat: StoppingPlace, revealed: boolean) {
    if (revealed) {
      const { predict, present, student } = this.player.words;
      if (beat.answer === null) return student.look;
      const wrong = overlooked(beat, this.chosen);
      const right = `${beat.choices[beat.answer ?? -1]} (${present.right}).`;
      return sentences(...(wrong ? [predict.wrong, wrong] : []), right, beat.because);
    }
    return [beat.text, ...beat.choices.map((text, index) => say("{number}: {text}", { number: index + 1, text }))].join(
      " ",
    );
  }
}

/** What a wrong choice overlooks; "" for the right one, and for none. */
function overlooked(beat: StoppingPlace, chosen: number | null) {
  return chosen === null || chosen === beat.answer ? "" : beat.replies[chosen];
}

// The author's questions at the desk: what the reader has tried, the reply to it, and a word before one is skipped.

export class Asked extends PlayerPart {
  /** the places of the choices that were tried, in order */
  picks: Map<StoppingPlace, number[]> = new Map();
  /** the question about which the reader has been asked whether to skip it */
  warned: StoppingPlace | null = null;

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
