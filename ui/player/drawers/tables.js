// Tables of everything that is true at the step. Closed, they stay for screen readers.
import { el, patch, signer, tableRow } from "../base/dom.js";
import { valueText } from "../base/format.js";
import { mark } from "../base/icons.js";
import { fateMark, keyText, windowContents } from "../base/reading.js";

const MOST_TABLE_ROWS = 300;

/** Tables of windows, firings and records at the step. */
export class FactTables {
  constructor(player) {
    this.player = player;
    this.node = el("div", "tm-tables");
    this.signs = signer();
    const { columns } = player.words;
    this.panes = this.table("panes", [columns.key, columns.window, columns.status, columns.contents, columns.result], []);
    this.fired = this.table("fired", [columns.key, columns.window, columns.timing, columns.pane, columns.value, columns.watermark, columns.at], [3, 5, 6]);
    this.records = this.table("records", [columns.record, columns.key, columns.time, columns.value, columns.at, columns.fate], [0, 2, 4]);
  }

  table(name, columns, numeric) {
    const section = el("section", "tm-table-section");
    const node = el("table", "tm-table", null, { "data-table": name });
    const head = el("thead");
    head.append(tableRow(columns, { header: true, numeric }));
    const body = el("tbody");
    node.append(head, body);
    section.append(el("h3", "", this.player.words.tables[name]), node);
    this.node.append(section);
    return { body, numeric };
  }

  show(step) {
    const { facts, times, words } = this.player;
    const touched = new Set(facts.at("steps", step)[0].touches);
    const sign = (row) => this.signs(row, touched.has(row.id));
    const tint = (row) => (touched.has(row.id) ? "tm-hl" : "");
    patch(this.panes.body, facts.at("windows", step).slice(-MOST_TABLE_ROWS), sign, (row) => tableRow([
      keyText(row.key), times.window(row.start, row.end), words.statuses[row.status],
      windowContents(facts, row, step).map((each) => valueText(each.value)).join(", "),
      row.result === null ? "" : valueText(row.result),
    ], { className: tint(row) }));
    const fired = facts.at("outputs", step).filter((each) => each.row.row === "pane");
    patch(this.fired.body, fired.slice(-MOST_TABLE_ROWS), sign, (each) => tableRow([
      keyText(each.row.key), times.window(each.row.start, each.row.end), each.row.timing, each.row.pane,
      valueText(each.row.value), times.exact(each.row.watermark), times.short(each.row.at),
    ], { numeric: this.fired.numeric, className: tint(each) }));
    const records = facts.at("records", step).slice().sort((a, b) => a.item - b.item);
    patch(this.records.body, records.slice(0, MOST_TABLE_ROWS), sign, (row) => {
      const fate = el("span");
      fate.append(mark(fateMark(row.fate)), ` ${words.fates[row.fate]}`);
      return tableRow([row.item, keyText(row.key), times.short(row.ts), valueText(row.value), times.short(row.at), fate], { numeric: this.records.numeric, className: tint(row) });
    });
  }
}
