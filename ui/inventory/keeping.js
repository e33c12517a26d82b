// What this browser keeps of the inventory: a random code, and the answers to each form until they are deleted.
import { readKept, writeKept } from "../player/base/kept.js";
/** @import { FormKept, Kept } from "./types.d.ts" */

const KEPT_INVENTORY = "tidemark.inventory";
/** Letters and digits that nobody mistakes for one another; `ID` of simulator/inventory/gain.py knows the form. */
const CODE_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789";
const CODE_FORM = /^[a-z2-9]{4}-[a-z2-9]{4}$/;

/** A code by chance; it identifies nobody. */
export function newCode() {
  const chance = crypto.getRandomValues(new Uint32Array(8));
  const letters = [...chance].map((each) => CODE_LETTERS[each % CODE_LETTERS.length]).join("");
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

/**
 * What somebody typed as a code; null if it is none.
 * @param {string} typed
 */
export function codeOf(typed) {
  const letters = typed.toLowerCase().replace(/[^a-z0-9]/g, "");
  const code = `${letters.slice(0, 4)}-${letters.slice(4)}`;
  return CODE_FORM.test(code) ? code : null;
}

/**
 * What is kept, as far as it belongs to these items.
 * @param {any} read
 * @param {string} edition
 * @param {number} count how many items a form has
 * @returns {Kept}
 */
export function keptFrom(read, edition, count) {
  const id = typeof read?.id === "string" ? codeOf(read.id) : null;
  /** @type {Kept} */
  const kept = { id: id ?? newCode(), edition, forms: {} };
  if (!id || read.edition !== edition || !read.forms || typeof read.forms !== "object") return kept;
  for (const [form, each] of /** @type {[string, any][]} */ (Object.entries(read.forms))) {
    const answers = each?.answers;
    if (!Array.isArray(answers) || answers.length !== count) continue;
    kept.forms[form] = {
      answers: answers.map((answer) => (Number.isInteger(answer) ? answer : null)),
      at: Math.min(Math.max(Number(each.at) || 0, 0), count - 1),
      done: each.done === true,
    };
  }
  return kept;
}

/**
 * @param {string} edition
 * @param {number} count
 */
export function keptInventory(edition, count) {
  const sound = (/** @type {any} */ read) => (codeOf(read.id) ? keptFrom(read, edition, count) : null);
  return readKept(KEPT_INVENTORY, sound) ?? keptFrom(null, edition, count);
}

/** @param {Kept} kept */
export function keepInventory(kept) {
  writeKept(KEPT_INVENTORY, kept);
}

/**
 * A form without answers.
 * @param {number} count
 * @returns {FormKept}
 */
export function emptyForm(count) {
  return { answers: Array.from({ length: count }, () => null), at: 0, done: false };
}

/**
 * The file to hand in: the answers to the forms that are finished.
 * @param {Kept} kept
 */
export function answersFile({ id, edition, forms }) {
  const done = Object.entries(forms).flatMap(([form, each]) => (each?.done ? [[form, { answers: each.answers }]] : []));
  return `${JSON.stringify({ tidemark: "inventory", edition, id, forms: Object.fromEntries(done) }, null, 1)}\n`;
}
