// The wizard for tables: a file or pasted rows, what each column is, which rows are wanted, and what will come of it.
import { base64, coded, el, fill } from "../player/base/dom.ts";
import { say } from "../player/base/format.ts";
import { columnTable, outcome, settings, wanted } from "./wizard_form.ts";
import { doorButton, doorSection, fileButton } from "./doors.ts";
import type { Author } from "./author.ts";
import type { Done, TableChoice, TableLook, TableReading, TableRecord } from "./types.ts";

const BEGINNING = 128 * 1024;
const MOST_LISTED = 100;
const MOST_KEPT = 128 * 1024;

/** What a table may be, to begin with. */
const EXAMPLE = `arrival,time,key,value
1.2,1,a,2
3.2,3,a,1
3.6,2.5,b,4
6.2,6,a,3
8.2,4,b,5
11.5,11,a,1
`;

/** What reading a whole file has led to: the counts of all pieces, and the wanted rows as they stand in the file. */
type Sifted = { reading: TableReading; preview: TableRecord[]; kept: string[] };

/** A table with what was chosen for it, as the draft keeps it. */
type KeptTable = { name: string; bytes: string; given: Partial<TableChoice>; replace: boolean };

export class Wizard {
  author: Author;
  words;
  close: () => void;
  complain: (problem: string) => void;
  node = el("div", "tm-au-wizard");
  replace = el("input", "", null, { type: "checkbox" });
  file: Blob | null = null;
  name = "";
  head: Uint8Array = new Uint8Array();
  whole = true;
  /** what the author has chosen; the server guesses the rest */
  given: Partial<TableChoice> = {};
  shown: TableLook | null = null;
  sifted: Sifted | null = null;
  /** the reading of the whole file that is under way */
  turn: object | null = null;
  foot?: HTMLDivElement;

  /** whether a scenario begins with the table; else its records go into the open draft */
  new: boolean;

  constructor(author: Author, close: () => void, complain: (problem: string) => void, isNew = false) {
    this.author = author;
    this.new = isNew;
    this.replace.checked = isNew;
    this.words = author.words.wizard;
    this.close = close;
    this.complain = complain;
    this.replace.addEventListener("change", () => this.look());
    this.begin();
  }

  // --- the table ---------------------------------------------------------------------------------------------------

  begin() {
    const { words } = this;
    this.file = null;
    this.shown = null;
    const field = el("input", "tm-au-upload", null, {
      type: "file",
      accept: ".csv,.tsv,.txt,.json,.jsonl,.ndjson",
      "aria-label": words.file,
    });
    field.addEventListener("change", () => field.files?.[0] && this.open(field.files[0], field.files[0].name));
    const drop = el("div", "tm-au-drop");
    drop.append(fileButton(field, this.author.words.doors.choose_file), el("span", "tm-quiet", words.drop));
    for (const name of ["dragenter", "dragover"]) drop.addEventListener(name, (event) => event.preventDefault());
    drop.addEventListener("drop", (event) => {
      event.preventDefault();
      const file = event.dataTransfer?.files[0];
      if (file) this.open(file, file.name);
    });
    const paste = el("textarea", "tm-au-paste", null, {
      rows: "6",
      "aria-label": words.paste,
      spellcheck: "false",
      "data-control": "rows",
    });
    const read = () => paste.value.trim() && this.open(new Blob([paste.value]), words.pasted);
    paste.addEventListener("paste", () => setTimeout(read, 0));
    paste.placeholder = EXAMPLE;
    const example = doorButton(words.example, () => {
      paste.value = EXAMPLE;
      paste.focus();
    });
    if (!this.new) this.node.dataset.half = "paste:";
    this.author.half.put("table");
    const reading = fill(el("div", "tm-au-door-row"), doorButton(words.paste_take, read, "tm-strong-button"), example);
    const files = doorSection(words.file, drop);
    const rows = doorSection(this.new ? words.new_rows : words.paste, paste, reading);
    fill(this.node, el("p", "tm-quiet", words.about), this.new ? [rows, files] : [files, rows]);
  }

  async open(file: Blob, name: string, given = {}) {
    this.file = file;
    this.name = name;
    this.given = given;
    this.shown = null;
    const { piece, rows } = this.author.base.wizard;
    this.head = await beginning(file, file.size <= piece ? file.size : BEGINNING, rows);
    this.whole = this.head.length === file.size;
    await this.look();
  }

  /** The table that was open before a reload, as far as it was kept: the browser forgets a large file. */
  async resume({ name, bytes, given, replace }: KeptTable) {
    this.replace.checked = replace;
    await this.open(new Blob([unbase64(bytes)]), name, given);
  }

  /** A small table is kept until its records are taken. */
  keep() {
    const { name, given, replace } = this;
    if (this.new || this.head.length > MOST_KEPT || !this.whole) return;
    const kept: KeptTable = { name, bytes: base64(this.head), given, replace: replace.checked };
    this.author.half.put("table", kept);
  }

  // --- what is chosen ----------------------------------------------------------------------------------------------

  /** Changes what is chosen. What the columns are is guessed again where the change gives other columns. */
  choose(more: Partial<TableChoice>) {
    const anew = ["encoding", "delimiter", "header", "form"].some((name) => name in more);
    if (anew) delete this.given.columns;
    if (anew) delete this.given.decimal;
    Object.assign(this.given, more);
    return this.look();
  }

  async look() {
    if (!this.file) return;
    this.turn = null;
    this.sifted = null;
    const { author } = this;
    const reply: Done<"look"> | null = await author.doors.command(
      {
        name: "look",
        content: base64(this.head),
        given: this.given,
        whole: this.whole,
        replace: this.replace.checked,
        new: this.new,
      },
      { slot: "wizard" },
    );
    if (!reply) return;
    this.complain("");
    if (!this.shown && reply.told.look.apart && !this.replace.checked) {
      this.replace.checked = true; // instants among seconds would be half a century apart
      this.shown = reply.told.look;
      await this.look();
      return;
    }
    this.shown = reply.told.look;
    this.draw();
    this.keep();
  }

  // --- what is shown -----------------------------------------------------------------------------------------------

  draw() {
    const { shown, words } = this;
    if (!shown) return;
    delete this.node.dataset.half;
    const focus = document.activeElement;
    const held = focus instanceof HTMLElement && this.node.contains(focus) ? focus.dataset.field : null;
    const unfinished = focus instanceof HTMLInputElement && focus.type === "text" ? focus.value : null;
    const scrolled = this.node.querySelector(".tm-au-columns")?.scrollLeft ?? 0;
    const source = el("div", "tm-au-door-row");
    source.append(
      el("b", "", say(words.of_size, { name: this.name, size: bytesText(this.file?.size ?? 0) })),
      doorButton(words.other, () => this.begin(), "tm-plain"),
    );
    this.foot = el("div", "tm-au-wizard-foot");
    fill(
      this.node,
      source,
      settings(this, shown),
      shown.rows.length ? doorSection(words.columns, columnTable(this, shown)) : null,
      shown.rows.length ? doorSection(words.wanted, wanted(this, shown)) : null,
      shown.problem ? fill(el("p", "tm-au-wizard-problem", null, { role: "alert" }), coded(shown.problem)) : null,
      this.foot,
    );
    const table = this.node.querySelector(".tm-au-columns");
    if (table) table.scrollLeft = scrolled;
    const field = held ? this.node.querySelector(`[data-field="${held}"]`) : null;
    if (field instanceof HTMLInputElement && unfinished !== null) field.value = unfinished;
    if (field instanceof HTMLElement) field.focus();
    this.drawFoot();
  }

  /** The outcome, and the way on: read the whole file, or take the records. */
  drawFoot() {
    const { shown, words, foot } = this;
    if (!shown || !foot) return;
    const reading = this.sifted?.reading ?? shown.reading;
    if (!reading) {
      fill(foot);
      return;
    }
    const known = this.whole || this.sifted !== null;
    const label = fill(el("label", "tm-au-check"), this.replace, el("span", "", this.words.replace));
    label.hidden = this.new;
    const fits = known && reading.records > 0 && !reading.problem;
    const count = reading.records.toLocaleString();
    const named = reading.refused_count ? words.take_leave : reading.records === 1 ? words.take_one : words.take;
    const take = doorButton(say(named, { count }), () => this.take(), "tm-strong-button tm-au-take");
    take.hidden = !fits;
    const sift = doorButton(words.sift, () => this.sift(), "tm-strong-button tm-au-sift");
    sift.hidden = known;
    const row = fill(el("div", "tm-au-door-row"), label, el("span", "tm-spring"), sift, take);
    fill(foot, outcome(this, reading, this.sifted?.preview ?? shown.preview, known), row);
  }

  // --- a file that is larger than a question -----------------------------------------------------------------------

  /** Reads the file piece by piece, and keeps the wanted rows. */
  async sift() {
    const { file, shown, words, author } = this;
    if (!file || !shown) return;
    const { choice } = shown;
    const { piece: size, rows } = author.base.wizard;
    const turn = {};
    this.turn = turn;
    const progress = el("span", "", "", { role: "status" });
    const stop = doorButton(words.stop, () => {
      this.turn = null;
      this.drawFoot();
    });
    this.foot?.append(fill(el("div", "tm-au-door-row"), progress, el("span", "tm-spring"), stop));
    const sifted: Sifted = { reading: { ...nothing(), problem: "" }, preview: [], kept: [] };
    try {
      for await (const piece of pieces(file, size, rows, linesOf(choice.encoding, choice.form))) {
        const { reading } = sifted;
        if (choice.to_line && piece.line > choice.to_line) break;
        if (choice.from_line > piece.line + piece.lines && piece.done < file.size) continue;
        progress.textContent = say(words.sifting, {
          done: bytesText(piece.done),
          size: bytesText(file.size),
          count: reading.records.toLocaleString(),
        });
        const reply: Done<"sift"> | null = await author.doors.command({
          name: "sift",
          content: base64(piece.bytes),
          choice,
          line: piece.line,
          matched: reading.matched,
          taken: reading.records,
          size: reading.size,
          replace: this.replace.checked,
          new: this.new,
        });
        if (!reply || this.turn !== turn) return;
        add(sifted, reply.told);
        if (reading.problem || (choice.first && reading.records >= choice.first)) break;
      }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.complain(words.no_lines);
      return;
    }
    this.turn = null;
    this.sifted = sifted;
    this.drawFoot();
  }

  // --- into the draft ----------------------------------------------------------------------------------------------

  async take() {
    const { shown, sifted, author, words } = this;
    if (!shown) return;
    const bytes = sifted ? new TextEncoder().encode(sifted.kept.join("\n")) : this.head;
    const reply: Done<"records"> | null = await author.doors.command(
      {
        name: "records",
        content: base64(bytes),
        choice: shown.choice,
        kept: sifted !== null,
        replace: this.replace.checked,
        new: this.new,
      },
      this.replace.checked ? {} : { before: author.text }, // of other records there is nothing to compare
    );
    if (!reply) return;
    if (this.new) {
      author.openNew(reply.text);
      this.close();
    } else {
      this.close();
      author.draft.push(reply.text);
      author.take(reply);
    }
    const { added, left_out: left } = reply.told;
    const lost = left + (sifted?.reading.refused_count ?? 0);
    author.tell(
      [
        say(added === 1 ? words.added_one : words.added, { count: added.toLocaleString() }),
        lost ? say(lost === 1 ? words.left_out_one : words.left_out, { count: lost }) : "",
        ...reply.told.notes,
      ]
        .filter(Boolean)
        .join(" "),
    );
  }
}

function nothing(): TableReading {
  return { problem: "", rows: 0, matched: 0, records: 0, size: 0, refused: [], refused_count: 0, notes: [] };
}

function add(sifted: Sifted, { kept, preview, reading }: Done<"sift">["told"]) {
  const all = sifted.reading;
  for (const each of kept) sifted.kept.push(each);
  if (sifted.preview.length < preview.length) sifted.preview = [...sifted.preview, ...preview].slice(0, preview.length);
  all.rows += reading.rows;
  all.matched = reading.matched;
  all.records += reading.records;
  all.size += reading.size;
  all.refused = [...all.refused, ...reading.refused].slice(0, MOST_LISTED);
  all.refused_count += reading.refused_count;
  all.notes = [...new Set([...all.notes, ...reading.notes])];
  all.problem = reading.problem;
}

function bytesText(bytes: number) {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

// A file in pieces that end at line ends: of a large table only what is looked at leaves the browser.

const NEWLINE = 10;
const RETURN = 13;
const QUOTE = 34;

/**
 * How the lines of a table end and where they do not: `wide` is 2 for UTF-16, whose line ends take two bytes, and
 * `first` says at which of the two the sign stands; `quotes`: a line end between quotes ends no row.
 */
type Lines = { wide: 1 | 2; first: 0 | 1; quotes: boolean };

/** @param encoding by Python's name */
export function linesOf(encoding: string, form: string): Lines {
  const wide = encoding.startsWith("utf-16") ? 2 : 1;
  return { wide, first: encoding.endsWith("be") ? 1 : 0, quotes: form === "csv" };
}

/**
 * Where the last whole row in the first `most` lines of `bytes` ends, and how many lines there are up to it; an end of
 * 0 where no row ends. `full`: whether there are so many lines.
 */
export function cut(bytes: Uint8Array, { wide, first, quotes }: Lines, most: number) {
  const end = isSign(bytes, NEWLINE, wide, first) ? NEWLINE : RETURN;
  let inside = false;
  let seen = 0;
  const last = { end: 0, lines: 0 };
  const any = { end: 0, lines: 0 };
  for (let at = first; at < bytes.length; at += wide) {
    if (wide === 2 && bytes[first ? at - 1 : at + 1] !== 0) continue;
    if (bytes[at] === QUOTE && quotes) inside = !inside;
    if (bytes[at] !== end) continue;
    seen += 1;
    const place = first ? at + 1 : at + wide;
    if (place > bytes.length) break;
    Object.assign(any, { end: place, lines: seen });
    if (!inside) Object.assign(last, any);
    if (seen === most) break;
  }
  // A quote that is never closed must not hold up everything behind it.
  return { ...(last.end ? last : any), full: seen >= most };
}

function isSign(bytes: Uint8Array, sign: number, wide: 1 | 2, first: 0 | 1) {
  for (let at = bytes.indexOf(sign, first); at >= 0; at = bytes.indexOf(sign, at + 1)) {
    if (wide === 1 || (at % 2 === first && bytes[first ? at - 1 : at + 1] === 0)) return true;
  }
  return false;
}

/**
 * The pieces of a file, in order: whole rows, the number of their first line (from 1), and how much was read so far.
 * @param size the most bytes of a piece
 * @param most the most lines of a piece
 * @returns Throws a RangeError where no line ends within `size` bytes.
 */
export async function* pieces(
  file: Blob,
  size: number,
  most: number,
  lines: Lines,
): AsyncGenerator<{ bytes: Uint8Array; line: number; lines: number; done: number }> {
  let at = 0;
  let line = 1;
  while (at < file.size) {
    const bytes = new Uint8Array(await file.slice(at, at + size).arrayBuffer());
    const whole = cut(bytes, lines, most);
    const rest = at + bytes.length >= file.size && !whole.full;
    const found = rest ? { end: bytes.length, lines: 0 } : whole;
    if (!found.end) throw new RangeError("no line ends");
    at += found.end;
    yield { bytes: bytes.subarray(0, found.end), line, lines: found.lines, done: at };
    line += found.lines;
  }
}

/**
 * The beginning of a file, cut after a whole row unless it is the whole file.
 * @param size the most bytes of it
 * @param most the most lines of it
 */
export async function beginning(file: Blob, size: number, most: number) {
  const bytes = new Uint8Array(await file.slice(0, size).arrayBuffer());
  const wide = bytes[0] >= 254 && bytes[1] >= 254;
  const lines: Lines = { wide: wide ? 2 : 1, first: bytes[0] === 254 && wide ? 1 : 0, quotes: true };
  const { end, full } = cut(bytes, lines, most);
  return (bytes.length >= file.size && !full) || !end ? bytes : bytes.subarray(0, end);
}

/** @param text what `base64` made */
export function unbase64(text: string) {
  return Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
}
