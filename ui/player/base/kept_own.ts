// The reader's own scenarios that this browser has seen: from links, files and drafts, to be compared with one another.
import { readKept, soundList, writeKept } from "./kept.ts";

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
  const query = new URLSearchParams(address);
  for (const name of ["scenario", "s", "own"]) {
    const value = query.get(name);
    if (value) return [name, value];
  }
  return null;
}
