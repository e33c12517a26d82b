// How facts are read for the screen: words and marks for kinds, contents of a window, outputs worth a line.
import { say, short, valueText } from "./format.js";

/** A key as it is written in a scenario. */
export function keyText(key) {
  return String(key);
}

/** `value 9`; of a mapping its fields, which have names of their own. */
export function namedValue(value, { why }, letters) {
  const text = short(valueText(value), letters);
  return value !== null && typeof value === "object" && !Array.isArray(value)
    ? text
    : say(why.about_value, { value: text });
}

/** The fields of a row of a join, its side and its input in words. */
export function sided(row, { picture }) {
  return { ...row, side: picture[row.side] ?? row.side, input: picture[row.input] ?? row.input };
}

/** The mark of a pane by its timing: filled, hollow before the end of its window, with a turning arrow after it. */
export function timingMark(timing) {
  return { early: "early", late: "update" }[timing] ?? "fired";
}

/** The mark of a record by its fate. */
export function fateMark(fate) {
  return (
    { "on-time": "on-time", "late-accepted": "late", dropped: "dropped", side: "side", skipped: "dropped" }[fate] ??
    "ahead"
  );
}

/** The records in a window at `step`, in the order in which they are held: {item, ts, value, late}. */
export function windowContents(facts, row, step) {
  if (row.status === "cleared" || row.status === "merged") return [];
  return facts.where("contents", "holder", row.holder, step).sort((a, b) => a.order - b.order);
}

/** The panes that a window has given so far; of an update only the new value. */
export function windowFirings(facts, row, step) {
  return facts
    .where("outputs", "window", row.id, step)
    .filter((each) => each.row.change !== "-U")
    .map((each) => each.row);
}

/** The output rows that are results or losses; watermarks and batches are told elsewhere. */
export function outputsToShow(facts, step) {
  return facts.at("outputs", step).filter((fact) => fact.row.row !== "watermark" && fact.row.row !== "batch");
}
