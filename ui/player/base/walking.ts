// The code walk: which line runs at a step, which ran before it, with which values.
import type { CodeLine, Payload, RanLine, StepFact } from "../types/player.ts";
import type { Facts, Table } from "./facts.ts";
import type { Telling } from "./telling.ts";

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
