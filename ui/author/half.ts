// What is typed halfway (a cell, a title, a setting, the form of a beat) is kept with the draft, until it is done or
// given up. A part of the page whose fields are taken when they are left is marked with `data-half`, by which it is
// found again; its fields have a `data-control`.
import { dataNodes } from "../player/base/dom.ts";
import type { Author } from "./author.ts";

const KEEPING_MS = 300;

export class Half {
  author: Author;
  keeping?: number;

  constructor(author: Author) {
    this.author = author;
    const { root } = author;
    root.addEventListener("input", ({ target }) => {
      const field = halfField(target);
      if (field && isTyped(target)) this.put("field", [...field, target.value]);
    });
    root.addEventListener("focusout", ({ target }) => halfField(target) && this.put("field"));
    root.addEventListener(
      "keydown",
      ({ key, target }) => ["Enter", "Escape"].includes(key) && halfField(target) && this.put("field"),
      true,
    );
  }

  /** @param value something that JSON can write; undefined once the field or form is done */
  put(name: string, value?: unknown) {
    const { history } = this.author;
    if (!history || history.elsewhere) return;
    if (value === undefined && !(name in history.half)) return;
    if (value === undefined) delete history.half[name];
    else history.half[name] = value;
    history.at ??= Date.now();
    clearTimeout(this.keeping);
    this.keeping = setTimeout(() => this.keep(), KEEPING_MS);
  }

  /** What was typed there, undefined for nothing. */
  of(name: string): any {
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
    if (typeof this.of("title") === "string") head.resume(this.of("title"));
    if (Array.isArray(this.of("goal"))) goals.refill(this.of("goal"));
    if (this.of("beat")) this.author.cards[2].open("story");
    if (this.of("beat")) story.form(this.of("beat"));
    else if (this.of("frame")) story.frame(this.of("frame"));
    const tableToTake = this.of("table");
    if (tableToTake) this.author.doors.take().resume(tableToTake);
    if (Array.isArray(this.of("field"))) this.retype(this.of("field"));
  }

  /** @param kept the part that the field is in, its name, and what was typed */
  async retype([part, name, typed]: string[]) {
    const { pane, story, saving, doors } = this.author;
    const [kind, which] = part.split(":");
    if (kind === "settings") pane.form.open(which);
    if (kind === "languages") story.languages.open(which);
    if (kind === "save") await saving.save();
    if (kind === "file") await saving.manage();
    if (kind === "paste") doors.take();
    const found = dataNodes(this.author.root, `[data-half="${part}"] [data-control="${CSS.escape(name)}"]`)[0];
    if (!isTyped(found)) return;
    found.focus();
    found.value = typed;
    found.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

/** Whether something is typed there, and not chosen. */
function isTyped(node: unknown): node is HTMLInputElement | HTMLTextAreaElement {
  return node instanceof HTMLTextAreaElement || (node instanceof HTMLInputElement && node.type === "text");
}

/** The part of the page that a field is in, and its name; null for one that is not kept like this. */
function halfField(node: EventTarget | null) {
  if (!isTyped(node) || !node.dataset.control) return null;
  const part = node.closest("[data-half]");
  return part instanceof HTMLElement ? [part.dataset.half, node.dataset.control] : null;
}
