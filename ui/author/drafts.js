// The drafts of this browser, each under a key of its own: no draft is in another's way, and none goes unless its
// author says so. This tab knows by its own storage which one it has.
/** @import { KeptDraft, ListedDraft, PackedText, StoredDraft } from "./types.d.ts" */

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

/**
 * The texts of a history; after the first each as what it changes of the one before, as that is so much shorter.
 * @param {string[]} texts
 * @returns {PackedText[]}
 */
export function packTexts(texts) {
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

/**
 * Throws for what `packTexts` has not made.
 * @param {PackedText[]} packed
 */
export function unpackTexts(packed) {
  /** @type {string[]} */
  const texts = [];
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

/**
 * The draft with that name, null for none.
 * @param {string} id
 * @returns {KeptDraft | null}
 */
export function draftCalled(id) {
  const stored = read(DRAFT + id);
  if (!stored) return null;
  try {
    const texts = unpackTexts(stored.texts);
    const sound = Number.isInteger(stored.place) && stored.place >= 0 && stored.place < texts.length;
    return { ...stored, id, texts, place: sound ? stored.place : texts.length - 1 };
  } catch {
    return null;
  }
}

/**
 * Every draft, the one last edited first.
 * @returns {ListedDraft[]}
 */
export function allDrafts() {
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
 * @param {KeptDraft & { id: string, place: number }} draft
 */
export function storeDraft({ texts, ...rest }) {
  const key = DRAFT + rest.id;
  const whole = JSON.stringify({ ...rest, texts: packTexts(texts), by: HERE });
  if (write(key, whole)) return true;
  for (const other of allDrafts().reverse()) {
    if (other.id === rest.id || !shorten(other)) continue;
    if (write(key, whole)) return true;
  }
  return write(key, JSON.stringify({ ...rest, texts: [texts[rest.place]], place: 0, saved: null, by: HERE }));
}

/** @param {string} id */
export function removeDraft(id) {
  drop(DRAFT + id);
}

/**
 * The count of changes and the page that made the last one, as they are stored; null where there is none.
 * @param {string} id
 * @returns {Pick<StoredDraft, "turn" | "by"> | null}
 */
export function lastStored(id) {
  return read(DRAFT + id);
}

/**
 * The draft that a change of the storage was about, null for none.
 * @param {string | null} key
 */
export function draftOfKey(key) {
  return key?.startsWith(DRAFT) ? key.slice(DRAFT.length) : null;
}

/** The name of the draft that this tab had last, null for none. */
export function draftOfTab() {
  try {
    return window.sessionStorage.getItem(OF_TAB);
  } catch {
    return null;
  }
}

/** @param {string} id */
export function keepOfTab(id) {
  try {
    window.sessionStorage.setItem(OF_TAB, id);
  } catch {
    // Storage may be forbidden; the address names the draft all the same.
  }
}

/**
 * An untouched copy goes after some days, an old draft keeps its text alone; false where nothing was won.
 * @param {ListedDraft} listed
 */
function shorten({ id, at, made }) {
  if (at === null && Date.now() - made > UNTOUCHED_DAYS * DAY_MS) {
    removeDraft(id);
    return true;
  }
  const draft = draftCalled(id);
  if (!draft || draft.texts.length < 2) return false;
  const text = draft.texts[draft.place ?? 0];
  return write(DRAFT + id, JSON.stringify({ ...draft, texts: [text], place: 0 }));
}

/** What an earlier version kept is among the drafts from now on. */
function takeOver() {
  const only = read(ONLY_DRAFT);
  const others = read(OTHER_TEXTS);
  const found = [only, ...(Array.isArray(others) ? others.map((each) => ({ ...each, texts: [each?.text] })) : [])];
  for (const { texts, at, origin = "", file = null, saved = null } of found.filter(Boolean)) {
    if (!Array.isArray(texts) || !texts.length || texts.some((each) => typeof each !== "string")) continue;
    const id = newId();
    const place = texts.length - 1;
    const draft = { id, origin, file, saved, place, at, made: at, texts: packTexts(texts) };
    if (!write(DRAFT + id, JSON.stringify(draft))) return;
  }
  if (only) drop(ONLY_DRAFT);
  if (others) drop(OTHER_TEXTS);
}

/** @returns {string[]} */
function ids() {
  try {
    const storage = window.localStorage;
    const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index));
    return keys.map(draftOfKey).filter((each) => each !== null);
  } catch {
    return [];
  }
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
 * Stores `text`; false where that is not possible: storage may be full or forbidden.
 * @param {string} key
 * @param {string} text
 */
function write(key, text) {
  try {
    window.localStorage.setItem(key, text);
    return true;
  } catch {
    return false;
  }
}

/** @param {string} key */
function drop(key) {
  try {
    window.localStorage.removeItem(key);
  } catch {
    // Storage may be forbidden; then there is nothing either.
  }
}
