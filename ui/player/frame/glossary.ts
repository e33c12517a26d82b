// The tip of the glossary: beside a term that is hovered over, focused or tapped, one sentence of what it means.
// All terms are one stop of the Tab key; ↑ and ↓ go from term to term.
import { dataNodes, el, fill, nearest } from "../base/dom.ts";
import { termName } from "../base/glossary.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { Player } from "../player.ts";

const TIP_EDGE = 8;
const TIP_AFTER = 250; // ms: a pointer that only passes opens nothing

export class GlossaryTip extends PlayerPart {
  node = el("div", "tm-tip", null, { role: "tooltip", id: "tm-tip" });
  term: HTMLElement | null = null;
  soon?: ReturnType<typeof setTimeout>;
  /** the term that had the focus last */
  last: HTMLElement | null;
  onTab;

  constructor(player: Player) {
    super(player);
    this.node.hidden = true;
    this.soon = undefined;
    this.last = null;
    this.onTab = (event: KeyboardEvent) => event.key === "Tab" && this.rove();
    window.addEventListener("keydown", this.onTab, true);
    player.root.addEventListener("keydown", (event) => this.key(event));
    const { root } = player;
    root.addEventListener("pointerover", (event) => {
      clearTimeout(this.soon);
      const term = nearest(event, ".tm-term");
      if (!term) this.close();
      else if (event.pointerType !== "touch") this.soon = setTimeout(() => this.open(term), TIP_AFTER);
    });
    root.addEventListener("pointerleave", () => this.close());
    root.addEventListener("focusin", (event) => {
      const term = nearest(event, ".tm-term");
      if (term) this.open(term);
      else this.close();
      this.last = term ?? this.last;
    });
    root.addEventListener("focusout", () => this.close());
    root.addEventListener("click", (event) => {
      const term = nearest(event, ".tm-term");
      if (term) this.open(term);
    });
  }

  /** The terms that can be seen. */
  get terms() {
    const { present, root } = this.player;
    if (present.on) return [];
    return [...dataNodes(root, ".tm-term")].filter((each) => each.checkVisibility({ visibilityProperty: true }));
  }

  /** The Tab key stops at the term that had the focus last, or at the first one. */
  rove() {
    const { terms } = this;
    const stop = this.last && terms.includes(this.last) ? this.last : terms[0];
    for (const each of dataNodes(this.player.root, ".tm-term")) each.tabIndex = each === stop ? 0 : -1;
  }

  key(event: KeyboardEvent) {
    const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const term = nearest(event, ".tm-term");
    if (!way || !term || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const { terms } = this;
    terms[terms.indexOf(term) + way]?.focus();
    event.preventDefault();
    event.stopPropagation();
  }

  open(term: HTMLElement) {
    const found = this.player.glossary.meaning(term);
    if (!found || !term.isConnected) return;
    this.close();
    this.term = term;
    fill(this.node, found.name === null ? null : termName("b", found.name), el("span", "", found.about));
    this.node.hidden = false;
    term.setAttribute("aria-describedby", this.node.id);
    this.settle(term.getBoundingClientRect());
  }

  /** Below the term, above it where there is no room; always inside the window. */
  settle(at: DOMRect) {
    const { width, height } = this.node.getBoundingClientRect();
    const left = Math.min(Math.max(at.left, TIP_EDGE), window.innerWidth - width - TIP_EDGE);
    const below = at.bottom + TIP_EDGE;
    const top = below + height > window.innerHeight ? Math.max(at.top - height - TIP_EDGE, TIP_EDGE) : below;
    Object.assign(this.node.style, { left: `${left}px`, top: `${top}px` });
  }

  /** Another step has other sentences: the tip of a word that is gone closes. */
  show() {
    if (this.term && !this.term.isConnected) this.close();
  }

  end() {
    window.removeEventListener("keydown", this.onTab, true);
  }

  /** Closes the tip; says whether it was open. */
  close() {
    clearTimeout(this.soon);
    if (!this.term) return false;
    this.term.removeAttribute("aria-describedby");
    this.term = null;
    this.node.hidden = true;
    return true;
  }
}

// A small panel above the transport: opened by a button or a key; closing it gives the focus back.

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
