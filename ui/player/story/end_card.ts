// What is shown in place of the cards once a scenario, or the first visit, is over.
import { el, fill } from "../base/dom.ts";
import type { Player } from "../player.ts";

export abstract class EndCard {
  player: Player;
  node: HTMLElement;

  constructor(player: Player, look: string, label: string) {
    this.player = player;
    this.node = el("section", `tm-card ${look}`, null, { "aria-label": label });
    this.node.hidden = true;
  }

  show(over: boolean) {
    if (this.node.hidden === !over) return;
    this.node.hidden = !over;
    if (over) fill(this.node, ...this.parts());
  }

  abstract parts(): (HTMLElement | null)[];
}
