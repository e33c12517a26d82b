// A pointer for the room: a dot that follows the mouse or the finger, or a light that leaves all around it dim.
import { el } from "../base/dom.ts";
import type { Player } from "../player.ts";

const LIGHT_KINDS = ["", "dot", "spot"];

export class Spotlight {
  player: Player;
  node = el("div", "tm-spotlight", null, { "aria-hidden": "true" });
  kind = "";
  onMove;

  constructor(player: Player) {
    this.player = player;
    this.node.hidden = true;
    this.onMove = (event: PointerEvent) => this.at(event.clientX, event.clientY);
    window.addEventListener("pointermove", this.onMove);
    window.addEventListener("pointerdown", this.onMove);
    this.at(window.innerWidth / 2, window.innerHeight / 2);
  }

  at(x: number, y: number) {
    this.node.style.left = `${x}px`;
    this.node.style.top = `${y}px`;
  }

  /** The dot, then the light, then neither. */
  turn() {
    this.set(LIGHT_KINDS[(LIGHT_KINDS.indexOf(this.kind) + 1) % LIGHT_KINDS.length]);
  }

  set(kind: string) {
    this.kind = kind;
    this.node.hidden = kind === "";
    this.node.dataset.kind = kind;
    this.player.root.classList.toggle("tm-lit", kind !== "");
  }

  close() {
    window.removeEventListener("pointermove", this.onMove);
    window.removeEventListener("pointerdown", this.onMove);
  }
}
