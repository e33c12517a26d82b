// What a question shows: its settings, the picture and the table of its records, its choices.
import { el, tableRow } from "../player/base/dom.js";
import { Plane } from "../player/picture/chart.js";
/** @import { PlanePayload } from "../player/types/player.d.ts" */
/** @import { Item } from "./types.d.ts" */

/** @param {string[]} texts */
export function settingsList(texts) {
  const settings = el("ul", "tm-inv-settings");
  settings.append(...texts.map((each) => el("li", "", each)));
  return settings;
}

/**
 * The records as a table: one column for each, as they arrive from left to right.
 * @param {Item["table"]} table
 * @param {string} caption
 */
export function recordsTable(table, caption) {
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

/**
 * @param {string[]} texts
 * @param {number | null} chosen
 * @param {(index: number) => void} choose
 */
export function choiceList(texts, chosen, choose) {
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
  /**
   * @param {Item["plane"]} plane
   * @param {PlanePayload["words"]["scale"]} scale
   * @param {string} label
   */
  constructor(plane, scale, label) {
    this.node = el("div", "tm-plane tm-inv-plane", null, { role: "img", "aria-label": label });
    const texts = /** @type {PlanePayload["words"]} */ (/** @type {unknown} */ ({ scale }));
    this.plane = new Plane(this.node, { ...plane, strings: [], words: texts });
    this.closed = false;
  }

  /**
   * Draws once the node is in the page.
   * @param {() => void} ready
   */
  async open(ready) {
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
