// One expression in view: what it is at a step, and the steps at which that turns.
//
// It is a value or a condition. A value is a column of the step (`watermark`, `clock`), a table (`timers`, `state`: how
// many, and the newest), or a column of what the step touches (`result`); anything else is a condition, a query of the
// search for steps. A name that is both is a value: who writes `watermark` wants to see it.
import { short, valueText, type Times } from "../base/format.ts";
import { isWorthALine, keyText } from "../base/reading.ts";
import { readQuery } from "./query.ts";
import { ALIASES, OWN_VALUE, SHOWN, TABLES, TIMES } from "./vocabulary.ts";
import type { StepTest } from "../types/find.ts";
import type { StepFinder } from "./finder.ts";

const MOST_ITEMS = 3;
const VALUE_LETTERS = 80;
/** What a value is where there is none. */
const MISSING = "–";
const CLOCK = "clock";

/** a fact of a table in a few letters */
type Describe = (row: any, times: Times) => string;

/**
 * The tables, each with what names one of its facts and, where not every fact counts, which of them do. The newest
 * facts are named; of timers the next ones.
 */
const DESCRIBED: { [table: string]: { describe: Describe; counts?: (row: any) => boolean; by?: string } | undefined } =
  {
    records: { describe: (row, times) => times.short(row.ts), counts: (row) => row.fate !== "ahead" },
    windows: {
      describe: (row, times) => `${keyText(row.key)} ${times.window(row.start, row.end)}`,
      counts: (row) => row.status === "open" || row.status === "fired",
    },
    contents: { describe: (row) => valueText(row.value) },
    timers: { describe: (row, times) => times.exact(row.timestamp), by: "timestamp" },
    outputs: {
      describe: ({ row }) => (row.value === undefined ? row.row : valueText(row.value)),
      counts: isWorthALine,
    },
    state: {
      describe: (row) => `${keyText(row.key)} ${row.value === null ? `(${row.entries})` : valueText(row.value)}`,
    },
    queue: { describe: (row, times) => times.short(row.ts), by: "ts" },
    buffers: { describe: (row, times) => times.short(row.ts) },
    channels: { describe: (row, times) => times.exact(row.watermark) },
  };

export class Watched {
  finder: StepFinder;
  text: string;
  /** the table that it counts */
  table: string | null = null;
  /** null for a value */
  test: StepTest | null = null;
  /** the value, or nothing for a condition */
  read: (step: number) => string;
  found: number[] | null = null;

  /** @throws {QueryProblem} where it is neither a value nor a query */
  constructor(finder: StepFinder, text: string) {
    finder.prepare();
    this.finder = finder;
    this.text = text;
    this.read = () => "";
    this.understand(text.trim().toLowerCase());
  }

  get isValue() {
    return this.test === null;
  }

  understand(plain: string) {
    const { finder } = this;
    const name = plain === CLOCK ? "at" : (ALIASES[plain] ?? plain);
    if (finder.own.has(name)) {
      const own = (SHOWN[name] ?? name) as "at";
      this.read = (step) => this.column(name, finder.steps.value(own, step));
    } else if (TABLES.some((each) => each === plain) && !OWN_VALUE.has(plain)) {
      this.table = plain;
      this.read = (step) => this.facts(plain, step);
    } else if (finder.fieldOf(plain) && !finder.words.has(plain) && !finder.events.has(plain)) {
      const { times } = finder.player;
      const values = finder.valuesOf(name);
      this.read =
        name === "window"
          ? (step) => listed(finder.windows(step).map(([start, end]) => times.window(Number(start), Number(end))))
          : (step) => listed(values(step).map((value) => this.column(name, value)));
    } else {
      this.test = finder.test(readQuery(this.text));
    }
  }

  /** The value at `step` as text; whether it holds, of a condition. */
  at(step: number): string | boolean {
    return this.test ? this.test(step) : short(this.read(step), VALUE_LETTERS);
  }

  /** A value of a column: a time to the millisecond, anything else as it is. */
  column(name: string, value: unknown) {
    const { times } = this.finder.player;
    if (TIMES.has(name.split(".").at(-1) ?? name)) return times.exact(value as number | null);
    return value === null || value === undefined || value === "" ? MISSING : valueText(value);
  }

  /** How many facts of a table there are, and a few of them: `4: …, 8, 2, 5`; of the counters each that is not 0. */
  facts(name: string, step: number) {
    const { facts, times } = this.finder.player;
    const all: any[] = facts.table(name as "records").at(step);
    const { describe, counts, by } = DESCRIBED[name] ?? {};
    if (!describe) return listed(all.flatMap(amounts));
    const rows = counts ? all.filter(counts) : all;
    if (!rows.length) return "0";
    if (by) {
      const next = rows.toSorted((a, b) => a[by] - b[by]).slice(0, MOST_ITEMS);
      return `${rows.length}: ${next.map((row) => describe(row, times)).join(", ")}${more(rows, ", …")}`;
    }
    const newest = rows.slice(-MOST_ITEMS).map((row) => describe(row, times));
    return `${rows.length}: ${more(rows, "…, ")}${newest.join(", ")}`;
  }

  /**
   * The steps at which a condition becomes true and a value changes, ascending; a table changes with any of its facts.
   */
  get turns() {
    return (this.found ??= this.table ? this.begunOrEnded(this.table) : this.compared());
  }

  /** Its turns may be others from now on: the words of the steps have changed, or the bookmarks. */
  forget() {
    this.found = null;
  }

  compared() {
    const { test, read } = this;
    const turns = [];
    let before: string | boolean = test ? false : read(0);
    for (let step = 0; step < this.finder.count; step += 1) {
      const now = test ? test(step) : read(step);
      if (now !== before && now !== false) turns.push(step);
      before = now;
    }
    return turns;
  }

  begunOrEnded(name: string) {
    const table = this.finder.player.facts.table(name as "records");
    const steps: Set<number> = new Set();
    const { counts } = DESCRIBED[name] ?? {};
    for (let index = 0; index < table.length; index += 1) {
      if (counts && !counts(table.row(index))) continue;
      steps.add(table.value("from_step", index));
      steps.add(table.value("until_step", index) ?? 0);
    }
    steps.delete(0);
    return [...steps].filter((step) => step < this.finder.count).sort((a, b) => a - b);
  }
}

/** What a row of counters counts, as far as it is there. */
function amounts(row: { [name: string]: unknown }) {
  return Object.entries(row).flatMap(([name, count]) =>
    typeof count === "number" && count && !name.endsWith("_step") ? [`${name} ${count}`] : [],
  );
}

function listed(texts: string[]) {
  return texts.join(", ") || MISSING;
}

function more(rows: unknown[], text: string) {
  return rows.length > MOST_ITEMS ? text : "";
}
