// What the browser keeps for the reader: the one way to read it, and the one way to write it.
//
// Anything may lie there: another program, an older version or a full disk may have damaged it. Storage may also be
// full or forbidden. Every page then opens all the same, without what was lost; the header says what that is
// (ui/pages/language.ts), once for each loss.
import { openedIn } from "./address.ts";

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

// The reader's own scenarios that this browser has seen: from links, files and drafts, to be compared with one another.

const KEPT_OWN = "tidemark.own";
const MOST_OWN = 8;

/** A scenario of the reader's own: the part of an address that opens it, and its title. */
export type OwnScenario = { open: [name: string, value: string]; title: string };

/** @returns the last one first */
export function keptOwn(): OwnScenario[] {
  return readKept(KEPT_OWN, (read) => soundList(read, isOwn)) ?? [];
}

function isOwn(read: any) {
  const isText = (each: unknown) => typeof each === "string";
  return Array.isArray(read?.open) && read.open.length === 2 && read.open.every(isText) && isText(read.title);
}

/** The list with another scenario at its head, once. */
export function withOwn(kept: OwnScenario[], own: OwnScenario) {
  return [own, ...kept.filter(({ open }) => String(open) !== String(own.open))].slice(0, MOST_OWN);
}

export function keepOwn(open: OwnScenario["open"], title: string) {
  writeKept(KEPT_OWN, withOwn(keptOwn(), { open, title }));
}

/** The titles as they can be told apart: those that are the same are numbered, the one that was open first is 1. */
export function titlesOf(kept: OwnScenario[]) {
  return kept.map(({ title }, index) => {
    const before = kept.slice(index + 1).filter((each) => each.title === title).length;
    return kept.some((each, other) => each.title === title && other !== index) ? `${title} (${before + 1})` : title;
  });
}

/**
 * What a link opens, as part of an address; null where it is no link to a scenario.
 * @param text a whole link, or what follows its "?"
 */
export function scenarioIn(text: string): [name: string, value: string] | null {
  const [address] = text
    .trim()
    .replace(/^[^?]*\?/, "")
    .split("#");
  return openedIn(address);
}

// How far the reader came in each scenario of the library.

const KEPT_SEEN = "tidemark.seen";

type SeenScenario = { step: number; last: number; finished: boolean; when: number };

export function scenariosSeen(): { [scenario: string]: SeenScenario | undefined } {
  const sound = (each: any) =>
    isTable(each) && isWhole(each.step)
      ? {
          step: each.step,
          last: isWhole(each.last) ? each.last : each.step,
          finished: each.finished === true,
          when: isWhole(each.when) ? each.when : 0,
        }
      : null;
  return readKept(KEPT_SEEN, (read) => soundTable(read, sound)) ?? {};
}

export function keepSeen(scenario: string, step: number, last: number) {
  const seen = scenariosSeen();
  const finished = Boolean(seen[scenario]?.finished) || step >= last;
  writeKept(KEPT_SEEN, { ...seen, [scenario]: { step, last, finished, when: Date.now() } });
}

// What a reader has answered to an author's questions. It stays with the entry of the browser's history: a reload and
// Back show it again, and whoever opens the scenario anew begins without it.

const KEPT_TRIED = "tidemarkTried";

/**
 * The places of the choices that were tried, in order; [] where nothing is kept, or what is kept does not fit.
 * @param question its scenario and step
 * @param count how many choices it has
 */
export function keptTried(question: string, count: number): number[] {
  const kept = window.history.state?.[KEPT_TRIED]?.[question];
  const fits = Array.isArray(kept) && kept.every((each) => Number.isInteger(each) && each >= 0 && each < count);
  return fits ? kept : [];
}

export function keepTried(question: string, tried: number[]) {
  const state = window.history.state ?? {};
  try {
    window.history.replaceState({ ...state, [KEPT_TRIED]: { ...state[KEPT_TRIED], [question]: tried } }, "");
  } catch {
    // A page opened from a file cannot change its history.
  }
}

// What this browser remembers of the first visit.

const KEPT_VISIT = "tidemark.visit";

/**
 * The first answer to a question with what is needed to speak of it when the visit is over, and the places of all
 * choices that were tried.
 */
export type VisitAnswer = {
  scene: string;
  question: string;
  chosen: string;
  right: boolean;
  reply: string;
  tried?: number[];
};

/**
 * The scene that was open last, the first answer to each question by its scene and step, the scenes that were seen to
 * their end, and whether the visit was finished.
 */
type KeptVisit = {
  scene: string;
  answers: { [question: string]: VisitAnswer };
  done: string[];
  finished: boolean;
};

export function nothingKept(): KeptVisit {
  return { scene: "", answers: {}, done: [], finished: false };
}

export function keptVisit(): KeptVisit {
  return readKept(KEPT_VISIT, soundVisit) ?? nothingKept();
}

function soundVisit(read: any): KeptVisit | null {
  const answers = soundTable(read?.answers ?? {}, (each) => (isAnswer(each) ? each : null));
  const done = soundList(read?.done ?? [], (each) => typeof each === "string") as string[] | null;
  if (!isTable(read) || !answers || !done || typeof (read.scene ?? "") !== "string") return null;
  return { scene: read.scene ?? "", answers, done, finished: read.finished === true };
}

function isAnswer(read: any) {
  const texts = ["scene", "question", "chosen", "reply"].every((part) => typeof read?.[part] === "string");
  const tried =
    read?.tried === undefined || (Array.isArray(read.tried) && read.tried.every((each: unknown) => isWhole(each)));
  return texts && tried && typeof read.right === "boolean";
}

export function keepVisit(visit: KeptVisit) {
  writeKept(KEPT_VISIT, visit);
}

// A scenario file that the library could not open: the Author page opens what is wrong, and marks it.

const HANDED = "tidemark.handed";

type HandedFile = { name: string; text: string };

/** Keeps the file for the Author page of this tab. False where the browser keeps nothing. */
export function handFile({ name, text }: HandedFile) {
  return writeKept(HANDED, { name, text }, "tab");
}

/** The file that was handed over, once; null for none. */
export function takeHanded(): HandedFile | null {
  const isFile = (read: any) => typeof read.name === "string" && typeof read.text === "string";
  const file = readKept(HANDED, (read) => (isFile(read) ? read : null), "tab");
  if (file) writeKept(HANDED, null, "tab");
  return file;
}

// What a draft of a try-out leaves out of its original: the player knows it, and the Author page says it.

const LEFT_OUT = "tidemark.left_out";

/**
 * @param address the part of an address that opens the draft
 * @param text "" for nothing
 */
export function keepLeftOut(address: [name: string, value: string], text: string) {
  writeKept(LEFT_OUT, text ? [address.join(":"), text] : null, "tab");
}

/**
 * What the draft that was opened from `origin` leaves out, once; "" for nothing.
 * @param origin its address, as name:value
 */
export function takeLeftOut(origin: string | undefined): string {
  const isText = (each: unknown) => typeof each === "string";
  const [address, text] =
    readKept(LEFT_OUT, (read) => (read.length === 2 && read.every(isText) ? read : null), "tab") ?? [];
  if (text === undefined || address !== origin) return "";
  writeKept(LEFT_OUT, null, "tab");
  return text;
}
