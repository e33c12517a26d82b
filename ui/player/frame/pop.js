// A small panel above the transport: opened by a button or a key; closing it gives the focus back.
import { dataNodes, el } from "../base/dom.js";

export class Pop {
  /**
   * `className` of the panel, `title` as its name for screen readers; `loose`: a press elsewhere closes it.
   * @param {string} className
   * @param {string} title
   * @param {{ loose?: boolean }} [options]
   */
  constructor(className, title, { loose = false } = {}) {
    this.node = el("div", `tm-pop ${className}`, null, { role: "dialog", "aria-label": title });
    this.node.hidden = true;
    /** @type {HTMLButtonElement[]} */
    this.buttons = [];
    /** @type {HTMLElement | null} what had the focus before */
    this.before = null;
    /** @type {(() => void) | null} */
    this.onOpen = null;
    /** @type {(() => void) | null} */
    this.onClose = null;
    /** @type {(() => HTMLElement | null) | null} what has the focus first */
    this.first = null;
    this.node.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      event.preventDefault();
      this.close();
    });
    this.elsewhere = (/** @type {MouseEvent} */ event) => {
      const path = event.composedPath();
      if (!path.includes(this.node) && !this.buttons.some((button) => path.includes(button))) this.close(false);
    };
    this.loose = loose;
  }

  /**
   * `button` opens and closes it.
   * @param {HTMLButtonElement} button
   */
  openedBy(button) {
    button.setAttribute("aria-expanded", "false");
    button.setAttribute("aria-haspopup", "dialog");
    button.addEventListener("click", () => this.toggle());
    this.buttons.push(button);
    return button;
  }

  get isOpen() {
    return !this.node.hidden;
  }

  toggle() {
    if (this.isOpen) this.close();
    else this.open();
  }

  open() {
    if (!this.isOpen) {
      this.before = /** @type {HTMLElement | null} */ (document.activeElement);
      this.node.hidden = false;
      this.mark();
      if (this.loose) window.addEventListener("pointerdown", this.elsewhere, true);
    }
    this.onOpen?.();
    (this.first?.() ?? dataNodes(this.node, "button:enabled, input")[0])?.focus();
  }

  /** Closes it; the focus returns to where it was unless `back` is false. */
  close(back = true) {
    if (!this.isOpen) return;
    this.node.hidden = true;
    this.mark();
    window.removeEventListener("pointerdown", this.elsewhere, true);
    this.onClose?.();
    if (back && this.before?.isConnected) this.before.focus();
  }

  mark() {
    for (const button of this.buttons) button.setAttribute("aria-expanded", String(this.isOpen));
  }
}
