// The card that never moves: what happens at this step, why, and the rule with its numbers.
import { card } from "./card.js";
import { el, fill } from "../base/dom.js";
import { say } from "../base/format.js";
import { icon, mark } from "../base/icons.js";

/** What happened, why, and the rule with its numbers. */
export class NowCard {
  constructor(player) {
    this.player = player;
    const { card: node, note, body } = card("now", player.words.now);
    this.node = node;
    this.place = note;
    this.place.classList.add("tm-mono");
    this.trail = el("div", "tm-trail");
    this.what = el("p", "tm-what");
    this.why = el("p", "tm-why");
    this.beat = el("div", "tm-beat");
    this.rule = el("div", "tm-rule");
    body.append(this.trail, this.what, this.why, this.beat, this.rule);
  }

  show(step) {
    const { facts, payload, words } = this.player;
    const fact = facts.at("steps", step)[0];
    this.place.textContent = fact.place;
    fill(this.trail, fact.trail.slice(-5).map((word, index, all) => el("span", index === all.length - 1 ? "tm-here" : "", word)));
    if (this.what.textContent !== fact.what) this.what.textContent = fact.what;
    this.why.textContent = fact.why;
    const number = payload.beats.findIndex((beat) => beat.step === step);
    this.beat.hidden = number < 0;
    this.node.classList.toggle("tm-asking", number >= 0 && payload.beats[number].choices.length > 0);
    this.showRule(fact);
    this.why.hidden = false;
    if (number >= 0) this.showBeat(payload.beats[number], say(words.beat, { number: number + 1, count: payload.beats.length }), fact);
    this.node.lastChild.scrollTop = 0;
  }

  /** What the author says here, or asks: then the reason waits for the right choice. */
  showBeat(beat, number, fact) {
    const text = el("div", "tm-beat-text");
    text.append(el("span", "tm-beat-number", number), el("p", "", beat.text));
    const because = el("p", "tm-because", "", { "aria-live": "polite" });
    const buttons = beat.choices.map((choice, index) => {
      const button = el("button", "tm-choice", choice, { type: "button" });
      button.addEventListener("click", () => {
        button.classList.add(index === beat.answer ? "tm-right" : "tm-wrong");
        button.prepend(mark(index === beat.answer ? "right" : "dropped"));
        button.disabled = true;
        if (index !== beat.answer) return;
        because.textContent = beat.because;
        this.why.hidden = false;
        this.showRule(fact);
      });
      return button;
    });
    text.append(...buttons, because);
    if (buttons.length) this.why.hidden = this.rule.hidden = true;
    fill(this.beat, icon("flag"), text);
  }

  /** The condition that was evaluated: its formula, and under it the same with the numbers, as it is true. */
  showRule({ rule, predicate }) {
    this.rule.hidden = !rule;
    if (!rule) return;
    const formula = el("div", "tm-rule-line");
    formula.append(el("code", "", rule.formula));
    const filled = el("div", "tm-rule-line tm-rule-now");
    filled.append(el("span", "", rule.holds ? this.player.words.holds : this.player.words.holds_not), el("code", "", predicate));
    fill(this.rule, formula, filled);
  }
}
