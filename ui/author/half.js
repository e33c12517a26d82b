// What is typed halfway (a cell, a title, the form of a beat) is kept with the draft, until it is done or given up.
/** @import { Author } from "./author.js" */

const KEEPING_MS = 300;

export class Half {
  /** @param {Author} author */
  constructor(author) {
    this.author = author;
    /** @type {number | undefined} */
    this.keeping = undefined;
  }

  /**
   * @param {string} name
   * @param {unknown} [value] something that JSON can write; undefined once the field or form is done
   */
  put(name, value) {
    const { history } = this.author;
    if (!history || history.elsewhere) return;
    if (value === undefined && !(name in history.half)) return;
    if (value === undefined) delete history.half[name];
    else history.half[name] = value;
    history.at ??= Date.now();
    clearTimeout(this.keeping);
    this.keeping = setTimeout(() => this.keep(), KEEPING_MS);
  }

  /**
   * What was typed there, undefined for nothing.
   * @param {string} name
   * @returns {any}
   */
  of(name) {
    return this.author.history?.half[name];
  }

  keep() {
    if (this.keeping === undefined) return;
    clearTimeout(this.keeping);
    this.keeping = undefined;
    this.author.history?.keep();
  }

  /** Opens again what was open: called once the draft is shown. */
  reopen() {
    const { table, head, goals, story, facts } = this.author;
    if (!facts) return;
    const [row, name, typed] = this.of("cell") ?? [];
    const column = table.columns.indexOf(name);
    if (typeof table.rows[row]?.cells[column] === "string") {
      table.go([row, column]);
      table.begin(String(typed));
    }
    if (typeof this.of("title") === "string") head.retype(this.of("title"));
    if (Array.isArray(this.of("goal"))) goals.refill(this.of("goal"));
    if (this.of("beat")) this.author.cards[2].open("story");
    if (this.of("beat")) story.form(this.of("beat"));
    else if (this.of("frame")) story.frame(this.of("frame"));
  }
}
