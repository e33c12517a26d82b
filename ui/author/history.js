// The draft as a list of texts, so that every edit can be undone, with what was begun and is not in a text yet.
import { HERE, draftCalled, lastStored, newId, storeDraft } from "./drafts.js";
/** @import { Edit, KeptDraft, SavedFile } from "./types.d.ts" */

const MOST_TEXTS = 120;
const MOST_CHARACTERS = 1500000;

export class History {
  /** @param {KeptDraft} draft */
  constructor({ texts, place = texts.length - 1, origin = "", file = null, saved = null, at = null, ...more }) {
    this.id = more.id ?? newId();
    this.origin = origin;
    this.texts = texts;
    this.place = place;
    /** @type {SavedFile | null} */
    this.file = file;
    this.saved = saved;
    this.at = at;
    this.made = more.made ?? Date.now();
    /** @type {{ [name: string]: unknown }} what is being typed, by the field or form it is in */
    this.half = more.half ?? {};
    /** @type {Edit[]} edits that the server was asked for and has not answered */
    this.pending = more.pending ?? [];
    this.turn = more.turn ?? 0;
    /** Whether a text of it has run on this page. */
    this.ran = false;
    /** Whether another tab has this draft: it is only looked at here, so nothing of it is stored. */
    this.elsewhere = false;
    /** @type {(() => void) | null} called when what was typed here became a draft of its own */
    this.onParted = null;
    /** Whether the browser has kept all this. */
    this.isKept = true;
    /** @type {(() => void) | null} called when it no longer can */
    this.onFull = null;
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

  /** @param {Edit} edit an edit that the server is asked for */
  ask(edit) {
    this.pending.push(edit);
    this.keep();
  }

  /**
   * The server has answered, with the new text where it made the edit.
   * @param {Edit} edit
   * @param {string} [text]
   */
  answered(edit, text = this.text) {
    this.pending = this.pending.filter((each) => each !== edit);
    if (text === this.text) this.keep();
    else this.push(text);
  }

  /** Stores the draft. Where another tab has stored something since, this one becomes a draft of its own. */
  keep() {
    if (this.elsewhere) return;
    const there = lastStored(this.id);
    if (there && there.by !== HERE && there.turn > this.turn) {
      this.part();
      this.onParted?.();
    }
    this.turn += 1;
    const { id, origin, texts, place, file, saved, at, made, half, pending, turn } = this;
    const could = this.isKept;
    this.isKept = storeDraft({ id, origin, texts, place, file, saved, at, made, half, pending, turn });
    if (could && !this.isKept) this.onFull?.();
  }

  /** From now on a draft of its own: nothing is stored over the other one. */
  part() {
    this.id = newId();
    this.made = Date.now();
    this.turn = 0;
    this.elsewhere = false;
  }
}

/**
 * The draft that this browser kept under that name, null for none.
 * @param {string | null} id
 */
export function keptDraft(id) {
  const kept = id ? draftCalled(id) : null;
  return kept && new History(kept);
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
