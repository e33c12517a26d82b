// Tabs in a row: one of them is chosen, with the mouse, or with the arrow keys once the row has the focus.
import { el, pushButton } from "./dom.ts";

const WAYS_IN_ROW: { [key: string]: number | undefined } = { ArrowRight: 1, ArrowLeft: -1 };

export class TabRow {
  panel: HTMLElement;
  onChoice: (name: string) => void;
  name: string;
  node: HTMLDivElement;
  tabs: HTMLButtonElement[];

  /**
   * @param panel what shows the chosen one
   * @param onChoice called with the choice of the reader
   */
  constructor(
    label: string,
    choices: [name: string, title: string][],
    panel: HTMLElement,
    onChoice: (name: string) => void,
  ) {
    this.panel = panel;
    this.onChoice = onChoice;
    this.name = choices[0][0];
    this.node = el("div", "tm-tab-row", null, { role: "tablist", "aria-label": label });
    panel.setAttribute("role", "tabpanel");
    this.tabs = choices.map(([name, title]) => {
      return pushButton("tm-tab", title, () => this.choose(name), { role: "tab", "data-tab": name });
    });
    this.node.append(...this.tabs);
    this.node.addEventListener("keydown", (event) => {
      const way = WAYS_IN_ROW[event.key];
      if (!way) return;
      event.preventDefault();
      const at = this.tabs.findIndex((tab) => tab.dataset.tab === this.name);
      const next = this.tabs[(at + way + this.tabs.length) % this.tabs.length];
      this.choose(next.dataset.tab ?? "");
      next.focus();
    });
    this.mark(this.name);
  }

  /** Marks a tab as chosen. */
  mark(name: string) {
    this.name = name;
    for (const tab of this.tabs) {
      const chosen = tab.dataset.tab === name;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      if (chosen) this.panel.setAttribute("aria-label", tab.textContent ?? "");
    }
  }

  choose(name: string) {
    this.mark(name);
    this.onChoice(name);
  }
}
