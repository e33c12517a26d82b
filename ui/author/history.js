// The draft as a list of texts, so that every edit can be taken back; kept in this browser over a reload.

const DRAFT_KEY = "tidemark.author";
const OLD_DRAFTS_KEY = "tidemark.author.earlier";
const MOST_TEXTS = 120;
const MOST_CHARACTERS = 1500000;
const MOST_EARLIER = 5;

export class History {
  /**
   * `origin` says what the draft began as, `file` is {name, digest} once the draft is saved in the folder, and `at` is
   * the time of the last edit (epoch ms).
   */
  constructor({ origin = "", texts, place = texts.length - 1, file = null, saved = null, at = null }) {
    Object.assign(this, { origin, texts, place, file, saved, at });
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

  /** A new text; what had been taken back is gone. */
  push(text) {
    if (text === this.text) return;
    this.texts.length = this.place + 1;
    this.texts.push(text);
    let characters = this.texts.reduce((sum, each) => sum + each.length, 0);
    while (this.texts.length > 2 && (this.texts.length > MOST_TEXTS || characters > MOST_CHARACTERS)) {
      characters -= this.texts.shift().length;
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

  /** `text` lies in the file; what was typed while it was saved does not. */
  savedAs(name, digest, text) {
    this.file = { name, digest };
    this.saved = text;
    this.keep();
  }

  /** A place for many texts may not be given; the last one alone nearly always fits. */
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
    kept && Array.isArray(kept.texts) && kept.texts.length && kept.texts.every((each) => typeof each === "string");
  if (!sound) return null;
  const place =
    Number.isInteger(kept.place) && kept.place >= 0 && kept.place < kept.texts.length
      ? kept.place
      : kept.texts.length - 1;
  return new History({ ...kept, place });
}

/** Drafts that made room for another: {text, at}, the newest first. */
export function earlierDrafts() {
  const found = read(OLD_DRAFTS_KEY);
  return Array.isArray(found) ? found.filter((each) => typeof each?.text === "string") : [];
}

/** What a text calls itself in a line of its own, whether it runs or not; null where it does not. */
export function nameIn(text) {
  return /^name: *([a-z0-9-]+) *(?:#.*)?$/m.exec(text)?.[1] ?? null;
}

/** The title where it is written in one line, without its quotes; null where it is not. */
export function titleIn(text) {
  const found = /^title: *([^\s{|>#].*?) *$/m.exec(text)?.[1];
  return found ? found.replace(/^(["'])(.*)\1$/, "$2") : null;
}

function read(key) {
  try {
    return JSON.parse(window.localStorage.getItem(key));
  } catch {
    return null;
  }
}

function write(key, value) {
  try {
    window.localStorage.setItem(key, JSON.stringify(value));
    return true;
  } catch {
    return false; // storage may be full or forbidden
  }
}
