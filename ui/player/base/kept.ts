// What the browser keeps for the reader: the one way to read it, and the one way to write it.
//
// Anything may lie there: another program, an older version or a full disk may have damaged it. Storage may also be
// full or forbidden. Every page then opens all the same, without what was lost; the header says what that is
// (ui/pages/language.ts), once for each loss.

/** where something is kept: in this browser, or in this tab until it is closed */
type Where = "browser" | "tab";

/** The event that tells of a loss; `globalThis.tidemarkLost` has all of them. */
export const KEPT_LOST = "tidemark:kept-lost";

/** Set while something is read of which only a part is sound. */
let partly = false;

const storageOf = (where: Where) => (where === "tab" ? window.sessionStorage : window.localStorage);

/** @param what "full", "forbidden", or the name of what was damaged */
function loseKept(what: string) {
  const lost = (globalThis.tidemarkLost ??= []);
  if (lost.includes(what)) return;
  lost.push(what);
  globalThis.window?.dispatchEvent(new CustomEvent(KEPT_LOST)); // a package that is tried without a browser has none
}

const loseRoom = (error: unknown) =>
  loseKept(error instanceof DOMException && error.name === "QuotaExceededError" ? "full" : "forbidden");

/** The text that is kept under a name; null for nothing. */
export function keptText(key: string, where: Where = "browser") {
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

/** Keeps a text, or nothing any more (null); false where that is not possible. */
export function keepText(key: string, text: string | null, where: Where = "browser") {
  try {
    if (text === null) storageOf(where).removeItem(key);
    else storageOf(where).setItem(key, text);
    return true;
  } catch (error) {
    loseRoom(error);
    return false;
  }
}

/** One of the texts that may be kept under a name; null for none. */
export function keptChoice<T extends string>(key: string, choices: readonly T[]): T | null {
  const text = keptText(key);
  const found = choices.find((each) => each === text) ?? null;
  if (text !== null && found === null) dropDamaged(key, "browser");
  return found;
}

/**
 * What is kept under a name as `writeKept` has written it; null for nothing.
 * @param sound what can be used of what was read; null if nothing can, and so if it throws
 */
export function readKept<T>(key: string, sound: (read: any) => T | null, where: Where = "browser") {
  const text = keptText(key, where);
  if (text === null) return null;
  partly = false;
  let found: T | null = null;
  try {
    found = sound(JSON.parse(text));
  } catch {
    // Not what `writeKept` has written.
  }
  if (found === null) dropDamaged(key, where);
  else if (partly) loseKept(key);
  return found;
}

/** Keeps what JSON can say, or nothing any more (null); false where that is not possible. */
export function writeKept(key: string, what: unknown, where: Where = "browser") {
  return keepText(key, what === null ? null : JSON.stringify(what), where);
}

/** What cannot be used would only be reported again. */
function dropDamaged(key: string, where: Where) {
  loseKept(key);
  keepText(key, null, where);
}

// --- what is sound -------------------------------------------------------------------------------------------------

/** Whether JSON has names and values there, not a list. */
export function isTable(read: unknown): read is { [name: string]: any } {
  return typeof read === "object" && read !== null && !Array.isArray(read);
}

export function isWhole(read: unknown, least = 0, most: number = Number.MAX_SAFE_INTEGER): read is number {
  return Number.isInteger(read) && Number(read) >= least && Number(read) <= most;
}

/** The entries of a table that are sound; null where it is none. */
export function soundTable<T>(read: unknown, sound: (each: any) => T | null): { [name: string]: T } | null {
  if (!isTable(read)) return null;
  const found: [string, T][] = [];
  for (const [name, each] of Object.entries(read)) {
    const one = sound(each);
    if (one === null) partly = true;
    else found.push([name, one]);
  }
  return Object.fromEntries(found);
}

/** The members of a list that are sound; null where it is none. */
export function soundList<T>(read: unknown, sound: (each: any) => boolean): T[] | null {
  if (!Array.isArray(read)) return null;
  const found = read.filter(sound);
  if (found.length < read.length) partly = true;
  return found;
}
