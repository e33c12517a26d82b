// The plan that is not saved yet: this tab keeps it, and the browser for the next tab.
/** @import { KeptPlan } from "./types.d.ts" */

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
