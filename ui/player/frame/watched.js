// One expression in view: what it is at a step, and the steps at which that turns.
//
// It is a value or a condition. A value is a column of the step (`watermark`, `clock`), a table (`timers`, `state`: how
// many, and the newest), or a column of what the step touches (`result`); anything else is a condition, a query of the
// search for steps. A name that is both is a value: who writes `watermark` wants to see it.
import { short, valueText } from "../base/format.js";
import { isWorthALine, keyText } from "../base/reading.js";
import { readQuery } from "./query.js";
import { ALIASES, OWN_VALUE, SHOWN, TABLES, TIMES } from "./vocabulary.js";
/** @import { Times } from "../base/format.js" */
/** @import { StepTest } from "../types/find.d.ts" */
/** @import { StepFinder } from "./finder.js" */

const MOST_ITEMS = 3;
const VALUE_LETTERS = 80;
/** What a value is where there is none. */
const MISSING = "–";
const CLOCK = "clock";

/** @typedef {(row: any, times: Times) => string} Describe a fact of a table in a few letters */

/**
 * The tables, each with what names one of its facts and, where not every fact counts, which of them do. The newest
 * facts are named; of timers the next ones.
 * @type {{ [table: string]: { describe: Describe, counts?: (row: any) => boolean, by?: string } | undefined }}
 */
const DESCRIBED = {
  records: { describe: (row, times) => times.short(row.ts), counts: (row) => row.fate !== "ahead" },
  windows: {
    describe: (row, times) => `${keyText(row.key)} ${times.window(row.start, row.end)}`,
    counts: (row) => row.status === "open" || row.status === "fired",
  },
  contents: { describe: (row) => valueText(row.value) },
  timers: { describe: (row, times) => times.exact(row.timestamp), by: "timestamp" },
  outputs: { describe: ({ row }) => (row.value === undefined ? row.row : valueText(row.value)), counts: isWorthALine },
  state: {
    describe: (row) => `${keyText(row.key)} ${row.value === null ? `(${row.entries})` : valueText(row.value)}`,
  },
  queue: { describe: (row, times) => times.short(row.ts), by: "ts" },
  buffers: { describe: (row, times) => times.short(row.ts) },
  channels: { describe: (row, times) => times.exact(row.watermark) },
};

export class Watched {
  /**
   * @param {StepFinder} finder
   * @param {string} text
   * @throws {QueryProblem} where it is neither a value nor a query
   */
  constructor(finder, text) {
    finder.prepare();
    this.finder = finder;
    this.text = text;
    /** @type {string | null} the table that it counts */
    this.table = null;
    /** @type {StepTest | null} null for a value */
    this.test = null;
    /** @type {(step: number) => string} the value, or nothing for a condition */
    this.read = () => "";
    this.understand(text.trim().toLowerCase());
    /** @type {number[] | null} */
    this.found = null;
  }

  get isValue() {
    return this.test === null;
  }

  /** @param {string} plain */
  understand(plain) {
    const { finder } = this;
    const name = plain === CLOCK ? "at" : (ALIASES[plain] ?? plain);
    if (finder.own.has(name)) {
      const own = /** @type {"at"} */ (SHOWN[name] ?? name);
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

  /**
   * The value at `step` as text; whether it holds, of a condition.
   * @param {number} step
   * @returns {string | boolean}
   */
  at(step) {
    return this.test ? this.test(step) : short(this.read(step), VALUE_LETTERS);
  }

  /**
   * A value of a column: a time to the millisecond, anything else as it is.
   * @param {string} name
   * @param {unknown} value
   */
  column(name, value) {
    const { times } = this.finder.player;
    if (TIMES.has(name.split(".").at(-1) ?? name)) return times.exact(/** @type {number | null} */ (value));
    return value === null || value === undefined || value === "" ? MISSING : valueText(value);
  }

  /**
   * How many facts of a table there are, and a few of them: `4: …, 8, 2, 5`; of the counters each that is not 0.
   * @param {string} name
   * @param {number} step
   */
  facts(name, step) {
    const { facts, times } = this.finder.player;
    /** @type {any[]} */
    const all = facts.table(/** @type {"records"} */ (name)).at(step);
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
    /** @type {string | boolean} */
    let before = test ? false : read(0);
    for (let step = 0; step < this.finder.count; step += 1) {
      const now = test ? test(step) : read(step);
      if (now !== before && now !== false) turns.push(step);
      before = now;
    }
    return turns;
  }

  /** @param {string} name */
  begunOrEnded(name) {
    const table = this.finder.player.facts.table(/** @type {"records"} */ (name));
    /** @type {Set<number>} */
    const steps = new Set();
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

/**
 * What a row of counters counts, as far as it is there.
 * @param {{ [name: string]: unknown }} row
 */
function amounts(row) {
  return Object.entries(row).flatMap(([name, count]) =>
    typeof count === "number" && count && !name.endsWith("_step") ? [`${name} ${count}`] : [],
  );
}

/** @param {string[]} texts */
function listed(texts) {
  return texts.join(", ") || MISSING;
}

/**
 * @param {unknown[]} rows
 * @param {string} text
 */
function more(rows, text) {
  return rows.length > MOST_ITEMS ? text : "";
}
