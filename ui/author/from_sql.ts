// A draft from Flink SQL: the text, files of records for its tables, and the place at which it is refused.
import { el, fill } from "../player/base/dom.ts";
import { say } from "../player/base/format.ts";
import { choosePlace, recordsOf } from "../sql/text.ts";
import { doorButton, doorSection, fileButton, type Doors } from "./doors.ts";

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
  const row = fill(el("div", "tm-au-door-row"), read, example);
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
