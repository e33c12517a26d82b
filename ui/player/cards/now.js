// The card that never moves: what happens at this step, why, and the place in the code with its values.
import { card } from "./card.js";
import { CodeLines } from "./code.js";
import { LevelSwitch } from "./level.js";
import { el, fill } from "../base/dom.js";
import { say, textWidth } from "../base/format.js";
import { icon, mark } from "../base/icons.js";
/** @import { Player } from "../player.js" */
/** @import { StoppingPlace } from "../types/player.d.ts" */

// What stands between two words of the trail takes so much room (px); "…" in front of them about as much.
const BETWEEN = 19;
const trailWidth = (/** @type {string} */ word) => textWidth(word, 11.8);

/** What happened and why, in the words of the chosen level, and the lines of code that ran. */
export class NowCard {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    const { card: node, note, body } = card("now", player.words.now);
    this.node = node;
    note.replaceWith(new LevelSwitch(player).node);
    /** @type {Set<string>} */
    this.seen = new Set();
    this.trail = el("div", "tm-trail");
    this.what = el("p", "tm-what");
    this.why = el("p", "tm-why");
    this.beat = el("div", "tm-beat");
    this.code = new CodeLines(player);
    this.said = el("div", "tm-now-said");
    this.said.append(this.trail, this.what, this.why, this.beat);
    body.append(this.said, this.code.node);
  }

  /** @param {number} step */
  show(step) {
    const { payload, words } = this.player;
    this.showTrail(this.player.telling.trail(step));
    const { what, why } = this.player.told(step);
    // A word that can be asked about is marked once on the card.
    if (this.what.textContent !== what || this.why.textContent !== why) {
      const { glossary } = this.player;
      this.seen = new Set();
      fill(this.what, glossary.nodes(what, this.seen));
      fill(this.why, glossary.nodes(why, this.seen));
    }
    const number = payload.beats.findIndex((beat) => beat.step === step);
    this.beat.hidden = number < 0;
    this.player.root.classList.toggle("tm-asking", number >= 0 && payload.beats[number].choices.length > 0);
    this.code.show(step);
    this.why.hidden = false;
    if (number >= 0) {
      this.showBeat(payload.beats[number], say(words.beat, { number: number + 1, count: payload.beats.length }));
    }
    this.said.scrollTop = 0;
  }

  /**
   * The last micro-steps of this stream item in short words, as many as have room; "…" for those before.
   * @param {string[]} trail
   */
  showTrail(trail) {
    const room = this.trail.clientWidth || Infinity;
    const words = trail.filter((word) => word !== "…");
    let first = words.length - 1;
    let wide = trailWidth(words[first]);
    while (
      first > 0 &&
      wide + trailWidth(words[first - 1]) + BETWEEN * (first > 1 || words.length < trail.length ? 2 : 1) <= room
    ) {
      first -= 1;
      wide += trailWidth(words[first]) + BETWEEN;
    }
    const shown = words.slice(first);
    if (first > 0 || words.length < trail.length) shown.unshift("…");
    fill(
      this.trail,
      shown.map((word, index) => el("span", index === shown.length - 1 ? "tm-here" : "", word)),
    );
  }

  /**
   * What the author says here, or asks: then the reason waits for the right choice.
   * @param {StoppingPlace} beat
   * @param {string} number
   */
  showBeat(beat, number) {
    const text = el("div", "tm-beat-text");
    text.append(el("span", "tm-beat-number", number), fill(el("p"), this.player.glossary.nodes(beat.text, this.seen)));
    const because = el("p", "tm-because", "", { "aria-live": "polite" });
    const buttons = beat.choices.map((choice, index) => {
      const button = el("button", "tm-choice", choice, { type: "button" });
      button.addEventListener("click", () => {
        button.classList.add(index === beat.answer ? "tm-right" : "tm-wrong");
        button.prepend(mark(index === beat.answer ? "right" : "dropped"));
        button.disabled = true;
        if (index !== beat.answer) return;
        because.textContent = beat.because;
        this.why.hidden = this.code.node.hidden = false;
      });
      return button;
    });
    text.append(...buttons, because);
    if (buttons.length) this.why.hidden = this.code.node.hidden = true;
    fill(this.beat, icon("flag"), text);
  }
}
