// The switch between the three levels of words.
import { dataNodes, el } from "../base/dom.ts";
import type { Player } from "../player.ts";

/** One button a level; the chosen one is pressed. */
export class LevelSwitch {
  node: HTMLDivElement;

  constructor(player: Player) {
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

  show(level: string) {
    for (const button of dataNodes(this.node, "[data-level]")) {
      button.setAttribute("aria-pressed", String(button.dataset.level === level));
    }
  }
}
