// A line above the words of the step: what a key has just done, until the step changes.
import { el, fill } from "../base/dom.js";
/** @import { Player } from "../player.js" */

export class Notice {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    this.node = el("p", "tm-now-notice");
    this.node.hidden = true;
    this.step = -1;
  }

  /**
   * Shows `text`, and says it; `action`: a button behind it.
   * @param {string} text
   * @param {{ label: string, run: () => void } | null} [action]
   */
  tell(text, action = null) {
    this.step = this.player.step;
    fill(this.node, el("span", "", text));
    if (action) {
      const button = el("button", "tm-button", action.label, { type: "button" });
      button.addEventListener("click", action.run);
      this.node.append(button);
    }
    this.node.hidden = false;
    this.player.live.tell(text);
  }

  /** Takes it away when its step has been left. */
  show() {
    if (this.player.step !== this.step) this.clear();
  }

  clear() {
    this.node.hidden = true;
  }
}
