// The stream as a table that is edited like a spreadsheet: arrows, Enter, Tab, typing over what stands there.
import { dataNodes, el, fill, icon, nearest, patch, pushButton } from "../player/base/dom.ts";
import { say } from "../player/base/format.ts";
import { iconButton, onChosen } from "./buttons.ts";
import { GeneratorForm } from "./controls.ts";
import { AuthorPart } from "./author_part.ts";
import type { Author } from "./author.ts";
import type { Cell, DraftFacts, StreamRow } from "./types.ts";
import type { Style } from "#types/payload";

/** rows as `patch` keeps them */
type Body = HTMLTableSectionElement & { tmShown?: unknown[] };

/** A cell while it is edited: its input, and the text that it had before. */
type Editing = { row: number; column: number; input: HTMLInputElement; text: string };

const NUMBER = /^-?[\d.]+$/;
/** The height (px) of the head, which stays in view. */
const TABLE_HEAD = 28;
const RIGHT = new Set(["at", "ts", "channel"]);

export class RecordTable extends AuthorPart {
  node = el("section", "tm-card tm-au-stream", null, { "aria-label": this.author.words.table.title });
  form = new GeneratorForm(this.author);
  tools = el("span", "tm-au-tools");
  buttons;
  other = el("select", "tm-au-choice tm-au-other-kind", null, {
    "aria-label": this.author.words.table.add_other,
    title: this.author.words.table.add_other,
  });
  scroll = el("div", "tm-au-rows");
  table = el("table", "", null, { "data-table": "stream", role: "grid", "aria-label": this.author.words.table.title });
  head = el("thead");
  body: Body = el("tbody");
  more = el("p", "tm-quiet tm-au-more");
  columns: string[] = [];
  rows: StreamRow[] = [];
  /** the cell that has the focus, or would have it */
  place: Cell = [0, 0];
  editing: Editing | null = null;
  /** what was refused */
  wrong: [row: number, column: number, typed: string] | null = null;
  /** the kinds that can be added, as they are listed */
  others: string | null = null;
  style: Style["style"] | null = null;

  constructor(author: Author) {
    super(author);
    const { words } = author;
    this.buttons = {
      up: iconButton("arrowUp", words.table.up, () => this.move(-1)),
      down: iconButton("arrowDown", words.table.down, () => this.move(1)),
      remove: iconButton("remove", words.table.remove, () => this.remove()),
    };
    const add = pushButton("tm-button tm-plain tm-au-add", null, () => this.add());
    add.append(icon("plus"), el("span", "", words.table.add));
    onChosen(this.other, (kind) => kind && this.add(kind));
    this.tools.append(this.buttons.up, this.buttons.down, this.buttons.remove, add, this.other);
    const head = fill(el("div", "tm-au-head"), el("h2", "", words.table.title), this.tools);
    this.table.append(this.head, this.body);
    this.scroll.append(this.table, this.more);
    this.node.append(head, this.scroll);
    this.table.addEventListener("keydown", (event) => tableKey(this, event));
    this.table.addEventListener("mousedown", (event) => this.pressed(event));
    this.table.addEventListener("dblclick", (event) => this.cellOf(event) && this.begin());
    this.table.addEventListener("paste", (event) => tablePaste(this, event));
    this.table.addEventListener("focusin", (event) => this.entered(event));
  }

  /** @param changed the rows that an edit changed */
  show(stream: DraftFacts["stream"], style: Style, chosen: number | null, changed: number[] = []) {
    this.tools.hidden = Boolean(stream.generated);
    if (stream.generated) {
      this.columns = [];
      this.rows = [];
      this.form.show(stream.generated);
      fill(this.scroll, this.form.node);
      return;
    }
    if (this.table.parentElement !== this.scroll) fill(this.scroll, this.table, this.more);
    const { words } = this.author;
    this.rows = stream.rows;
    if (this.others !== stream.others.join()) {
      this.others = stream.others.join();
      fill(
        this.other,
        el("option", "", "…", { value: "" }),
        stream.others.map((kind) => el("option", "", words.table.kinds[kind], { value: kind })),
      );
    }
    if (this.columns.join() !== stream.columns.join() || this.style !== style.style) {
      this.columns = stream.columns;
      this.style = style.style;
      this.drawHead();
      this.body.tmShown = [];
      fill(this.body);
    }
    const focused = this.body.contains(document.activeElement);
    const places = new Map(stream.rows.map((row, index) => [row, index]));
    patch(
      this.body,
      stream.rows,
      (row) => `${places.get(row)} ${row.kind} ${JSON.stringify(row.cells)}`,
      (row) => this.row(row, places.get(row) ?? 0),
    );
    [...this.body.children].forEach((line, index) => {
      line.classList.toggle("tm-au-chosen", index === chosen);
      line.setAttribute("aria-selected", String(index === chosen));
      line.classList.toggle("tm-au-flash-row", changed.includes(index));
    });
    const numbers = this.columns.map((_name, column) =>
      stream.rows.every(({ cells: { [column]: text } }) => !text || NUMBER.test(text)),
    );
    this.columns.forEach((name, column) =>
      this.head.rows[0].cells[column + 1].classList.toggle(
        "tm-num",
        RIGHT.has(name) || (name === "value" && numbers[column]),
      ),
    );
    this.more.textContent =
      stream.total > stream.rows.length
        ? say(words.table.more, { shown: stream.rows.length, count: stream.total })
        : stream.rows.length
          ? ""
          : words.table.empty;
    this.place = [
      Math.min(this.place[0], Math.max(stream.rows.length - 1, 0)),
      Math.min(this.place[1], this.columns.length - 1),
    ];
    this.rove();
    this.disable(this.author.chosen === null);
    if (this.editing && !this.editing.input.isConnected) this.resume();
    else if (focused && !this.body.contains(document.activeElement)) this.cell()?.focus({ preventScroll: true });
  }

  disable(off: boolean) {
    for (const button of Object.values(this.buttons)) button.disabled = off;
  }

  drawHead() {
    const { words } = this.author;
    const first = fill(el("th", "tm-au-count"), el("span", "tm-visually-hidden", words.table.number));
    const row = fill(el("tr"), first);
    for (const name of this.columns) {
      const unit = (name === "at" || name === "ts") && this.style === "seconds" ? "_s" : "";
      const cell = el("th", RIGHT.has(name) ? "tm-num" : "", words.table.columns[`${name}${unit}`], {
        "data-column": name,
      });
      cell.scope = "col";
      row.append(cell);
    }
    fill(this.head, row);
  }

  /** A row as it is drawn. */
  row(row: StreamRow, index: number) {
    const { words } = this.author;
    const line = el("tr", row.kind === "record" ? "" : "tm-au-other");
    line.dataset.item = String(index);
    line.append(el("td", "tm-au-count", index));
    row.cells.forEach((text, column) => {
      const name = this.columns[column];
      const cell = el("td", RIGHT.has(name) || (name === "value" && NUMBER.test(text ?? "")) ? "tm-num" : "", text, {
        role: "gridcell",
        tabindex: "-1",
        "data-column": name,
      });
      if (text === null && name === "key") cell.append(el("span", "tm-au-kind", words.table.kinds[row.kind]));
      if (text === null) cell.setAttribute("aria-readonly", "true");
      if (this.wrong && this.wrong[0] === index && this.wrong[1] === column) cell.classList.add("tm-au-bad");
      line.append(cell);
    });
    return line;
  }

  // --- where one is ------------------------------------------------------------------------------------------------

  /** The place of the cell in which an event happened, null for none. */
  cellOf(event: Event): Cell | null {
    const cell = nearest(event, "td[data-column]");
    if (!cell) return null;
    return [Number(cell.parentElement?.dataset.item), this.columns.indexOf(cell.dataset.column ?? "")];
  }

  /** The cell at a place, null for none. */
  cell([row, column]: Cell = this.place): HTMLElement | null {
    return this.body.rows[row]?.cells[column + 1] ?? null;
  }

  /** Of all cells only the one at `place` is reached with Tab. */
  rove() {
    for (const each of dataNodes(this.body, '[tabindex="0"]')) each.tabIndex = -1;
    const cell = this.cell();
    if (cell) cell.tabIndex = 0;
  }

  pressed(event: MouseEvent) {
    const place = this.cellOf(event);
    if (!place || nearest(event, "input, select")) return;
    event.preventDefault();
    const same = place[0] === this.place[0] && place[1] === this.place[1] && this.cell() === document.activeElement;
    this.finish();
    this.go(place);
    if (same) this.begin();
  }

  entered(event: FocusEvent) {
    const place = this.cellOf(event);
    if (place && !nearest(event, "input, select")) {
      this.place = place;
      this.rove();
      this.author.choose(place[0], "table");
    }
  }

  /** Takes the focus to a cell, or to the nearest that there is. */
  go([row, column]: Cell) {
    this.place = [
      Math.min(Math.max(row, 0), this.rows.length - 1),
      Math.min(Math.max(column, 0), this.columns.length - 1),
    ];
    this.rove();
    const cell = this.cell();
    cell?.focus({ preventScroll: true });
    cell?.scrollIntoView({ block: "nearest" });
  }

  /** @param item whose row the table scrolls into view; the page stays where the reader looks */
  reveal(item: number) {
    const row = this.cell([item, 0])?.getBoundingClientRect();
    if (!row) return;
    const { top, bottom } = this.scroll.getBoundingClientRect();
    this.scroll.scrollTop += Math.min(row.top - top - TABLE_HEAD, 0) + Math.max(row.bottom - bottom, 0);
  }

  // --- a cell while it is edited -----------------------------------------------------------------------------------

  /**
   * Begins to edit the cell at `place`.
   * @param typed what replaces its text; null where the text stays
   */
  begin(typed: string | null = null) {
    const [row, column] = this.place;
    const cell = this.cell();
    const text = this.rows[row]?.cells[column];
    if (!cell || text === null || text === undefined || this.author.locked) return;
    const input = el("input", "tm-au-cell", null, {
      type: "text",
      "aria-label": this.author.words.table.columns[this.columns[column]],
      autocomplete: "off",
      spellcheck: "false",
    });
    const refused = this.wrong?.[0] === row && this.wrong[1] === column ? this.wrong[2] : null;
    input.value = typed ?? refused ?? text; // what was refused is corrected, not typed again
    input.addEventListener("input", () => this.author.half.put("cell", [row, this.columns[column], input.value]));
    this.editing = { row, column, input, text };
    fill(cell, input);
    cell.classList.remove("tm-au-bad");
    input.focus();
    if (typed === null) input.select();
    input.addEventListener("blur", () =>
      setTimeout(() => this.editing?.input === input && document.activeElement !== input && this.finish(), 0),
    );
  }

  /** The row was drawn again while its cell is edited. */
  resume() {
    if (!this.editing) return;
    const { row, column, input } = this.editing;
    const cell = this.cell([row, column]);
    if (!cell) {
      this.editing = null;
      return;
    }
    const { selectionStart, selectionEnd } = input;
    fill(cell, input);
    input.focus();
    input.setSelectionRange(selectionStart, selectionEnd);
  }

  /** The next cell that can be edited, by rows; null beyond the last one. */
  beside(row: number, column: number, way: number): Cell | null {
    let at = row * this.columns.length + column + way;
    for (; at >= 0 && at < this.rows.length * this.columns.length; at += way) {
      const [nextRow, nextColumn] = [Math.floor(at / this.columns.length), at % this.columns.length];
      if (this.rows[nextRow].cells[nextColumn] !== null) return [nextRow, nextColumn];
    }
    return null;
  }

  cancel() {
    if (!this.editing) return;
    const { row, column, text } = this.editing;
    this.editing = null;
    this.author.half.put("cell");
    const cell = this.cell([row, column]);
    if (cell) cell.textContent = text;
    this.go([row, column]);
  }

  finish() {
    if (!this.editing) return;
    const { row, column, input, text } = this.editing;
    this.editing = null;
    this.author.half.put("cell");
    const cell = this.cell([row, column]);
    if (cell) cell.textContent = input.value;
    if (input.value !== text) this.commit(row, column, input.value);
  }

  async commit(row: number, column: number, typed: string) {
    const before = this.rows[row]?.cells[column];
    if (before === null || before === undefined || before === typed) return;
    const done = await this.author.edit({ kind: "cell", item: row, column: this.columns[column], typed });
    if (!done) {
      this.wrong = [row, column, typed];
      this.body.tmShown = [];
      this.author.redraw();
    }
  }

  /** Once an edit was made, nothing counts as refused. */
  forgive() {
    this.wrong = null;
    this.body.querySelector(".tm-au-bad")?.classList.remove("tm-au-bad");
  }

  // --- whole rows --------------------------------------------------------------------------------------------------

  async add(what = "record") {
    this.other.value = "";
    const after = this.author.chosen ?? this.rows.length - 1;
    const done = await this.author.edit({ kind: "add", after, what });
    if (!done || this.author.chosen === null) return;
    this.go([this.author.chosen, this.columns.includes("at") ? 0 : this.columns.indexOf("ts")]);
  }

  remove() {
    if (this.author.chosen !== null) this.author.edit({ kind: "remove", item: this.author.chosen });
  }

  /** Moves the chosen item up (-1) or down (1). */
  async move(way: number) {
    const item = this.author.chosen;
    if (item === null || item + way < 0 || item + way >= this.author.shown.stream.total) return;
    await this.author.edit({ kind: "move", item, to: item + way });
    if (this.author.chosen !== null && this.node.contains(document.activeElement)) {
      this.go([this.author.chosen, this.place[1]]);
    }
  }
}

// The keys of the table: from cell to cell, and in a cell that is edited; what is pasted into it.

const CELL_WAYS: { [key: string]: Cell | undefined } = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  PageUp: [-10, 0],
  PageDown: [10, 0],
};
const ROW_WAYS: { [key: string]: number | undefined } = { ArrowUp: -1, ArrowDown: 1 };

/** A key in the table. */
function tableKey(table: RecordTable, event: KeyboardEvent) {
  if (table.editing) {
    keyInside(table, event);
    return;
  }
  const [row, column] = table.place;
  if (event.ctrlKey || event.metaKey) {
    if (event.key === "Enter") handled(event, () => table.add());
    if (event.key === "Delete" || event.key === "Backspace") handled(event, () => table.remove());
    if (event.key === "Home") handled(event, () => table.go([0, 0]));
    if (event.key === "End") handled(event, () => table.go([table.rows.length - 1, column]));
    return;
  }
  if (event.altKey) {
    const way = ROW_WAYS[event.key];
    if (way) handled(event, () => table.move(way));
    return;
  }
  const to = CELL_WAYS[event.key];
  if (to) handled(event, () => table.go([row + to[0], column + to[1]]));
  else if (event.key === "Home") handled(event, () => table.go([row, 0]));
  else if (event.key === "End") handled(event, () => table.go([row, table.columns.length - 1]));
  else if (event.key === "Enter" || event.key === "F2") handled(event, () => table.begin());
  else if (event.key === "Delete" || event.key === "Backspace") {
    handled(event, () => table.commit(row, column, ""));
  } else if (event.key.length === 1 && event.key !== " ") handled(event, () => table.begin(event.key));
}

/** A key in a cell that is edited. */
function keyInside(table: RecordTable, event: KeyboardEvent) {
  if (event.isComposing) return;
  event.stopPropagation();
  const [row, column] = table.place;
  if (event.key === "Escape") handled(event, () => table.cancel());
  if (event.key === "Enter") {
    handled(event, () => {
      table.finish();
      table.go([row + (event.shiftKey ? -1 : 1), column]);
    });
  }
  if (event.key === "Tab") {
    const next = table.beside(row, column, event.shiftKey ? -1 : 1);
    if (!next) return;
    handled(event, () => {
      table.finish();
      table.go(next);
      table.begin();
    });
  }
  if (event.key === "ArrowUp" || event.key === "ArrowDown") {
    handled(event, () => {
      table.finish();
      table.go([row + (event.key === "ArrowUp" ? -1 : 1), column]);
    });
  }
}

/** Rows of a spreadsheet become records after this row; a single cell replaces the text of this one. */
function tablePaste(table: RecordTable, event: ClipboardEvent) {
  const text = event.clipboardData?.getData("text/plain").replace(/\r?\n$/, "") ?? "";
  if (table.editing || table.author.locked || !text) return;
  handled(event, () => {
    const [row, column] = table.place;
    if (/[\t\n]/.test(text)) table.author.edit({ kind: "paste", after: row, column: table.columns[column], text });
    else table.begin(text);
  });
}

function handled(event: Event, act: () => void) {
  event.preventDefault();
  event.stopPropagation();
  act();
}
