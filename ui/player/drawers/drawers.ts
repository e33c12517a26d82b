// The drawers beside the picture: one of them may be open. Each is {name, title, cap, node, show(step)}.
import { el, fill, icon, pushButton } from "../base/dom.ts";
import { isWhole, readKept, writeKept } from "../base/kept.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { Drawer } from "../types/player.ts";
import type { Player } from "../player.ts";

export class Drawers {
  player: Player;
  drawers: Map<string, Drawer>;
  open: string | null = null;
  /** what had the focus before a drawer opened */
  came: HTMLElement | null = null;
  sheet = el("section", "tm-sheet");
  sheetBody = el("div", "tm-sheet-body", null, { tabindex: "0", role: "group" });
  title = el("h2");
  tabs = el("div", "tm-tabs");
  buttons: HTMLButtonElement[];
  aside = el("div", "tm-visually-hidden");

  /** `drawers` in the order of their buttons; `cap` is the key that opens one. */
  constructor(player: Player, drawers: Drawer[]) {
    this.player = player;
    this.drawers = new Map(drawers.map((each) => [each.name, each]));
    const close = pushButton("tm-button", player.words.close, () => this.toggle(null));
    close.append(el("kbd", "", "Esc"));
    const head = fill(el("div", "tm-sheet-head"), this.title, close);
    this.sheet.append(head, this.sheetBody, new DrawerEdge(player).node);
    this.sheet.hidden = true;
    this.buttons = drawers.map((each) => this.tab(each));
    this.putAside();
  }

  tab({ name, title, cap }: Drawer) {
    const button = pushButton("tm-tab", null, () => this.toggle(name), {
      "data-panel": name,
      "aria-expanded": "false",
    });
    button.append(icon("right"), title, el("kbd", "", cap));
    this.tabs.append(button);
    return button;
  }

  /** What screen readers find even while its drawer is closed. */
  putAside() {
    for (const each of this.drawers.values()) if (each.always) this.aside.append(each.node);
  }

  /** Opens a drawer, or closes it when it is open; null closes any. */
  toggle(name: string | null) {
    const before = this.open;
    this.open = before === name ? null : name;
    this.sheet.hidden = this.open === null;
    this.putAside();
    const drawer = this.drawers.get(this.open ?? "");
    if (drawer) {
      this.title.textContent = drawer.title;
      this.sheetBody.setAttribute("aria-label", drawer.title);
      fill(this.sheetBody, drawer.node);
    }
    const { root } = this.player;
    root.classList.toggle("tm-drawn", drawer !== undefined);
    if (drawer) root.dataset.drawer = drawer.name;
    else delete root.dataset.drawer;
    for (const button of this.buttons) button.setAttribute("aria-expanded", String(button.dataset.panel === this.open));
    if (this.player.present.on) this.player.retell();
    this.show(this.player.step);
    this.focus(before);
  }

  /** The focus goes into a drawer that opens, and back to where it was when it closes. */
  focus(before: string | null) {
    if (this.open !== null) {
      if (before === null) this.came = document.activeElement as HTMLElement | null;
      this.sheetBody.focus({ preventScroll: true });
      if (this.player.narrow.on) this.sheet.scrollIntoView({ block: "center" });
    } else if (before !== null && this.came?.isConnected) {
      this.came.focus({ preventScroll: true });
    }
  }

  show(step: number) {
    for (const each of this.drawers.values()) if (each.always || each.name === this.open) each.show(step);
  }
}

// The edge between the picture and an open drawer: it can be dragged, or moved with the arrow keys, and stays there.

const WIDTH_KEPT = "tidemark.drawer";

/** The drawer takes at least and at most so much of the stage (%); an arrow key moves its edge by EDGE_STEP. */
const NARROWEST = 26;
const WIDEST = 70;
const EDGE_STEP = 2;

class DrawerEdge extends PlayerPart {
  node = el("div", "tm-sheet-edge", null, {
    role: "separator",
    tabindex: "0",
    "aria-orientation": "vertical",
    "aria-label": this.player.words.drawer_edge,
    "aria-valuemin": NARROWEST,
    "aria-valuemax": WIDEST,
    title: this.player.words.drawer_edge,
  });

  constructor(player: Player) {
    super(player);
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
