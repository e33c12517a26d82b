// The question of a beat while presenting: choices with number keys, and the answer once it is revealed.
import { el, fill } from "../base/dom.js";
import { between, say, sentences } from "../base/format.js";
import { mark } from "../base/icons.js";
/** @import { Player } from "../player.js" */
/** @import { StoppingPlace } from "../types/player.d.ts" */

const TIGHTEST = 3;

export class QuestionPanel {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    const { words } = player;
    this.node = el("section", "tm-card tm-question", null, { "aria-label": words.present.predict });
    this.title = el("h2", "", null, { tabindex: "-1" });
    this.choices = el("ol", "tm-question-choices");
    this.reply = el("p", "tm-question-reply");
    this.because = el("p", "tm-question-because");
    this.button = el("button", "tm-button tm-primary", null, { type: "button" });
    this.button.addEventListener("click", () =>
      player.present.asks ? player.present.reveal() : player.present.page(1),
    );
    this.note = el("span", "tm-question-note", words.present.from_run);
    const foot = el("div", "tm-question-foot");
    foot.append(this.button, player.poll.button, this.note);
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
    this.shown = "";
    /** @type {number | null} the place of the choice that is shown */
    this.chosen = null;
  }

  /**
   * Shows `beat` with the `chosen` choice (or null), before and after the answer.
   * @param {StoppingPlace} beat
   * @param {number | null} chosen
   * @param {boolean} revealed
   */
  show(beat, chosen, revealed) {
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
        const item = el("li");
        item.append(button);
        return item;
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

  /**
   * @param {string} text
   * @param {number} index
   * @param {{ chosen: boolean, right: boolean, revealed: boolean }} state
   */
  choice(text, index, { chosen, right, revealed }) {
    const { words } = this.player;
    const button = el("button", "tm-big-choice", null, { type: "button", "aria-pressed": String(chosen) });
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
    button.addEventListener("click", () => this.player.present.choose(index));
    return button;
  }

  /** Sets a long question closer together, so that none of it needs scrolling. */
  fit() {
    for (let tight = 0; tight <= TIGHTEST; tight += 1) {
      this.node.dataset.tight = String(tight);
      if (this.node.scrollHeight <= this.node.clientHeight) return;
    }
  }

  /**
   * What is read out: the question and its choices, or the answer.
   * @param {StoppingPlace} beat
   * @param {boolean} revealed
   */
  spoken(beat, revealed) {
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

/**
 * What a wrong choice overlooks; "" for the right one, and for none.
 * @param {StoppingPlace} beat
 * @param {number | null} chosen
 */
export function overlooked(beat, chosen) {
  return chosen === null || chosen === beat.answer ? "" : beat.replies[chosen];
}
