// The reader's own scenarios that this browser has seen: from links, files and drafts, to be compared with one another.
import { readKept, soundList, writeKept } from "./kept.js";

const KEPT_OWN = "tidemark.own";
const MOST_OWN = 8;

/**
 * A scenario of the reader's own: the part of an address that opens it, and its title.
 * @typedef {{ open: [name: string, value: string], title: string }} OwnScenario
 */

/** @returns {OwnScenario[]} the last one first */
export function keptOwn() {
  return readKept(KEPT_OWN, (read) => soundList(read, isOwn)) ?? [];
}

/** @param {any} read */
function isOwn(read) {
  const isText = (/** @type {unknown} */ each) => typeof each === "string";
  return Array.isArray(read?.open) && read.open.length === 2 && read.open.every(isText) && isText(read.title);
}

/**
 * The list with another scenario at its head, once.
 * @param {OwnScenario[]} kept
 * @param {OwnScenario} own
 */
export function withOwn(kept, own) {
  return [own, ...kept.filter(({ open }) => String(open) !== String(own.open))].slice(0, MOST_OWN);
}

/**
 * @param {OwnScenario["open"]} open
 * @param {string} title
 */
export function keepOwn(open, title) {
  writeKept(KEPT_OWN, withOwn(keptOwn(), { open, title }));
}

/**
 * The titles as they can be told apart: those that are the same are numbered, the one that was open first is 1.
 * @param {OwnScenario[]} kept
 */
export function titlesOf(kept) {
  return kept.map(({ title }, index) => {
    const before = kept.slice(index + 1).filter((each) => each.title === title).length;
    return kept.some((each, other) => each.title === title && other !== index) ? `${title} (${before + 1})` : title;
  });
}

/**
 * What a link opens, as part of an address; null where it is no link to a scenario.
 * @param {string} text a whole link, or what follows its "?"
 * @returns {[name: string, value: string] | null}
 */
export function scenarioIn(text) {
  const [address] = text
    .trim()
    .replace(/^[^?]*\?/, "")
    .split("#");
  const query = new URLSearchParams(address);
  for (const name of ["scenario", "s", "own"]) {
    const value = query.get(name);
    if (value) return [name, value];
  }
  return null;
}
