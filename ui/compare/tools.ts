// The card under the planes: the results, and the searches: a sweep, the smallest change, the fewest records.
import { el } from "../player/base/dom.ts";
import { ARROWS } from "./curves.ts";
import { Fewest, Smallest } from "./searches.ts";
import { Sweep } from "./sweep.ts";
import type { Compared, KeptPlace, Panel } from "./types.ts";

export class Tools {
  kept: KeptPlace;
  comparison: Compared;
  node = el("section", "tm-card tm-compare-tools");
  note: HTMLSpanElement;
  buttons: HTMLButtonElement[];
  panels: Panel[];
  /** The place of the sweep among them. */
  sweep: number;
  onUnanswered;

  /** @param first the tabs before the searches */
  constructor(comparison: Compared, first: Panel[]) {
    const { words, data, kept } = comparison;
    this.kept = kept;
    this.comparison = comparison;
    const tabs = el("div", "tm-compare-tabs", null, { role: "tablist", "aria-label": words.results });
    this.note = el("span", "tm-quiet tm-compare-summary", data.summary);
    const head = el("div", "tm-compare-tools-head");
    head.append(tabs, this.note);
    const panels: Panel[] = [...first, new Sweep(comparison), new Smallest(comparison), new Fewest(comparison)];
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
    this.sweep = first.length;
    this.open(kept.tab ?? 0);
    this.onUnanswered = () => panels.forEach((panel) => panel.unanswered?.());
    window.addEventListener("tidemark:unanswered", this.onUnanswered);
  }

  /** Shows the answer to the question that was asked. */
  reveal(what: KeptPlace["asked"]) {
    if (what === "fires") this.panels[this.kept.tab ?? 0].reveal?.();
  }

  close() {
    window.removeEventListener("tidemark:unanswered", this.onUnanswered);
    for (const panel of this.panels) panel.close?.();
  }

  /** Shows a panel on the reader's request; what it needs from the server is asked for. */
  turn(index: number) {
    this.open(index);
    this.comparison.settle();
    this.panels[index].shown?.();
  }

  /** Once the page is drawn, the panel that the address names asks for what it needs. */
  start() {
    this.panels[this.kept.tab ?? 0].shown?.();
  }

  open(index: number) {
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
