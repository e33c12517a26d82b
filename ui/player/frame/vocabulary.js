// The words of a query: which tables and columns it sees, and what its short words stand for.
/** @import { Jumps } from "../types/payload.d.ts" */
/** @import { Tables } from "../types/player.d.ts" */

/**
 * The tables of things (docs/TIMELINE.md); the others explain these.
 * @type {(keyof Tables)[]}
 */
export const TABLES = [
  "records",
  "windows",
  "contents",
  "timers",
  "outputs",
  "state",
  "queue",
  "buffers",
  "channels",
  "watermark",
  "clock",
  "counters",
];
export const TIMES = new Set([
  "at",
  "watermark",
  "ts",
  "timestamp",
  "start",
  "end",
  "kept_until",
  "max_timestamp",
  "emitted",
  "newest_ts",
]);
/** @type {{ [word: string]: string | undefined }} */
export const ALIASES = { record: "item", time: "ts", arrived: "at", method: "place" };
// The search looks at the text on the screen.
/** @type {{ [name: string]: string | undefined }} */
export const SHOWN = { predicate: "condition" };
// Bookkeeping of the tables, and columns that repeat another one.
export const HIDDEN = new Set([
  "from_step",
  "until_step",
  "id",
  "touches",
  "arrival",
  "newest_arrival",
  "holder",
  "row",
  "order",
  "rule",
]);
// Their only value is a time, which is among the step's own columns already.
export const OWN_VALUE = new Set(["watermark", "clock"]);
/** @type {{ [word: string]: keyof Jumps }} */
export const WORDS = {
  firing: "firing",
  fires: "firing",
  fired: "firing",
  late: "late",
  merge: "merge",
  merged: "merge",
  watermark: "watermark",
  timer: "timer",
  checkpoint: "checkpoint",
  restore: "checkpoint",
};
/** @type {{ [word: string]: string[] }} */
export const MARKS = { dropped: ["dropped", "side"], early: ["early"], update: ["update"] };
