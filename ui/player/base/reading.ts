// How facts are read for the screen: words and marks for kinds, contents of a window, outputs worth a line.
import { say, short, valueText } from "./format.ts";
import type { Facts, Table } from "./facts.ts";
import type { CodeLine, Payload, RanLine, Row, StepFact } from "../types/player.ts";
import type { Telling } from "./telling.ts";
import type { Fate, PlainKey, WindowFact } from "#types/payload";
import type { PlayerWords } from "#types/words";

const RECORD_MARKS: { [fate in Fate]?: "on-time" | "late" | "dropped" | "side" | "filtered" } = {
  "on-time": "on-time",
  "late-accepted": "late",
  dropped: "dropped",
  side: "side",
  skipped: "dropped",
  filtered: "filtered",
};

/** A key as it is written in a scenario. */
export function keyText(key: PlainKey | undefined) {
  return String(key);
}

/** `value 9`; of a mapping its fields, which have names of their own. */
export function namedValue(value: unknown, { why }: PlayerWords, letters: number) {
  const text = short(valueText(value), letters);
  return value !== null && typeof value === "object" && !Array.isArray(value)
    ? text
    : say(why.about_value, { value: text });
}

/** The fields of a row of a join, its side and its input in words. */
export function sided<T extends { side?: string | null; input?: string | null }>(row: T, { picture }: PlayerWords) {
  const texts: { [name: string]: string | undefined } = picture;
  const { side, input } = row;
  return { ...row, side: side && (texts[side] ?? side), input: input && (texts[input] ?? input) };
}

/** The channel that holds the watermark back; null where nobody does: all that count are equally far. */
export function holderOf<Channel extends { aligned: boolean; holds: boolean; watermark: number | null }>(
  channels: Channel[],
) {
  const holder = channels.find((row) => row.holds);
  return holder && channels.some((row) => row.aligned && row.watermark !== holder.watermark) ? holder : null;
}

/** The mark of a pane by its timing: filled, hollow before the end of its window, with a turning arrow after it. */
export function timingMark(timing: string | undefined) {
  return timing === "early" ? "early" : timing === "late" ? "update" : "fired";
}

/** The mark of a record by its fate. */
export function fateMark(fate: Fate) {
  return RECORD_MARKS[fate] ?? "ahead";
}

/** The records in a window at `step`, in the order in which they are held: {item, ts, value, late}. */
export function windowContents(facts: Facts, row: WindowFact, step: number) {
  if (row.status === "cleared" || row.status === "merged") return [];
  return facts.where("contents", "holder", row.holder, step).sort((a, b) => a.order - b.order);
}

/** Whether an output row is a result or a loss; watermarks and batches are shown elsewhere. */
export function isWorthALine({ row }: { row: Row }) {
  return row.row !== "watermark" && row.row !== "batch";
}

/** The output rows that are results or losses. */
export function outputsToShow(facts: Facts, step: number) {
  return facts.at("outputs", step).filter(isWorthALine);
}

/** The value of one record of a pair; null where a side of a temporal join has none. */
export function pairValue(record: Row["left"] | Row["right"]) {
  return record && !Array.isArray(record) ? record.value : record;
}

// The code walk: which line runs at a step, which ran before it, with which values.

/** The listings of a scenario, numbered from the first line to the last, and where each step stands in them. */
export class CodeWalk {
  telling: Telling;
  steps: Table<StepFact>;
  places: Map<string, CodeLine> = new Map();
  lines = 0;
  parts;

  constructor(payload: Payload, facts: Facts, telling: Telling) {
    this.telling = telling;
    this.steps = facts.table("steps");
    this.parts = payload.code.map(({ name, methods }) => ({
      name,
      methods: methods.map(({ flink, lines }) => ({
        flink,
        numbered: lines.map((line) => this.numbered(line, flink)),
      })),
    }));
  }

  /** A line with its number, counted through all listings. Its place is found by its id. */
  numbered([id, text]: [string | null, string], flink: string) {
    this.lines += 1;
    const line = { id, text, number: this.lines, flink };
    if (id && !this.places.has(id)) this.places.set(id, line);
    return line;
  }

  /** The line of an id. */
  place(id: string): CodeLine {
    return this.places.get(id) as CodeLine;
  }

  /** The lines that ran at `step`, in order; the last one is where it stands. */
  at(step: number): RanLine[] {
    const ids = this.steps.value("lines", step) ?? [];
    const live = this.telling.live(step);
    return ids.map((id, index) => ({
      line: this.place(id),
      live: live[index],
      step,
    }));
  }

  /** The last `most` lines that ran up to `step` within its stream item, this step's own last. */
  upTo(step: number, most: number) {
    const item = this.steps.value("item", step);
    const found: RanLine[] = [];
    for (let each = step; each >= 0 && found.length < most && this.steps.value("item", each) === item; each -= 1) {
      found.unshift(...this.at(each));
    }
    return found.slice(-most);
  }

  /** Everything that ran in this item up to `step`, each line with its last values, by line number. */
  ran(step: number) {
    return new Map(this.upTo(step, Infinity).map((each) => [each.line.number, each]));
  }

  /** Flink's class and method of the line at which `step` stands, or "". */
  flink(step: number) {
    return this.at(step).at(-1)?.line.flink ?? "";
  }
}
