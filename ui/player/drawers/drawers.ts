// The drawers beside the picture: one of them may be open. Each is {name, title, cap, node, show(step)}.
import { el, fill } from "../base/dom.ts";
import { icon } from "../base/icons.ts";
import { DrawerEdge } from "./edge.ts";
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
    const close = el("button", "tm-button", player.words.close, { type: "button" });
    close.append(el("kbd", "", "Esc"));
    close.addEventListener("click", () => this.toggle(null));
    const head = el("div", "tm-sheet-head");
    head.append(this.title, close);
    this.sheet.append(head, this.sheetBody, new DrawerEdge(player).node);
    this.sheet.hidden = true;
    this.buttons = drawers.map((each) => this.tab(each));
    this.putAside();
  }

  tab({ name, title, cap }: Drawer) {
    const button = el("button", "tm-tab", null, { type: "button", "data-panel": name, "aria-expanded": "false" });
    button.append(icon("right"), title, el("kbd", "", cap));
    button.addEventListener("click", () => this.toggle(name));
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
