// The text of the draft: a plain text field over lines that are drawn only where they are seen.
import { coded, el, fill, pushButton } from "../player/base/dom.ts";
import { say } from "../player/base/format.ts";
import { FormPane } from "./form.ts";
import { AuthorPart } from "./author_part.ts";
import type { Author } from "./author.ts";
import type { Problem } from "./types.ts";

/** A problem's fix, with the offsets of what it replaces. */
type Replacement = { word: string; line: number; start: number; end: number };

const LINE = 20;
const SPARE = 12;
/** A line of more characters has no colours: a quote without its end is looked for to the end of the line. */
const COLOURED = 2000;
const PARTS = /(#.*$)|("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')|((?<![\w-])[\w-]+(?=:(?:\s|$)))/g;

export class TextPane extends AuthorPart {
  node = el("section", "tm-card tm-au-text", null, { "aria-label": this.author.words.text.title });
  note = el("span", "tm-card-note");
  form: FormPane;
  scroll = el("div", "tm-au-scroll");
  sheet = el("div", "tm-au-sheet");
  lines = el("div", "tm-au-lines", null, { "aria-hidden": "true" });
  field = el("textarea", "tm-au-area", null, {
    spellcheck: "false",
    autocapitalize: "off",
    autocomplete: "off",
    wrap: "off",
    "aria-label": this.author.words.text.label,
    "aria-describedby": "tm-au-problem",
  });
  problem = el("div", "tm-au-problem", null, { id: "tm-au-problem", role: "status" });
  problems: Problem[] = [];
  at = 0;
  /** the first and the last line of the chosen record */
  chosen: [number, number] | null = null;
  /** lines that an edit changed */
  changed: number[] = [];
  rows: string[] | null = null;
  /** which lines are drawn; null where they must be drawn again */
  seen: string | null = null;

  constructor(author: Author) {
    super(author);
    this.form = new FormPane(author, (yaml) => this.open(yaml));
    const head = fill(el("div", "tm-au-head"), this.form.tabs, this.note);
    this.sheet.append(this.lines, this.field);
    this.scroll.append(this.sheet);
    this.node.append(head, this.scroll, this.problem, this.form.node);
    // Which of the problems is shown.
    this.listen();
  }

  /** @param yaml whether the text is to be seen, and not the settings */
  open(yaml: boolean) {
    for (const node of [this.scroll, this.problem]) node.hidden = !yaml;
    this.seen = null;
    if (yaml) this.draw();
  }

  listen() {
    this.scroll.addEventListener("scroll", () => this.draw());
    this.field.addEventListener("input", () => {
      this.measure();
      this.draw();
      this.author.typed(this.field.value);
    });
    this.field.addEventListener("keydown", (event) => this.key(event));
    for (const name of ["click", "keyup"]) {
      this.field.addEventListener(name, () => this.author.cursorAt(this.lineOfCaret()));
    }
  }

  key(event: KeyboardEvent) {
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const { value, selectionStart: start } = this.field;
    const line = value.slice(value.lastIndexOf("\n", start - 1) + 1, start);
    const indent = /^ *(?:- (?=.*: *$))?/.exec(line)?.[0].replace("-", " ");
    if (!indent) return;
    event.preventDefault();
    document.execCommand("insertText", false, `\n${indent}`);
  }

  lineOfCaret() {
    return this.field.value.slice(0, this.field.selectionStart).split("\n").length;
  }

  /** Shows `text`; the caret stays in its line as far as there is one. */
  show(text: string) {
    if (this.field.value === text) return;
    const { selectionStart: start, selectionEnd: end, value } = this.field;
    let same = 0;
    const shorter = Math.min(value.length, text.length);
    while (same < shorter && value[same] === text[same]) same += 1;
    const shift = (at: number) => (at <= same ? at : Math.max(same, at + text.length - value.length));
    this.field.value = text;
    if (document.activeElement === this.field) this.field.setSelectionRange(shift(start), shift(end));
    this.measure();
    this.draw();
  }

  measure() {
    this.rows = this.field.value.split("\n");
    const longest = this.rows.reduce((most, each) => Math.max(most, each.length), 0);
    this.sheet.style.height = `${this.rows.length * LINE + 8}px`;
    this.sheet.style.minWidth = `calc(${longest + 2}ch + 56px)`;
    this.seen = null;
  }

  /** Marks problems, the lines of the chosen record, and lines that an edit changed; what is not given stays. */
  mark({
    problems = this.problems,
    chosen = this.chosen,
    changed = this.changed,
  }: {
    problems?: Problem[];
    chosen?: [number, number] | null;
    changed?: number[];
  }) {
    const other = JSON.stringify(problems) !== JSON.stringify(this.problems);
    this.problems = problems;
    this.chosen = chosen;
    this.changed = changed;
    if (other) {
      const errors = problems.filter((each) => !each.warning);
      this.at = Math.max(
        errors.findIndex((each) => each.line === this.lineOfCaret()),
        0,
      );
      this.tell();
    }
    this.seen = null;
    this.draw();
  }

  /** The lines in sight. */
  draw() {
    if (!this.rows) return;
    const first = Math.max(Math.floor(this.scroll.scrollTop / LINE) - SPARE, 0);
    const last = Math.min(first + Math.ceil(this.scroll.clientHeight / LINE) + 2 * SPARE, this.rows.length);
    if (this.seen === `${first} ${last}`) return;
    this.seen = `${first} ${last}`;
    const errors: Map<number, Problem> = new Map();
    for (const each of this.problems) if (each.line && !errors.has(each.line)) errors.set(each.line, each);
    const nodes = this.rows
      .slice(first, last)
      .map((text, index) => this.line(first + index + 1, text, errors.get(first + index + 1)));
    this.lines.style.transform = `translateY(${first * LINE}px)`;
    fill(this.lines, nodes);
  }

  /** A line as it is drawn. */
  line(number: number, text: string, problem: Problem | undefined) {
    const code = el("span", "tm-au-code");
    const row = fill(el("div", "tm-au-line"), el("span", "tm-au-number", number), code);
    if (this.chosen && number >= this.chosen[0] && number <= this.chosen[1]) row.classList.add("tm-au-chosen");
    if (this.changed.includes(number)) row.classList.add("tm-au-flash-line");
    if (problem) row.classList.add(problem.warning ? "tm-au-warned" : "tm-au-wrong");
    code.append(...coloured(text, problem && !problem.warning ? (problem.column ?? 1) - 1 : null));
    return row;
  }

  /** Scrolls so that `line` is in sight. */
  reveal(line: number) {
    const top = (line - 1) * LINE;
    const { scrollTop, clientHeight } = this.scroll;
    if (top < scrollTop + LINE || top > scrollTop + clientHeight - 2 * LINE) {
      this.scroll.scrollTop = Math.max(top - clientHeight / 2, 0);
    }
    this.draw();
  }

  /** Puts the caret at a place. */
  goTo({ line, column }: { line: number; column: number | null }) {
    this.form.open("yaml");
    const at = Math.min(this.startOf(line) + Math.max((column ?? 1) - 1, 0), this.field.value.length);
    this.field.focus({ preventScroll: true });
    this.field.setSelectionRange(at, at);
    this.reveal(line);
    this.author.cursorAt(line);
  }

  /** What is wrong, one problem after another. */
  tell() {
    const { words } = this.author;
    const errors = this.problems.filter((each) => !each.warning);
    if (!errors.length) {
      fill(this.problem);
      return;
    }
    const each = errors[this.at % errors.length];
    const where = each.line ? say(words.text.place, each) : words.text.nowhere;
    const text = fill(el("p", ""), el("b", "", where), " ", ...coded(each.text));
    const foot = el("div", "tm-au-problem-foot");
    const { line, column } = each;
    if (line) foot.append(this.button(words.text.go_there, () => this.goTo({ line, column })));
    const offered = this.offered(each);
    if (offered) {
      const label = words.text[offered.end > offered.start ? "replace" : "close"];
      foot.append(this.button(say(label, offered), () => this.replace(offered)));
    }
    if (errors.length > 1) {
      foot.append(
        this.button(
          say(words.text.next_problem, { number: (this.at % errors.length) + 1, count: errors.length }),
          () => {
            this.at += 1;
            this.tell();
            const next = errors[this.at % errors.length];
            if (next.line) this.reveal(next.line);
          },
        ),
      );
    }
    fill(this.problem, text, foot);
  }

  /** A problem's fix, if the text still has what it replaces; null for none. */
  offered({ fix }: Problem): Replacement | null {
    if (!fix) return null;
    const start = this.startOf(fix.line) + fix.column - 1;
    const end = start + fix.found.length;
    return this.field.value.startsWith(fix.found, start) ? { word: fix.write, line: fix.line, start, end } : null;
  }

  /** The offset at which a line (from 1) begins. */
  startOf(line: number) {
    return (this.rows ?? []).slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  }

  replace({ word, start, end }: Replacement) {
    this.field.focus({ preventScroll: true });
    this.field.setSelectionRange(start, end);
    document.execCommand("insertText", false, word);
  }

  button(text: string, act: () => void) {
    return pushButton("tm-button tm-plain", text, act);
  }
}

/**
 * A line in parts: keys, quoted texts, comments; from column `wrong` (from 0) to the end of its word it is underlined.
 */
function coloured(text: string, wrong: number | null) {
  const parts: [string, string][] = [];
  let here = 0;
  const add = (piece: string, kind: string) => {
    if (piece) parts.push([piece, kind]);
  };
  for (const found of text.length > COLOURED ? [] : text.matchAll(PARTS)) {
    if (found[1] && found.index > 0 && !/\s/.test(text[found.index - 1])) continue;
    add(text.slice(here, found.index), "");
    add(found[0], found[1] ? "tm-au-comment" : found[3] ? "tm-au-key" : "");
    here = found.index + found[0].length;
  }
  add(text.slice(here), "");
  if (wrong === null || wrong >= text.length) return parts.map(([piece, kind]) => el("span", kind, piece));
  const end = wrong + Math.max(/^[^\s,{}[\]]*/.exec(text.slice(wrong))?.[0].length ?? 0, 1);
  const nodes: HTMLElement[] = [];
  let at = 0;
  for (const [piece, kind] of parts) {
    const cuts = [0, wrong - at, end - at, piece.length].map((cut) => Math.min(Math.max(cut, 0), piece.length));
    [
      [0, 1],
      [1, 2],
      [2, 3],
    ].forEach(([from, to], index) => {
      const cut = piece.slice(cuts[from], cuts[to]);
      if (cut) nodes.push(el("span", `${kind}${index === 1 ? " tm-au-squiggle" : ""}`, cut));
    });
    at += piece.length;
  }
  return nodes;
}
