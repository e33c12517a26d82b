// What the browser keeps for the reader: the one way to read it, and the one way to write it.
//
// Anything may lie there: another program, an older version or a full disk may have damaged it. Storage may also be
// full or forbidden. Every page then opens all the same, without what was lost; the header says what that is
// (ui/language.js), once for each loss.

/** @typedef {"browser" | "tab"} Where where something is kept: in this browser, or in this tab until it is closed */

/** The event that tells of a loss; `globalThis.tidemarkLost` has all of them. */
export const KEPT_LOST = "tidemark:kept-lost";

/** Set while something is read of which only a part is sound. */
let partly = false;

/** @param {Where} where */
const storageOf = (where) => (where === "tab" ? window.sessionStorage : window.localStorage);

/** @param {string} what "full", "forbidden", or the name of what was damaged */
function loseKept(what) {
  const lost = (globalThis.tidemarkLost ??= []);
  if (lost.includes(what)) return;
  lost.push(what);
  globalThis.window?.dispatchEvent(new CustomEvent(KEPT_LOST)); // a package that is tried without a browser has none
}

/** @param {unknown} error */
const loseRoom = (error) =>
  loseKept(error instanceof DOMException && error.name === "QuotaExceededError" ? "full" : "forbidden");

/**
 * The text that is kept under a name; null for nothing.
 * @param {string} key
 * @param {Where} [where]
 */
export function keptText(key, where = "browser") {
  try {
    return storageOf(where).getItem(key);
  } catch (error) {
    loseRoom(error);
    return null;
  }
}

/** The names of all that this browser keeps. */
export function keptKeys() {
  try {
    const all = window.localStorage;
    return Array.from({ length: all.length }, (_, index) => all.key(index) ?? "");
  } catch (error) {
    loseRoom(error);
    return [];
  }
}

/**
 * Keeps a text, or nothing any more (null); false where that is not possible.
 * @param {string} key
 * @param {string | null} text
 * @param {Where} [where]
 */
export function keepText(key, text, where = "browser") {
  try {
    if (text === null) storageOf(where).removeItem(key);
    else storageOf(where).setItem(key, text);
    return true;
  } catch (error) {
    loseRoom(error);
    return false;
  }
}

/**
 * One of the texts that may be kept under a name; null for none.
 * @template {string} T
 * @param {string} key
 * @param {readonly T[]} choices
 * @returns {T | null}
 */
export function keptChoice(key, choices) {
  const text = keptText(key);
  const found = choices.find((each) => each === text) ?? null;
  if (text !== null && found === null) dropDamaged(key, "browser");
  return found;
}

/**
 * What is kept under a name as `writeKept` has written it; null for nothing.
 * @template T
 * @param {string} key
 * @param {(read: any) => T | null} sound what can be used of what was read; null if nothing can, and so if it throws
 * @param {Where} [where]
 */
export function readKept(key, sound, where = "browser") {
  const text = keptText(key, where);
  if (text === null) return null;
  partly = false;
  /** @type {T | null} */
  let found = null;
  try {
    found = sound(JSON.parse(text));
  } catch {
    // Not what `writeKept` has written.
  }
  if (found === null) dropDamaged(key, where);
  else if (partly) loseKept(key);
  return found;
}

/**
 * Keeps what JSON can say, or nothing any more (null); false where that is not possible.
 * @param {string} key
 * @param {unknown} what
 * @param {Where} [where]
 */
export function writeKept(key, what, where = "browser") {
  return keepText(key, what === null ? null : JSON.stringify(what), where);
}

/**
 * What cannot be used would only be reported again.
 * @param {string} key
 * @param {Where} where
 */
function dropDamaged(key, where) {
  loseKept(key);
  keepText(key, null, where);
}

// --- what is sound -------------------------------------------------------------------------------------------------

/**
 * Whether JSON has names and values there, not a list.
 * @param {unknown} read
 * @returns {read is { [name: string]: any }}
 */
export function isTable(read) {
  return typeof read === "object" && read !== null && !Array.isArray(read);
}

/**
 * @param {unknown} read
 * @param {number} [least]
 * @param {number} [most]
 * @returns {read is number}
 */
export function isWhole(read, least = 0, most = Number.MAX_SAFE_INTEGER) {
  return Number.isInteger(read) && Number(read) >= least && Number(read) <= most;
}

/**
 * The entries of a table that are sound; null where it is none.
 * @template T
 * @param {unknown} read
 * @param {(each: any) => T | null} sound
 * @returns {{ [name: string]: T } | null}
 */
export function soundTable(read, sound) {
  if (!isTable(read)) return null;
  /** @type {[string, T][]} */
  const found = [];
  for (const [name, each] of Object.entries(read)) {
    const one = sound(each);
    if (one === null) partly = true;
    else found.push([name, one]);
  }
  return Object.fromEntries(found);
}

/**
 * The members of a list that are sound; null where it is none.
 * @template T
 * @param {unknown} read
 * @param {(each: any) => boolean} sound
 * @returns {T[] | null}
 */
export function soundList(read, sound) {
  if (!Array.isArray(read)) return null;
  const found = read.filter(sound);
  if (found.length < read.length) partly = true;
  return found;
}
