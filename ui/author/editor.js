// The text of the draft: a plain text field over lines that are drawn only where they are seen.
import { el, fill } from "../player/base/dom.js";
import { say } from "../player/base/format.js";

const LINE = 20;
const SPARE = 12;
const PARTS = /(#.*$)|("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')|([\w-]+(?=:(?:\s|$)))/g;

export class TextPane {
  constructor(author) {
    this.author = author;
    const { words } = author;
    this.node = el("section", "tm-card tm-au-text", null, { "aria-label": words.text.title });
    this.note = el("span", "tm-card-note");
    const head = el("div", "tm-au-head");
    head.append(el("h2", "", words.text.title), this.note);
    this.scroll = el("div", "tm-au-scroll");
    this.sheet = el("div", "tm-au-sheet");
    this.lines = el("div", "tm-au-lines", null, { "aria-hidden": "true" });
    this.field = el("textarea", "tm-au-area", null, {
      spellcheck: "false",
      autocapitalize: "off",
      autocomplete: "off",
      wrap: "off",
      "aria-label": words.text.label,
      "aria-describedby": "tm-au-problem",
    });
    this.sheet.append(this.lines, this.field);
    this.scroll.append(this.sheet);
    this.problem = el("div", "tm-au-problem", null, { id: "tm-au-problem", role: "status" });
    this.node.append(head, this.scroll, this.problem);
    Object.assign(this, { problems: [], at: 0, chosen: null, changed: [] });
    this.listen();
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

  key(event) {
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const { value, selectionStart: start } = this.field;
    const line = value.slice(value.lastIndexOf("\n", start - 1) + 1, start);
    const indent = /^ *(?:- (?=.*: *$))?/.exec(line)[0].replace("-", " ");
    if (!indent) return;
    event.preventDefault();
    document.execCommand("insertText", false, `\n${indent}`);
  }

  lineOfCaret() {
    return this.field.value.slice(0, this.field.selectionStart).split("\n").length;
  }

  /** Shows `text`; the caret stays in its line as far as there is one. */
  show(text) {
    if (this.field.value === text) return;
    const { selectionStart: start, selectionEnd: end, value } = this.field;
    let same = 0;
    const shorter = Math.min(value.length, text.length);
    while (same < shorter && value[same] === text[same]) same += 1;
    const shift = (at) => (at <= same ? at : Math.max(same, at + text.length - value.length));
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

  /** Marks: problems {line, column, text, warning, fix}, the lines of the chosen record, lines that an edit changed. */
  mark({ problems = this.problems, chosen = this.chosen, changed = this.changed }) {
    const other = JSON.stringify(problems) !== JSON.stringify(this.problems);
    Object.assign(this, { problems, chosen, changed });
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
    const errors = new Map();
    for (const each of this.problems) if (each.line && !errors.has(each.line)) errors.set(each.line, each);
    const nodes = [];
    for (let index = first; index < last; index += 1) nodes.push(this.line(index + 1, errors.get(index + 1)));
    this.lines.style.transform = `translateY(${first * LINE}px)`;
    fill(this.lines, nodes);
  }

  line(number, problem) {
    const row = el("div", "tm-au-line");
    const text = this.rows[number - 1];
    const code = el("span", "tm-au-code");
    row.append(el("span", "tm-au-number", number), code);
    if (this.chosen && number >= this.chosen[0] && number <= this.chosen[1]) row.classList.add("tm-au-chosen");
    if (this.changed.includes(number)) row.classList.add("tm-au-flash-line");
    if (problem) row.classList.add(problem.warning ? "tm-au-warned" : "tm-au-wrong");
    code.append(...coloured(text, problem && !problem.warning ? problem.column - 1 : null));
    return row;
  }

  /** Scrolls so that `line` is in sight. */
  reveal(line) {
    const top = (line - 1) * LINE;
    const { scrollTop, clientHeight } = this.scroll;
    if (top < scrollTop + LINE || top > scrollTop + clientHeight - 2 * LINE) {
      this.scroll.scrollTop = Math.max(top - clientHeight / 2, 0);
    }
    this.draw();
  }

  /** Puts the caret where a problem is. */
  goTo({ line, column }) {
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
    const text = el("p", "");
    text.append(el("b", "", where), ` ${each.text}`);
    const foot = el("div", "tm-au-problem-foot");
    if (each.line) foot.append(this.button(words.text.go_there, () => this.goTo(each)));
    const offered = this.offered(each);
    if (offered) {
      const label = words.text[each.fix.found ? "replace" : "close"];
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

  /** A problem's fix, if the text still has what it replaces: {word, line, start, end}; null for none. */
  offered({ fix }) {
    if (!fix) return null;
    const start = this.startOf(fix.line) + fix.column - 1;
    const end = start + fix.found.length;
    return this.field.value.startsWith(fix.found, start) ? { word: fix.write, line: fix.line, start, end } : null;
  }

  /** The offset at which a line (from 1) begins. */
  startOf(line) {
    return this.rows.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  }

  replace({ word, start, end }) {
    this.field.focus({ preventScroll: true });
    this.field.setSelectionRange(start, end);
    document.execCommand("insertText", false, word);
  }

  button(text, act) {
    const node = el("button", "tm-button tm-plain", text, { type: "button" });
    node.addEventListener("click", act);
    return node;
  }
}

/** A line in parts: keys, quoted texts, comments; from column `wrong` to the end of its word it is underlined. */
function coloured(text, wrong) {
  const parts = [];
  let here = 0;
  const add = (piece, kind) => {
    if (piece) parts.push([piece, kind]);
  };
  for (const found of text.matchAll(PARTS)) {
    if (found[1] && found.index > 0 && !/\s/.test(text[found.index - 1])) continue;
    add(text.slice(here, found.index), "");
    add(found[0], found[1] ? "tm-au-comment" : found[3] ? "tm-au-key" : "");
    here = found.index + found[0].length;
  }
  add(text.slice(here), "");
  if (wrong === null || wrong >= text.length) return parts.map(([piece, kind]) => el("span", kind, piece));
  const end = wrong + Math.max(/^[^\s,{}[\]]*/.exec(text.slice(wrong))[0].length, 1);
  const nodes = [];
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
