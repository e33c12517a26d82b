// The drafts of this browser, each under a key of its own: no draft is in another's way, and none goes unless its
// author says so. This tab knows by its own storage which one it has.
import { isTable, isWhole, keepText, keptKeys, keptText, readKept, soundList } from "../player/base/kept.ts";
import type { KeptDraft, ListedDraft, PackedText, StoredDraft } from "./types.ts";

const DRAFT = "tidemark.author.draft.";
const OF_TAB = "tidemark.author.of_tab";
const ONLY_DRAFT = "tidemark.author"; // what earlier versions kept: one draft, and the texts of five others
const OTHER_TEXTS = "tidemark.author.earlier";
const UNTOUCHED_DAYS = 7;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Names this page in what it stores, so that it sees what another tab has stored. */
export const HERE = newId();

export function newId() {
  return Array.from({ length: 2 }, () => Math.random().toString(36).slice(2, 8).padEnd(6, "0")).join("");
}

/** The texts of a history; after the first each as what it changes of the one before, as that is so much shorter. */
export function packTexts(texts: string[]): PackedText[] {
  return texts.map((text, index) => {
    if (!index) return text;
    const before = texts[index - 1];
    const most = Math.min(before.length, text.length);
    let head = 0;
    while (head < most && before[head] === text[head]) head += 1;
    let tail = 0;
    while (tail < most - head && before.at(-1 - tail) === text.at(-1 - tail)) tail += 1;
    return [head, tail, text.slice(head, text.length - tail)];
  });
}

/** Throws for what `packTexts` has not made. */
export function unpackTexts(packed: PackedText[]) {
  const texts: string[] = [];
  for (const each of packed) {
    if (typeof each === "string") texts.push(each);
    else {
      const before = texts[texts.length - 1];
      const [head, tail, middle] = each;
      texts.push(before.slice(0, head) + middle + before.slice(before.length - tail));
    }
  }
  if (!texts.length || texts.some((each) => typeof each !== "string")) throw new TypeError("no texts");
  return texts;
}

/** The draft with that name, null for none. */
export function draftCalled(id: string): KeptDraft | null {
  return readKept(DRAFT + id, (stored) => soundDraft(id, stored));
}

function soundDraft(id: string, stored: any): KeptDraft {
  const texts = unpackTexts(stored.texts);
  const text = (each: unknown) => (typeof each === "string" ? each : undefined);
  const when = (each: unknown) => (Number.isFinite(each) ? Number(each) : undefined);
  return {
    ...stored,
    id,
    origin: text(stored.origin),
    texts,
    place: isWhole(stored.place, 0, texts.length - 1) ? stored.place : texts.length - 1,
    file: isTable(stored.file) ? stored.file : null,
    saved: text(stored.saved) ?? null,
    at: when(stored.at) ?? null,
    made: when(stored.made),
    half: isTable(stored.half) ? stored.half : undefined,
    pending: Array.isArray(stored.pending) ? stored.pending.filter(isTable) : undefined,
    turn: isWhole(stored.turn) ? stored.turn : undefined,
  };
}

/** Every draft, the one last edited first. */
export function allDrafts(): ListedDraft[] {
  takeOver();
  return ids()
    .map((id) => draftCalled(id))
    .filter((each) => each !== null)
    .map(({ id = "", origin = "", texts, place = 0, at = null, made = 0 }) => ({
      id,
      origin,
      text: texts[place],
      at,
      made,
    }))
    .sort((one, other) => (other.at ?? other.made) - (one.at ?? one.made));
}

/**
 * Stores a draft. Where there is no room the oldest others give up what could be undone in them, never their text; then
 * this one does. False where even that is not enough.
 */
export function storeDraft({ texts, ...rest }: KeptDraft & { id: string; place: number }) {
  const key = DRAFT + rest.id;
  const whole = JSON.stringify({ ...rest, texts: packTexts(texts), by: HERE });
  if (keepText(key, whole)) return true;
  for (const other of allDrafts().reverse()) {
    if (other.id === rest.id || !shorten(other)) continue;
    if (keepText(key, whole)) return true;
  }
  return keepText(key, JSON.stringify({ ...rest, texts: [texts[rest.place]], place: 0, saved: null, by: HERE }));
}

export function removeDraft(id: string) {
  keepText(DRAFT + id, null);
}

/** The count of changes and the page that made the last one, as they are stored; null where there is none. */
export function lastStored(id: string): Pick<StoredDraft, "turn" | "by"> | null {
  return readKept(DRAFT + id, (read) => (isTable(read) ? (read as any) : null));
}

/** The draft that a change of the storage was about, null for none. */
export function draftOfKey(key: string | null) {
  return key?.startsWith(DRAFT) ? key.slice(DRAFT.length) : null;
}

/** The name of the draft that this tab had last, null for none. */
export function draftOfTab() {
  return keptText(OF_TAB, "tab");
}

export function keepOfTab(id: string) {
  keepText(OF_TAB, id, "tab");
}

/** An untouched copy goes after some days, an old draft keeps its text alone; false where nothing was won. */
function shorten({ id, at, made }: ListedDraft) {
  if (at === null && Date.now() - made > UNTOUCHED_DAYS * DAY_MS) {
    removeDraft(id);
    return true;
  }
  const draft = draftCalled(id);
  if (!draft || draft.texts.length < 2) return false;
  const text = draft.texts[draft.place ?? 0];
  return keepText(DRAFT + id, JSON.stringify({ ...draft, texts: [text], place: 0 }));
}

/** What an earlier version kept is among the drafts from now on. */
function takeOver() {
  const only = readKept(ONLY_DRAFT, (read) => (isTable(read) ? read : null));
  const others = readKept(OTHER_TEXTS, (read) => soundList(read, isTable));
  const found = [only, ...(others ?? []).map((each: any) => ({ ...each, texts: [each.text] }))];
  for (const { texts, at, origin = "", file = null, saved = null } of found.filter(Boolean)) {
    if (!Array.isArray(texts) || !texts.length || texts.some((each) => typeof each !== "string")) continue;
    const id = newId();
    const place = texts.length - 1;
    const draft = { id, origin, file, saved, place, at, made: at, texts: packTexts(texts) };
    if (!keepText(DRAFT + id, JSON.stringify(draft))) return;
  }
  if (only) keepText(ONLY_DRAFT, null);
  if (others) keepText(OTHER_TEXTS, null);
}

function ids(): string[] {
  return keptKeys()
    .map(draftOfKey)
    .filter((each) => each !== null);
}
