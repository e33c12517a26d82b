// What this browser keeps of the inventory: a random code, and the answers to each form until they are deleted.
import { readKept, writeKept } from "../../player/base/kept.ts";
import type { FormKept, Kept } from "./types.ts";

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

/** What somebody typed as a code; null if it is none. */
export function codeOf(typed: string) {
  const letters = typed.toLowerCase().replace(/[^a-z0-9]/g, "");
  const code = `${letters.slice(0, 4)}-${letters.slice(4)}`;
  return CODE_FORM.test(code) ? code : null;
}

/**
 * What is kept, as far as it belongs to these items.
 * @param count how many items a form has
 */
export function keptFrom(read: any, edition: string, count: number): Kept {
  const id = typeof read?.id === "string" ? codeOf(read.id) : null;
  const kept: Kept = { id: id ?? newCode(), edition, forms: {} };
  if (!id || read.edition !== edition || !read.forms || typeof read.forms !== "object") return kept;
  for (const [form, each] of Object.entries(read.forms) as [string, any][]) {
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

export function keptInventory(edition: string, count: number) {
  const sound = (read: any) => (codeOf(read.id) ? keptFrom(read, edition, count) : null);
  return readKept(KEPT_INVENTORY, sound) ?? keptFrom(null, edition, count);
}

export function keepInventory(kept: Kept) {
  writeKept(KEPT_INVENTORY, kept);
}

/** A form without answers. */
export function emptyForm(count: number): FormKept {
  return { answers: Array.from({ length: count }, () => null), at: 0, done: false };
}

/** The file to hand in: the answers to the forms that are finished. */
export function answersFile({ id, edition, forms }: Kept) {
  const done = Object.entries(forms).flatMap(([form, each]) => (each?.done ? [[form, { answers: each.answers }]] : []));
  return `${JSON.stringify({ tidemark: "inventory", edition, id, forms: Object.fromEntries(done) }, null, 1)}\n`;
}
