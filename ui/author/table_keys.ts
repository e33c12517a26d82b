// The keys of the table: from cell to cell, and in a cell that is edited; what is pasted into it.
import type { RecordTable } from "./table.ts";
import type { Cell } from "./types.ts";

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
export function tableKey(table: RecordTable, event: KeyboardEvent) {
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
export function tablePaste(table: RecordTable, event: ClipboardEvent) {
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
