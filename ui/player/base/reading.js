// How facts are read for the screen: words and marks for kinds, contents of a window, outputs worth a line.
import { say, short, valueText } from "./format.js";
/** @import { Facts } from "./facts.js" */
/** @import { Fate, PlainKey, WindowFact } from "../types/payload.d.ts" */
/** @import { PlayerWords } from "../types/words.d.ts" */
/** @import { Row } from "../types/player.d.ts" */

/** @type {{ [fate in Fate]?: "on-time" | "late" | "dropped" | "side" }} */
const RECORD_MARKS = {
  "on-time": "on-time",
  "late-accepted": "late",
  dropped: "dropped",
  side: "side",
  skipped: "dropped",
};

/**
 * A key as it is written in a scenario.
 * @param {PlainKey | undefined} key
 */
export function keyText(key) {
  return String(key);
}

/**
 * `value 9`; of a mapping its fields, which have names of their own.
 * @param {unknown} value
 * @param {PlayerWords} words
 * @param {number} letters
 */
export function namedValue(value, { why }, letters) {
  const text = short(valueText(value), letters);
  return value !== null && typeof value === "object" && !Array.isArray(value)
    ? text
    : say(why.about_value, { value: text });
}

/**
 * The fields of a row of a join, its side and its input in words.
 * @template {{ side?: string | null, input?: string | null }} T
 * @param {T} row
 * @param {PlayerWords} words
 */
export function sided(row, { picture }) {
  /** @type {{ [name: string]: string | undefined }} */
  const texts = picture;
  const { side, input } = row;
  return { ...row, side: side && (texts[side] ?? side), input: input && (texts[input] ?? input) };
}

/**
 * The channel that holds the watermark back; null where nobody does: all that count are equally far.
 * @template {{ aligned: boolean, holds: boolean, watermark: number | null }} Channel
 * @param {Channel[]} channels
 */
export function holderOf(channels) {
  const holder = channels.find((row) => row.holds);
  return holder && channels.some((row) => row.aligned && row.watermark !== holder.watermark) ? holder : null;
}

/**
 * The mark of a pane by its timing: filled, hollow before the end of its window, with a turning arrow after it.
 * @param {string | undefined} timing
 */
export function timingMark(timing) {
  return timing === "early" ? "early" : timing === "late" ? "update" : "fired";
}

/**
 * The mark of a record by its fate.
 * @param {Fate} fate
 */
export function fateMark(fate) {
  return RECORD_MARKS[fate] ?? "ahead";
}

/**
 * The records in a window at `step`, in the order in which they are held: {item, ts, value, late}.
 * @param {Facts} facts
 * @param {WindowFact} row
 * @param {number} step
 */
export function windowContents(facts, row, step) {
  if (row.status === "cleared" || row.status === "merged") return [];
  return facts.where("contents", "holder", row.holder, step).sort((a, b) => a.order - b.order);
}

/**
 * Whether an output row is a result or a loss; watermarks and batches are shown elsewhere.
 * @param {{ row: Row }} fact
 */
export function isWorthALine({ row }) {
  return row.row !== "watermark" && row.row !== "batch";
}

/**
 * The output rows that are results or losses.
 * @param {Facts} facts
 * @param {number} step
 */
export function outputsToShow(facts, step) {
  return facts.at("outputs", step).filter(isWorthALine);
}

/**
 * The value of one record of a pair; null where a side of a temporal join has none.
 * @param {Row["left"] | Row["right"]} record
 */
export function pairValue(record) {
  return record && !Array.isArray(record) ? record.value : record;
}
