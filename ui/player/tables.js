// Drawers: the steps as text, and tables of everything that is true at the step. Closed, tables stay for screen readers.
import { el, fill, patch, signer, tableRow } from "./dom.js";
import { valueText } from "./format.js";
import { fateMark, keyText, windowContents } from "./reading.js";
import { mark } from "./icons.js";

const MOST_TABLE_ROWS = 300;
const LOG_ROWS = 120;

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

/** The run as an ordered list of sentences, around the step; a click goes there. */
export class TextLog {
  constructor(player) {
    this.player = player;
    this.node = el("ol", "tm-log");
    this.steps = player.facts.all("steps");
    this.first = -1;
    this.node.addEventListener("click", (event) => {
      const item = event.target.closest("li");
      if (item) player.go(Number(item.dataset.step));
    });
  }

  show(step) {
    const first = Math.max(0, Math.min(step - LOG_ROWS / 2, this.steps.length - LOG_ROWS));
    if (this.first < 0 || step < this.first + 15 || step > this.first + LOG_ROWS - 15) {
      this.first = first;
      this.node.start = first;
      fill(this.node, this.steps.slice(first, first + LOG_ROWS).map((fact) => {
        const item = el("li", "", null, { "data-step": fact.step });
        item.value = fact.step;
        item.append(el("span", "tm-log-what", fact.what), fact.why ? el("span", "tm-log-why", ` ${fact.why}`) : "");
        return item;
      }));
    }
    this.node.querySelector(".tm-hl")?.classList.remove("tm-hl");
    const here = this.node.children[step - this.first];
    here?.classList.add("tm-hl");
    const box = this.node.parentElement;
    if (here && box) box.scrollTop = here.offsetTop - box.clientHeight / 2;
  }
}

/** The row of drawers at the bottom; one of them may be open. */
export class Drawers {
  constructor(player) {
    this.player = player;
    const { words } = player;
    this.tables = new FactTables(player);
    this.log = new TextLog(player);
    this.help = this.helpList();
    this.panels = { text: this.log.node, table: this.tables.node, help: this.help };
    this.titles = { text: words.steps_as_text, table: words.table, help: words.help };
    this.open = null;
    this.sheet = el("section", "tm-sheet");
    this.sheetBody = el("div", "tm-sheet-body", null, { tabindex: "0" });
    this.title = el("h2");
    const close = el("button", "tm-button", words.close, { type: "button" });
    close.append(el("kbd", "", "Esc"));
    close.addEventListener("click", () => this.toggle(null));
    const head = el("div", "tm-sheet-head");
    head.append(this.title, close);
    this.sheet.append(head, this.sheetBody);
    this.sheet.hidden = true;
    this.aside = el("div", "tm-visually-hidden");
    this.aside.append(this.tables.node);
  }

  toggle(name) {
    this.open = this.open === name ? null : name;
    this.sheet.hidden = this.open === null;
    this.aside.append(this.tables.node);
    if (this.open) {
      this.title.textContent = this.titles[this.open];
      fill(this.sheetBody, this.panels[this.open]);
    }
    for (const button of this.buttons ?? []) button.setAttribute("aria-expanded", String(button.dataset.panel === this.open));
    this.show(this.player.step);
  }

  show(step) {
    this.tables.show(step);
    if (this.open === "text") this.log.show(step);
  }

  helpList() {
    const { keys } = this.player.words;
    const list = el("dl", "tm-help");
    const rows = [
      [["←", "→"], keys.micro_step], [["Shift", "←", "→"], keys.record], [["PgUp", "PgDn"], keys.beat], [["Space"], keys.play],
      [["Home"], keys.home], [["End"], keys.end], [["F"], keys.next_firing], [["L"], keys.late], [["S"], keys.text],
      [["T"], keys.table], [["H"], keys.help], [["Esc"], keys.close],
    ];
    for (const [caps, text] of rows) {
      const term = el("dt");
      for (const cap of caps) term.append(el("kbd", "", cap));
      list.append(term, el("dd", "", text));
    }
    return list;
  }
}
