// The words of a query: which tables and columns it sees, and what its short words stand for.
import type { Jumps } from "#types/payload";
import type { Tables } from "../types/player.ts";

/** The tables of things (docs/TIMELINE.md); the others explain these. */
export const TABLES: (keyof Tables)[] = [
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
export const ALIASES: { [word: string]: string | undefined } = {
  record: "item",
  time: "ts",
  arrived: "at",
  method: "place",
};
// The search looks at the text on the screen.
export const SHOWN: { [name: string]: string | undefined } = { predicate: "condition" };
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
export const WORDS: { [word: string]: keyof Jumps } = {
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
export const MARKS: { [word: string]: string[] } = {
  dropped: ["dropped", "side"],
  early: ["early"],
  update: ["update"],
};
