// The drawers beside the picture: one of them may be open. Each is {name, title, cap, node, show(step)}.
import { el, fill } from "../base/dom.js";
import { icon } from "../base/icons.js";
import { DrawerEdge } from "./edge.js";
/** @import { Drawer } from "../types/player.d.ts" */
/** @import { Player } from "../player.js" */

export class Drawers {
  /**
   * `drawers` in the order of their buttons; `cap` is the key that opens one.
   * @param {Player} player
   * @param {Drawer[]} drawers
   */
  constructor(player, drawers) {
    this.player = player;
    this.drawers = new Map(drawers.map((each) => [each.name, each]));
    /** @type {string | null} */
    this.open = null;
    /** @type {HTMLElement | null} what had the focus before a drawer opened */
    this.came = null;
    this.sheet = el("section", "tm-sheet");
    this.sheetBody = el("div", "tm-sheet-body", null, { tabindex: "0", role: "group" });
    this.title = el("h2");
    const close = el("button", "tm-button", player.words.close, { type: "button" });
    close.append(el("kbd", "", "Esc"));
    close.addEventListener("click", () => this.toggle(null));
    const head = el("div", "tm-sheet-head");
    head.append(this.title, close);
    this.sheet.append(head, this.sheetBody, new DrawerEdge(player).node);
    this.sheet.hidden = true;
    this.tabs = el("div", "tm-tabs");
    this.buttons = drawers.map((each) => this.tab(each));
    this.aside = el("div", "tm-visually-hidden");
    this.putAside();
  }

  /** @param {Drawer} drawer */
  tab({ name, title, cap }) {
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

  /**
   * Opens a drawer, or closes it when it is open; null closes any.
   * @param {string | null} name
   */
  toggle(name) {
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

  /**
   * The focus goes into a drawer that opens, and back to where it was when it closes.
   * @param {string | null} before
   */
  focus(before) {
    if (this.open !== null) {
      if (before === null) this.came = /** @type {HTMLElement | null} */ (document.activeElement);
      this.sheetBody.focus({ preventScroll: true });
      if (this.player.narrow.on) this.sheet.scrollIntoView({ block: "center" });
    } else if (before !== null && this.came?.isConnected) {
      this.came.focus({ preventScroll: true });
    }
  }

  /** @param {number} step */
  show(step) {
    for (const each of this.drawers.values()) if (each.always || each.name === this.open) each.show(step);
  }
}
