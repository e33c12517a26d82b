// A draft from Flink SQL: the text, files of records for its tables, and the place at which it is refused.
import { base64, el } from "../player/base/dom.ts";
import { say } from "../player/base/format.ts";
import { doorButton, doorSection, fileButton } from "./doors.ts";
import type { Doors } from "./doors.ts";

/** What was typed last, so that a dialog closed by accident loses nothing. */
let typedSql = "";

export function openSqlDoor(doors: Doors) {
  const { words, base } = doors.author;
  const text = el("textarea", "tm-au-paste tm-au-sql", null, {
    "aria-label": words.sql.text,
    placeholder: base.sql_example,
    spellcheck: "false",
    rows: "14",
  });
  text.value = typedSql;
  text.addEventListener("input", () => {
    typedSql = text.value;
  });
  const files = el("input", "tm-au-upload", null, {
    type: "file",
    accept: ".csv,.tsv,.txt,.json,.jsonl",
    multiple: "",
    "aria-label": words.sql.records,
  });
  const read = doorButton(words.sql.read, () => readSql(doors, text, files, read), "tm-strong-button");
  const example = doorButton(words.sql.example, () => {
    text.value = typedSql = base.sql_example;
    text.focus();
  });
  const row = el("div", "tm-au-door-row");
  row.append(read, example);
  doors.open(
    words.sql.title,
    el("p", "tm-quiet", words.sql.about),
    text,
    doorSection(
      words.sql.records,
      fileButton(files, words.doors.choose_files),
      el("p", "tm-quiet", words.sql.records_about),
    ),
    row,
  );
  text.focus();
}

/** The bytes of a file, and not its text: which encoding that has is found where the file is read. */
async function recordsOf(file: File) {
  return { file: file.name, content: base64(new Uint8Array(await file.arrayBuffer())) };
}

/**
 * Opens a draft of the SQL in `text`; a refusal is shown, with its place marked.
 * @param button says that it is being read: the first time that takes some seconds in a site
 */
export async function readSql(
  doors: Doors,
  text: HTMLTextAreaElement,
  files: HTMLInputElement,
  button: HTMLButtonElement,
) {
  const { words, base } = doors.author;
  const chosen = [...(files.files ?? [])];
  if (chosen.some((each) => each.size > base.most_bytes)) {
    doors.problem.textContent = say(words.doors.too_large, { limit: Math.floor(base.most_bytes / 1024) });
    return;
  }
  const records = await Promise.all(chosen.map(recordsOf));
  doors.problem.textContent = "";
  button.disabled = true;
  button.textContent = words.sql.reading;
  try {
    await doors.fresh({ name: "sql", sql: text.value || base.sql_example, records }, (place) => {
      if (place) choosePlace(text, place);
    });
  } finally {
    button.disabled = false;
    button.textContent = words.sql.read;
  }
}

// The place in a text field at which something is refused: chosen, and scrolled into view.

/** What is marked: a quoted name, a word, or else one character. */
const MARKED = /^`[^`\n]+`|^[\p{L}\p{N}_$]+|^./u;

/** Lines and columns that stay in view before the place. */
const BEFORE = { lines: 3, columns: 8 };

/**
 * Where what stands at `place` begins and ends in `text`.
 * @param place line and column, from 1; a column counts characters, as Python does
 */
export function markedAt(text: string, [line, column]: [number, number]): [number, number] {
  const lines = text.split("\n");
  const before = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  const start = before + [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length;
  return [start, start + (MARKED.exec(text.slice(start))?.[0].length ?? 0)];
}

/**
 * Marks what stands at `place`, so that it is seen at once.
 * @param text whose lines do not wrap
 * @param place line and column, from 1
 */
function choosePlace(text: HTMLTextAreaElement, [line, column]: [number, number]) {
  const [start, end] = markedAt(text.value, [line, column]);
  const lines = text.value.split("\n");
  text.focus();
  text.setSelectionRange(start, end);
  text.scrollTop = (text.scrollHeight / Math.max(lines.length, 1)) * Math.max(line - 1 - BEFORE.lines, 0);
  text.scrollLeft = widthOf(text, [...(lines[line - 1] ?? "")].slice(0, Math.max(column - 1 - BEFORE.columns, 0)));
}

/** How wide `characters` are in the font of `text`, in CSS pixels. */
function widthOf(text: HTMLTextAreaElement, characters: string[]) {
  const style = getComputedStyle(text);
  const context = document.createElement("canvas").getContext("2d");
  if (!context) return 0;
  context.font = style.font;
  return context.measureText(characters.join("").replaceAll("\t", " ".repeat(Number(style.tabSize) || 8))).width;
}
