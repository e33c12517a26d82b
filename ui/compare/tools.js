// The card under the planes: the results, and the searches: a sweep, the smallest change, the fewest records.
import { el } from "../player/base/dom.js";
import { ARROWS } from "./curves.js";
import { Fewest, Smallest } from "./searches.js";
import { Sweep } from "./sweep.js";
/** @import { Compared, KeptPlace, Panel } from "./types.d.ts" */

export class Tools {
  /**
   * @param {Compared} comparison
   * @param {Panel[]} first the tabs before the searches
   */
  constructor(comparison, first) {
    const { words, data, kept } = comparison;
    /** @type {KeptPlace} */
    this.kept = kept;
    this.comparison = comparison;
    this.node = el("section", "tm-card tm-compare-tools");
    const tabs = el("div", "tm-compare-tabs", null, { role: "tablist", "aria-label": words.results });
    this.note = el("span", "tm-quiet tm-compare-summary", data.summary);
    const head = el("div", "tm-compare-tools-head");
    head.append(tabs, this.note);
    /** @type {Panel[]} */
    const panels = [...first, new Sweep(comparison), new Smallest(comparison), new Fewest(comparison)];
    this.node.append(head, ...panels.map((panel) => panel.node));
    this.buttons = panels.map((panel, index) => {
      const button = el("button", "tm-compare-tab", panel.title, {
        type: "button",
        role: "tab",
        id: `tm-compare-${panel.name}`,
      });
      panel.node.setAttribute("role", "tabpanel");
      panel.node.setAttribute("aria-labelledby", button.id);
      button.addEventListener("click", () => this.turn(index));
      button.addEventListener("keydown", (event) => {
        const by = ARROWS[event.key];
        if (!by) return;
        event.preventDefault();
        event.stopPropagation();
        const to = (index + by + panels.length) % panels.length;
        this.turn(to);
        this.buttons[to].focus();
      });
      return button;
    });
    tabs.append(...this.buttons);
    this.panels = panels;
    /** The place of the sweep among them. */
    this.sweep = first.length;
    this.open(kept.tab ?? 0);
    this.onUnanswered = () => panels.forEach((panel) => panel.unanswered?.());
    window.addEventListener("tidemark:unanswered", this.onUnanswered);
  }

  /**
   * Shows the answer to the question that was asked.
   * @param {KeptPlace["asked"]} what
   */
  reveal(what) {
    if (what === "fires") this.panels[this.kept.tab ?? 0].reveal?.();
  }

  close() {
    window.removeEventListener("tidemark:unanswered", this.onUnanswered);
    for (const panel of this.panels) panel.close?.();
  }

  /**
   * Shows a panel on the reader's request; what it needs from the server is asked for.
   * @param {number} index
   */
  turn(index) {
    this.open(index);
    this.comparison.settle();
    this.panels[index].shown?.();
  }

  /** Once the page is drawn, the panel that the address names asks for what it needs. */
  start() {
    this.panels[this.kept.tab ?? 0].shown?.();
  }

  /** @param {number} index */
  open(index) {
    this.kept.tab = index;
    this.note.hidden = index !== 0;
    this.panels.forEach((panel, each) => {
      panel.node.hidden = each !== index;
    });
    this.buttons.forEach((button, each) => {
      button.setAttribute("aria-selected", String(each === index));
      button.tabIndex = each === index ? 0 : -1;
    });
  }
}
