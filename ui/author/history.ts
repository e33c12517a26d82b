// The draft as a list of texts, so that every edit can be undone, with what was begun and is not in a text yet.
import { HERE, draftCalled, lastStored, newId, storeDraft } from "./drafts.ts";
import type { Edit, KeptDraft, SavedFile } from "./types.ts";

const MOST_TEXTS = 120;
const MOST_CHARACTERS = 1500000;

export class History {
  id: string;
  origin: string;
  texts: string[];
  place: number;
  file: SavedFile | null;
  saved: string | null;
  at: number | null;
  made: number;
  /** what is being typed, by the field or form it is in */
  half: { [name: string]: unknown };
  /** edits that the server was asked for and has not answered */
  pending: Edit[];
  turn: number;
  /** Whether a text of it has run on this page. */
  ran = false;
  /** Whether another tab has this draft: it is only looked at here, so nothing of it is stored. */
  elsewhere = false;
  /** called when what was typed here became a draft of its own */
  onParted: (() => void) | null = null;
  /** Whether the browser has kept all this. */
  isKept = true;
  /** called when it no longer can */
  onFull: (() => void) | null = null;

  constructor({
    texts,
    place = texts.length - 1,
    origin = "",
    file = null,
    saved = null,
    at = null,
    ...more
  }: KeptDraft) {
    this.id = more.id ?? newId();
    this.origin = origin;
    this.texts = texts;
    this.place = place;
    this.file = file;
    this.saved = saved;
    this.at = at;
    this.made = more.made ?? Date.now();
    this.half = more.half ?? {};
    this.pending = more.pending ?? [];
    this.turn = more.turn ?? 0;
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

  /** A new text; what had been undone is gone. */
  push(text: string) {
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

  /** The file holds `text`, but not what was typed while it was being saved. */
  savedAs(name: string, digest: string, text: string) {
    this.file = { name, digest };
    this.saved = text;
    this.keep();
  }

  /** @param edit an edit that the server is asked for */
  ask(edit: Edit) {
    this.pending.push(edit);
    this.keep();
  }

  /** The server has answered, with the new text where it made the edit. */
  answered(edit: Edit, text: string = this.text) {
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

/** The draft that this browser kept under that name, null for none. */
export function keptDraft(id: string | null) {
  const kept = id ? draftCalled(id) : null;
  return kept && new History(kept);
}

/** The name that stands in a line of its own, whether the text runs or not; null for none. */
export function nameIn(text: string) {
  return /^name: *([a-z0-9-]+) *(?:#.*)?$/m.exec(text)?.[1] ?? null;
}

/** The title where it is written in one line, without its quotes; null where it is not. */
export function titleIn(text: string) {
  const found = /^title: *([^\s{|>#].*?) *$/m.exec(text)?.[1];
  return found ? found.replace(/^(["'])(.*)\1$/, "$2") : null;
}
