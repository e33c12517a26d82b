// The plan that is not saved yet: this tab keeps it, and the browser for the next tab.
import { isTable, readKept, writeKept } from "../../player/base/kept.ts";
import type { KeptPlan, Plan } from "./types.ts";

const KEPT_PLAN = "tidemark.lessons";

/** @param kept null once there is nothing to keep */
export function keepPlan(kept: KeptPlan | null) {
  writeKept(KEPT_PLAN, kept, "tab");
  writeKept(KEPT_PLAN, kept);
}

/** What was kept, null for nothing. */
export function keptPlan(): KeptPlan | null {
  return readKept(KEPT_PLAN, soundPlan, "tab") ?? readKept(KEPT_PLAN, soundPlan);
}

function soundPlan({ text, digest, plan }: any): KeptPlan | null {
  const parts = [plan.lecture, plan.visit].filter((each) => each !== null);
  const sound =
    Array.isArray(plan.lessons) &&
    plan.lessons.every((each: any) => isPart(each) && each.topics.every(isList)) &&
    parts.every(isList);
  return sound && typeof text === "string" ? { text, digest: digest ?? null, plan } : null;
}

function isPart(read: any) {
  return isTable(read) && isTable(read.title) && isTable(read.about);
}

function isList(read: any) {
  return isPart(read) && read.scenarios.every((each: unknown) => typeof each === "string");
}

/**
 * Whether a kept plan says what lies in the folder. A page that is left while it saves does not hear what the server
 * adds: the places in the file, and the ids of new lessons.
 */
export function saysTheSame(kept: Plan, saved: Plan) {
  const lessons = saved.lessons.map((each, index) => ({ ...each, id: kept.lessons[index]?.id && each.id }));
  return contentsOf(kept) === contentsOf({ ...saved, lessons });
}

function contentsOf(plan: Plan) {
  return JSON.stringify(plan, (_name, value) => {
    if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
    const parts = Object.entries(value).filter(([name, part]) => name !== "was" && part !== "" && part !== undefined);
    return Object.fromEntries(parts.sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}
