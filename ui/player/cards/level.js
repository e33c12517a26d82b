// The switch between the three levels of words.
import { el } from "../base/dom.js";

/** One button a level; the chosen one is pressed. */
export class LevelSwitch {
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

  show(level) {
    for (const button of this.node.children) {
      button.setAttribute("aria-pressed", String(button.dataset.level === level));
    }
  }
}
