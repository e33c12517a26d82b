// What screen readers are told: what happened and why, once a reader rests at a step; nothing while the run plays.
import { el } from "../base/dom.js";
/** @import { Player } from "../player.js" */

const REST = 180;

export class LiveRegion {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    this.node = el("div", "tm-visually-hidden tm-live", null, {
      role: "status",
      "aria-live": "polite",
      "aria-atomic": "true",
    });
    this.timer = null;
    this.told = null;
  }

  show() {
    if (this.quiet) return;
    this.later(() => {
      const said = this.spoken();
      // The page is drawn anew now and then; what was said in between stands until there is something new to say.
      if (this.told?.instead === said) return this.told.text;
      this.told = null;
      return said;
    });
  }

  spoken() {
    return this.player.present.spoken() ?? this.player.predictor.spoken() ?? this.ofStep();
  }

  ofStep() {
    const { what, why } = this.player.said(this.player.step);
    return why ? `${what} ${why}` : what;
  }

  /**
   * Says `text` now instead.
   * @param {string} text
   */
  tell(text) {
    this.told = { text, instead: this.spoken() };
    this.later(() => text);
  }

  /** @param {string} text */
  later(text) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const said = text();
      if (this.node.textContent !== said) this.node.textContent = said;
    }, REST);
  }

  /**
   * Whether new sentences are read out.
   * @param {boolean} live
   */
  on(live) {
    this.quiet = !live;
    this.node.setAttribute("aria-live", live ? "polite" : "off");
    if (live) this.show();
  }

  close() {
    clearTimeout(this.timer);
  }
}
