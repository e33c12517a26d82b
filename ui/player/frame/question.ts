// The question of a beat while presenting: choices with number keys, and the answer once it is revealed.
import { el, fill } from "../base/dom.ts";
import { between, say, sentences } from "../base/format.ts";
import { mark } from "../base/icons.ts";
import type { Player } from "../player.ts";
import type { StoppingPlace } from "../types/player.ts";

const TIGHTEST = 3;

export class QuestionPanel {
  player: Player;
  node: HTMLElement;
  title = el("h2", "", null, { tabindex: "-1" });
  choices = el("ol", "tm-question-choices");
  reply = el("p", "tm-question-reply");
  because = el("p", "tm-question-because");
  button = el("button", "tm-button tm-primary", null, { type: "button" });
  note: HTMLSpanElement;
  shown = "";
  /** the place of the choice that is shown */
  chosen: number | null = null;

  constructor(player: Player) {
    this.player = player;
    const { words } = player;
    this.node = el("section", "tm-card tm-question", null, { "aria-label": words.present.predict });
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

  choice(
    text: string,
    index: number,
    { chosen, right, revealed }: { chosen: boolean; right: boolean; revealed: boolean },
  ) {
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
export function overlooked(beat: StoppingPlace, chosen: number | null) {
  return chosen === null || chosen === beat.answer ? "" : beat.replies[chosen];
}
