// The edge between the picture and an open drawer: it can be dragged, or moved with the arrow keys, and stays there.
import { el } from "../base/dom.ts";
import { isWhole, readKept, writeKept } from "../base/kept.ts";
import type { Player } from "../player.ts";

const WIDTH_KEPT = "tidemark.drawer";

/** The drawer takes at least and at most so much of the stage (%); an arrow key moves its edge by EDGE_STEP. */
const NARROWEST = 26;
const WIDEST = 70;
const EDGE_STEP = 2;

export class DrawerEdge {
  player: Player;
  node: HTMLDivElement;

  constructor(player: Player) {
    this.player = player;
    this.node = el("div", "tm-sheet-edge", null, {
      role: "separator",
      tabindex: "0",
      "aria-orientation": "vertical",
      "aria-label": player.words.drawer_edge,
      "aria-valuemin": NARROWEST,
      "aria-valuemax": WIDEST,
      title: player.words.drawer_edge,
    });
    this.take(keptWidth());
    this.node.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      this.node.setPointerCapture(event.pointerId);
    });
    this.node.addEventListener("pointermove", (event) => {
      if (this.node.hasPointerCapture(event.pointerId)) this.keep(this.shareAt(event.clientX));
    });
    this.node.addEventListener("dblclick", () => this.keep(null));
    this.node.addEventListener("keydown", (event) => {
      const direction = { ArrowLeft: 1, ArrowRight: -1 }[event.key];
      if (!direction) return;
      event.preventDefault();
      event.stopPropagation();
      this.keep(this.shareAt(this.node.getBoundingClientRect().right) + direction * EDGE_STEP);
    });
  }

  /** The drawer's share of the stage (%) if its left edge is at `x` (px in the window). */
  shareAt(x: number) {
    const sheet = this.node.parentElement?.getBoundingClientRect();
    const stage = this.player.planeCard.parentElement?.clientWidth;
    return sheet && stage ? ((sheet.right - x) / stage) * 100 : NARROWEST;
  }

  /** Null: as wide as it is without a choice. */
  keep(share: number | null) {
    this.take(share);
    writeKept(WIDTH_KEPT, share === null ? null : Math.round(bounded(share)));
  }

  take(share: number | null) {
    const { style } = this.player.root;
    if (share === null) {
      style.removeProperty("--tm-drawer");
      this.node.removeAttribute("aria-valuenow");
    } else {
      style.setProperty("--tm-drawer", `${bounded(share).toFixed(2)}%`);
      this.node.setAttribute("aria-valuenow", String(Math.round(bounded(share))));
    }
  }
}

function bounded(share: number) {
  return Math.min(Math.max(share, NARROWEST), WIDEST);
}

function keptWidth() {
  return readKept(WIDTH_KEPT, (read) => (isWhole(read, 1) ? bounded(read) : null));
}
