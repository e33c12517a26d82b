// A line above the words of the step: what a key has just done, until the step changes.
import { el, fill } from "../base/dom.ts";
import type { Player } from "../player.ts";

export class Notice {
  player: Player;
  node = el("p", "tm-now-notice");
  step = -1;

  constructor(player: Player) {
    this.player = player;
    this.node.hidden = true;
  }

  /** Shows `text`, and says it; `action`: a button behind it. */
  tell(text: string, action: { label: string; run: () => void } | null = null) {
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
