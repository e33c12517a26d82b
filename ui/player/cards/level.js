// The switch between the three levels of words.
import { dataNodes, el } from "../base/dom.js";
/** @import { Player } from "../player.js" */

/** One button a level; the chosen one is pressed. */
export class LevelSwitch {
  /** @param {Player} player */
  constructor(player) {
    const { telling, words } = player;
    this.node = el("div", "tm-levels", null, { role: "group", "aria-label": words.levels.label });
    for (const level of telling.levels) {
      const button = el("button", "tm-level", words.levels[level], { type: "button", "data-level": level });
      button.addEventListener("click", () => telling.choose(level));
      this.node.append(button);
    }
    this.show(telling.level);
    telling.onChange((level) => this.show(level));
  }

  /** @param {string} level */
  show(level) {
    for (const button of dataNodes(this.node, "[data-level]")) {
      button.setAttribute("aria-pressed", String(button.dataset.level === level));
    }
  }
}
