// The draft as a list of texts, so that every edit can be undone; this browser keeps it over a reload.
/** @import { EarlierDraft, KeptDraft, SavedFile } from "./types.d.ts" */

const DRAFT_KEY = "tidemark.author";
const OLD_DRAFTS_KEY = "tidemark.author.earlier";
const MOST_TEXTS = 120;
const MOST_CHARACTERS = 1500000;
const MOST_EARLIER = 5;

export class History {
  /** @param {KeptDraft} draft */
  constructor({ origin = "", texts, place = texts.length - 1, file = null, saved = null, at = null }) {
    this.origin = origin;
    this.texts = texts;
    this.place = place;
    /** @type {SavedFile | null} */
    this.file = file;
    this.saved = saved;
    this.at = at;
  }

  get text() {
    return this.texts[this.place];
  }

  get canUndo() {
    return this.place > 0;
  }

  get canRedo() {
    return this.place < this.texts.length - 1;
  }

  /** Whether the text is the one that lies in the folder. */
  get isSaved() {
    return this.saved === this.text;
  }

  /**
   * A new text; what had been undone is gone.
   * @param {string} text
   */
  push(text) {
    if (text === this.text) return;
    this.texts.length = this.place + 1;
    this.texts.push(text);
    let characters = this.texts.reduce((sum, each) => sum + each.length, 0);
    while (this.texts.length > 2 && (this.texts.length > MOST_TEXTS || characters > MOST_CHARACTERS)) {
      characters -= this.texts.shift()?.length ?? 0;
    }
    this.place = this.texts.length - 1;
    this.at = Date.now();
    this.keep();
  }

  undo() {
    if (this.canUndo) this.place -= 1;
    this.keep();
  }

  redo() {
    if (this.canRedo) this.place += 1;
    this.keep();
  }

  /**
   * The file holds `text`, but not what was typed while it was being saved.
   * @param {string} name
   * @param {string} digest
   * @param {string} text
   */
  savedAs(name, digest, text) {
    this.file = { name, digest };
    this.saved = text;
    this.keep();
  }

  /** There may be no room for many texts; the last one alone nearly always fits. */
  keep() {
    const { origin, texts, place, file, saved, at } = this;
    if (write(DRAFT_KEY, { origin, texts, place, file, saved, at })) return;
    write(DRAFT_KEY, { origin, texts: [this.text], place: 0, file, saved: null, at });
  }

  /** Puts this draft among the earlier ones, since another takes its place. */
  putAway() {
    const earlier = earlierDrafts().filter((each) => each.text !== this.text);
    write(OLD_DRAFTS_KEY, [{ text: this.text, at: Date.now() }, ...earlier].slice(0, MOST_EARLIER));
  }
}

/** The draft that this browser kept, null for none. */
export function keptDraft() {
  const kept = read(DRAFT_KEY);
  const sound =
    kept &&
    Array.isArray(kept.texts) &&
    kept.texts.length &&
    kept.texts.every((/** @type {unknown} */ each) => typeof each === "string");
  if (!sound) return null;
  const place =
    Number.isInteger(kept.place) && kept.place >= 0 && kept.place < kept.texts.length
      ? kept.place
      : kept.texts.length - 1;
  return new History({ ...kept, place });
}

/**
 * Drafts that made room for another, the newest first.
 * @returns {EarlierDraft[]}
 */
export function earlierDrafts() {
  const found = read(OLD_DRAFTS_KEY);
  return Array.isArray(found) ? found.filter((each) => typeof each?.text === "string") : [];
}

/**
 * The name that stands in a line of its own, whether the text runs or not; null for none.
 * @param {string} text
 */
export function nameIn(text) {
  return /^name: *([a-z0-9-]+) *(?:#.*)?$/m.exec(text)?.[1] ?? null;
}

/**
 * The title where it is written in one line, without its quotes; null where it is not.
 * @param {string} text
 */
export function titleIn(text) {
  const found = /^title: *([^\s{|>#].*?) *$/m.exec(text)?.[1];
  return found ? found.replace(/^(["'])(.*)\1$/, "$2") : null;
}

/**
 * What is stored under `key`, as it is: another program may have written it. Null for nothing.
 * @param {string} key
 * @returns {any}
 */
function read(key) {
  try {
    return JSON.parse(window.localStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}

/**
 * Stores `value`; false where that is not possible.
 * @param {string} key
 * @param {unknown} value
 */
function write(key, value) {
  try {
    window.localStorage.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false; // storage may be full or forbidden
  }
}
