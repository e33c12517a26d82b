// A scenario file that the library could not open: the Author page opens what is wrong, and marks it.
import { readKept, writeKept } from "./kept.js";

const HANDED = "tidemark.handed";

/** @typedef {{ name: string, text: string }} HandedFile */

/**
 * Keeps the file for the Author page of this tab. False where the browser keeps nothing.
 * @param {HandedFile} file
 */
export function handFile({ name, text }) {
  return writeKept(HANDED, { name, text }, "tab");
}

/**
 * The file that was handed over, once; null for none.
 * @returns {HandedFile | null}
 */
export function takeHanded() {
  const isFile = (/** @type {any} */ read) => typeof read.name === "string" && typeof read.text === "string";
  const file = readKept(HANDED, (read) => (isFile(read) ? read : null), "tab");
  if (file) writeKept(HANDED, null, "tab");
  return file;
}
