// What a question shows: its settings, the picture and the table of its records, its choices.
import { el, tableRow } from "../../player/base/dom.ts";
import { Plane } from "../../player/picture/chart.ts";
import type { PlanePayload } from "../../player/types/player.ts";
import type { Item } from "./types.ts";

export function settingsList(texts: string[]) {
  const settings = el("ul", "tm-inv-settings");
  settings.append(...texts.map((each) => el("li", "", each)));
  return settings;
}

/** The records as a table: one column for each, as they arrive from left to right. */
export function recordsTable(table: Item["table"], caption: string) {
  const node = el("table", "tm-inv-records");
  node.append(el("caption", "tm-visually-hidden", caption));
  const body = el("tbody");
  table.head.forEach((name, column) => {
    const row = tableRow(
      table.rows.map((cells) => cells[column]),
      { className: column ? "" : "tm-inv-numbers" },
    );
    row.prepend(el("th", "", name, { scope: "row" }));
    body.append(row);
  });
  node.append(body);
  return node;
}

export function choiceList(texts: string[], chosen: number | null, choose: (index: number) => void) {
  const list = el("ol", "tm-inv-choices");
  texts.forEach((text, index) => {
    const button = el("button", "", null, { type: "button", "aria-pressed": String(index === chosen) });
    button.append(el("kbd", "", String(index + 1)), el("span", "", text));
    button.addEventListener("click", () => choose(index));
    const entry = el("li");
    entry.append(button);
    list.append(entry);
  });
  return list;
}

/** The records as a picture that keeps to the size of its node. */
export class Picture {
  node: HTMLDivElement;
  plane: Plane;
  closed = false;
  resizing?: ResizeObserver;

  constructor(plane: Item["plane"], scale: PlanePayload["words"]["scale"], label: string) {
    this.node = el("div", "tm-plane tm-inv-plane", null, { role: "img", "aria-label": label });
    const texts = { scale } as unknown as PlanePayload["words"];
    this.plane = new Plane(this.node, { ...plane, strings: [], words: texts });
  }

  /** Draws once the node is in the page. */
  async open(ready: () => void) {
    await this.plane.open();
    if (this.closed) return;
    const lay = () => {
      this.plane.resize(this.node.clientWidth, this.node.clientHeight);
      this.plane.show(0);
      ready();
    };
    this.resizing = new ResizeObserver(lay);
    this.resizing.observe(this.node);
    lay();
  }

  close() {
    this.closed = true;
    this.plane.close();
    this.resizing?.disconnect();
  }
}
