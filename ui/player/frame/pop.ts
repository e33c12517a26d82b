// A small panel above the transport: opened by a button or a key; closing it gives the focus back.
import { dataNodes, el } from "../base/dom.ts";

export class Pop {
  node: HTMLDivElement;
  buttons: HTMLButtonElement[] = [];
  /** what had the focus before */
  before: HTMLElement | null = null;
  onOpen: (() => void) | null = null;
  onClose: (() => void) | null = null;
  /** what has the focus first */
  first: (() => HTMLElement | null) | null = null;
  elsewhere;
  loose: boolean;

  /** `className` of the panel, `title` as its name for screen readers; `loose`: a press elsewhere closes it. */
  constructor(className: string, title: string, { loose = false }: { loose?: boolean } = {}) {
    this.node = el("div", `tm-pop ${className}`, null, { role: "dialog", "aria-label": title });
    this.node.hidden = true;
    this.node.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      event.preventDefault();
      this.close();
    });
    this.elsewhere = (event: MouseEvent) => {
      const path = event.composedPath();
      if (!path.includes(this.node) && !this.buttons.some((button) => path.includes(button))) this.close(false);
    };
    this.loose = loose;
  }

  /** `button` opens and closes it. */
  openedBy(button: HTMLButtonElement) {
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
      this.before = document.activeElement as HTMLElement | null;
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
