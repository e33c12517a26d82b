// The plan that is not saved yet: this tab keeps it, and the browser for the next tab.
/** @import { KeptPlan, Plan } from "./types.d.ts" */

const KEPT_PLAN = "tidemark.lessons";

/** @param {KeptPlan | null} kept null once there is nothing to keep */
export function keepPlan(kept) {
  try {
    for (const storage of [window.sessionStorage, window.localStorage]) {
      if (kept) storage.setItem(KEPT_PLAN, JSON.stringify(kept));
      else storage.removeItem(KEPT_PLAN);
    }
  } catch {
    // Storage may be full or forbidden; then only saving keeps the plan.
  }
}

/**
 * What was kept, null for nothing.
 * @returns {KeptPlan | null}
 */
export function keptPlan() {
  try {
    const text = window.sessionStorage.getItem(KEPT_PLAN) ?? window.localStorage.getItem(KEPT_PLAN);
    const kept = JSON.parse(text ?? "null");
    return Array.isArray(kept?.plan?.lessons) && typeof kept.text === "string" ? kept : null;
  } catch {
    return null;
  }
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
