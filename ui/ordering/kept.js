// The plan that is not saved yet: this tab keeps it, and the browser for the next tab.
import { isTable, readKept, writeKept } from "../player/base/kept.js";
/** @import { KeptPlan, Plan } from "./types.d.ts" */

const KEPT_PLAN = "tidemark.lessons";

/** @param {KeptPlan | null} kept null once there is nothing to keep */
export function keepPlan(kept) {
  writeKept(KEPT_PLAN, kept, "tab");
  writeKept(KEPT_PLAN, kept);
}

/**
 * What was kept, null for nothing.
 * @returns {KeptPlan | null}
 */
export function keptPlan() {
  return readKept(KEPT_PLAN, soundPlan, "tab") ?? readKept(KEPT_PLAN, soundPlan);
}

/**
 * @param {any} read
 * @returns {KeptPlan | null}
 */
function soundPlan({ text, digest, plan }) {
  const parts = [plan.lecture, plan.visit].filter((each) => each !== null);
  const sound =
    Array.isArray(plan.lessons) &&
    plan.lessons.every((/** @type {any} */ each) => isPart(each) && each.topics.every(isList)) &&
    parts.every(isList);
  return sound && typeof text === "string" ? { text, digest: digest ?? null, plan } : null;
}

/** @param {any} read */
function isPart(read) {
  return isTable(read) && isTable(read.title) && isTable(read.about);
}

/** @param {any} read */
function isList(read) {
  return isPart(read) && read.scenarios.every((/** @type {unknown} */ each) => typeof each === "string");
}

/**
 * Whether a kept plan says what lies in the folder. A page that is left while it saves does not hear what the server
 * adds: the places in the file, and the ids of new lessons.
 * @param {Plan} kept
 * @param {Plan} saved
 */
export function saysTheSame(kept, saved) {
  const lessons = saved.lessons.map((each, index) => ({ ...each, id: kept.lessons[index]?.id && each.id }));
  return contentsOf(kept) === contentsOf({ ...saved, lessons });
}

/** @param {Plan} plan */
function contentsOf(plan) {
  return JSON.stringify(plan, (_name, value) => {
    if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
    const parts = Object.entries(value).filter(([name, part]) => name !== "was" && part !== "" && part !== undefined);
    return Object.fromEntries(parts.sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}
