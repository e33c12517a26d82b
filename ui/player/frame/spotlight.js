// A pointer for the room: a dot that follows the mouse or the finger, or a light that leaves all around it dim.
import { el } from "../base/dom.js";
/** @import { Player } from "../player.js" */

const LIGHT_KINDS = ["", "dot", "spot"];

export class Spotlight {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    this.node = el("div", "tm-spotlight", null, { "aria-hidden": "true" });
    this.node.hidden = true;
    this.kind = "";
    this.onMove = (/** @type {PointerEvent} */ event) => this.at(event.clientX, event.clientY);
    window.addEventListener("pointermove", this.onMove);
    window.addEventListener("pointerdown", this.onMove);
    this.at(window.innerWidth / 2, window.innerHeight / 2);
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  at(x, y) {
    this.node.style.left = `${x}px`;
    this.node.style.top = `${y}px`;
  }

  /** The dot, then the light, then neither. */
  turn() {
    this.set(LIGHT_KINDS[(LIGHT_KINDS.indexOf(this.kind) + 1) % LIGHT_KINDS.length]);
  }

  /** @param {string} kind */
  set(kind) {
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
