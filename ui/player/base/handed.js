// A scenario file that the library could not open: the Author page opens what is wrong, and marks it.
const HANDED = "tidemark.handed";

/** @typedef {{ name: string, text: string }} HandedFile */

/**
 * Keeps the file for the Author page of this tab. False where the browser keeps nothing.
 * @param {HandedFile} file
 */
export function handFile({ name, text }) {
  try {
    window.sessionStorage.setItem(HANDED, JSON.stringify({ name, text }));
    return true;
  } catch {
    return false;
  }
}

/**
 * The file that was handed over, once; null for none.
 * @returns {HandedFile | null}
 */
export function takeHanded() {
  try {
    const { name, text } = JSON.parse(window.sessionStorage.getItem(HANDED) ?? "{}");
    window.sessionStorage.removeItem(HANDED);
    return typeof name === "string" && typeof text === "string" ? { name, text } : null;
  } catch {
    return null;
  }
}
