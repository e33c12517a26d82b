// Finds the steps at which a query (query.ts) is true, from a step's own columns and from the facts that it touches.
import { valueText, type Times } from "../base/format.ts";
import { QueryProblem, readQuery, similar } from "./query.ts";
import type { Life, NeverHint, Searched, Source, StepTest } from "../types/find.ts";
import type { Comparison, Operator, Query, StepFact, Tables, Term, WindowTerm } from "../types/player.ts";
import type { Table } from "../base/facts.ts";
import type { Jumps } from "#types/payload";

export class StepFinder {
  player: Searched;
  prepared = false;
  /** The number of steps. */
  count = 0;
  /** by id, in order of time */
  lives: Map<string, Life[]> = new Map();
  /** The names of a step's own columns. */
  own: Set<string> = new Set(["step", "event", "item", "at", "watermark", "place", "predicate", "what", "why"]);
  columns: Map<string, Source[]> = new Map();
  /** the steps that a word stands for */
  words: Map<string, Set<number>> = new Map();
  /** events by their names in lower case */
  events: Map<string, string> = new Map();
  touchedAt = -1;
  touchedFacts: Life[] = [];

  /** @param player nothing is read from it before the first query */
  constructor(player: Searched) {
    this.player = player;
  }

  get steps() {
    return this.player.facts.table("steps");
  }

  /**
   * The steps at which `text` is true, ascending; `hint` where a value never occurs.
   * @throws {QueryProblem} where it is not a query
   */
  find(text: string) {
    this.prepare();
    const tree = readQuery(text);
    const test = this.test(tree);
    const steps = [];
    for (let step = 0; step < this.count; step += 1) if (test(step)) steps.push(step);
    return { steps, hint: steps.length ? null : this.neverTrue(tree) };
  }

  /** Goes through the run once, to learn which facts belong to an id, which columns there are, and which events. */
  prepare() {
    if (this.prepared) return;
    this.prepared = true;
    const { facts, payload } = this.player;
    this.count = this.steps.length;
    for (const name of [...this.own, "key", "window", "start", "end"]) this.columns.set(name, []);
    for (const name of TABLES) {
      const table: Table<any> = facts.table(name);
      for (let index = 0; index < table.length; index += 1) {
        const id = table.value("id", index);
        const life = {
          table,
          name,
          index,
          from: table.value("from_step", index),
          until: table.value("until_step", index) ?? Infinity,
        };
        const known = this.lives.get(id);
        if (known) known.push(life);
        else this.lives.set(id, [life]);
      }
      if (table.length) for (const column of columnNames(table)) this.addColumn(name, column);
    }
    for (const [word, kind] of Object.entries(WORDS)) this.words.set(word, new Set(payload.jumps[kind] ?? []));
    for (const [word, kinds] of Object.entries(MARKS)) {
      this.words.set(word, new Set(payload.marks.filter((each) => kinds.includes(each.kind)).map((each) => each.step)));
    }
    for (let step = 0; step < this.count; step += 1) {
      this.events.set(this.steps.value("event", step).toLowerCase(), this.steps.value("event", step));
    }
  }

  addColumn(table: string, column: string) {
    if (HIDDEN.has(column)) return;
    const single = table.endsWith("s") ? table.slice(0, -1) : table;
    for (const name of OWN_VALUE.has(table) ? [`${single}.${column}`] : [column, `${single}.${column}`]) {
      if (this.own.has(name)) continue;
      const sources = this.columns.get(name) ?? [];
      this.columns.set(name, sources);
      if (!sources.some((each) => each.table === table)) sources.push({ table, column });
    }
  }

  /** Names of columns to offer, the plain ones first. */
  get fieldNames() {
    this.prepare();
    const names = [...this.columns.keys(), ...Object.keys(ALIASES)];
    return [
      ...names.filter((name) => !name.includes(".")).sort(),
      ...names.filter((name) => name.includes(".")).sort(),
    ];
  }

  get wordNames() {
    return [...Object.keys(WORDS), ...Object.keys(MARKS), "bookmarked"].sort();
  }

  // --- a tree as a test of a step ---------------------------------------------------------------------------------

  test(node: Query): StepTest {
    switch (node.kind) {
      case "and": {
        const parts = node.parts.map((part) => this.test(part));
        return (step) => parts.every((part) => part(step));
      }
      case "or": {
        const parts = node.parts.map((part) => this.test(part));
        return (step) => parts.some((part) => part(step));
      }
      case "not": {
        const part = this.test(node.part);
        return (step) => !part(step);
      }
      case "text": {
        const wanted = node.text.toLowerCase();
        const says = (sentence: string | undefined) => (sentence ?? "").toLowerCase().includes(wanted);
        return (step) => says(this.steps.value("what", step)) || says(this.steps.value("why", step));
      }
      case "window":
        return this.windowTest(node, "=");
      case "word":
        return this.wordTest(node);
      default:
        return this.compareTest(node);
    }
  }

  wordTest(node: Term): StepTest {
    const word = node.text.toLowerCase();
    if (word === "bookmarked") return (step) => this.player.bookmarks.has(step);
    const steps = this.words.get(word);
    if (steps) return (step) => steps.has(step);
    const event = this.events.get(word);
    if (event !== undefined) return (step) => this.steps.value("event", step) === event;
    if (this.fieldOf(word)) {
      throw new QueryProblem("needs_value", node, { field: node.text, example: `${node.text} = …` });
    }
    throw new QueryProblem("unknown_word", node, {
      word: node.text,
      near: similar(word, [...this.wordNames, ...this.events.values(), ...this.fieldNames, ...TABLES]),
      words: this.wordNames,
    });
  }

  fieldOf(word: string) {
    const name = ALIASES[word] ?? word;
    return this.columns.has(name) ? name : null;
  }

  compareTest({ field, operator, value }: Comparison): StepTest {
    const name = this.fieldOf(field.text.toLowerCase());
    if (!name) {
      throw new QueryProblem("unknown_field", field, {
        word: field.text,
        near: similar(field.text, this.fieldNames),
        columns: this.fieldNames.filter((each) => !each.includes(".")),
      });
    }
    if (name === "window") {
      if (value.kind !== "window") throw new QueryProblem("not_a_window", value);
      if (operator.text !== "=" && operator.text !== "!=") throw new QueryProblem("window_only_equal", operator);
      return this.windowTest(value, operator.text);
    }
    if (value.kind === "window") {
      throw new QueryProblem("unknown_field", field, { word: field.text, near: ["window"], columns: [] });
    }
    const holds = comparison(operator.text, this.wanted(name, operator, value));
    const values = this.valuesOf(name);
    if (operator.text !== "!=") return (step) => values(step).some(holds);
    // Unequal: there is something to compare, and none of it is equal.
    return (step) => {
      const there = values(step);
      return there.length > 0 && there.every(holds);
    };
  }

  /** The value as text and as a number: in ms where the column is a time, null where it is no number. */
  wanted(name: string, operator: Operator, value: Term) {
    const isTime = TIMES.has(name.split(".").at(-1) ?? name);
    const text = value.text.toLowerCase();
    const number = isTime ? timeOf(value.text, this.player.times) : numberOf(value.text);
    if (number === null && /^[<>]/.test(operator.text)) {
      throw new QueryProblem(isTime ? "not_a_time" : "no_order", value, { operator: operator.text, value: value.text });
    }
    if (isTime && number === null && operator.text !== "~" && !NOTHING.has(text)) {
      throw new QueryProblem("not_a_time", value, { value: value.text });
    }
    return { text, number };
  }

  windowTest(value: WindowTerm, operator: string): StepTest {
    const { times } = this.player;
    const [low, high] = [timeOf(value.low, times), timeOf(value.high, times)];
    if (low === null) throw new QueryProblem("not_a_time", value, { value: value.low });
    if (high === null) throw new QueryProblem("not_a_time", value, { value: value.high });
    const is = (step: number) => this.windows(step).some(([start, end]) => start === low && end === high);
    return operator === "=" ? is : (step) => this.windows(step).length > 0 && !is(step);
  }

  // --- what a step is about ---------------------------------------------------------------------------------------

  /** The facts that `step` touches, as they are after it; one that it ended, as it was before. */
  touched(step: number) {
    if (this.touchedAt === step) return this.touchedFacts;
    this.touchedAt = step;
    this.touchedFacts = [];
    for (const id of this.steps.value("touches", step)) {
      const lives = this.lives.get(id);
      if (!lives) continue;
      let place = lives.length - 1;
      while (place >= 0 && lives[place].from > step) place -= 1;
      if (place >= 0 && lives[place].until >= step) this.touchedFacts.push(lives[place]);
    }
    return this.touchedFacts;
  }

  /** The [key, start, end] that the step's event names, or null. */
  owner(step: number) {
    const { names, of } = this.player.payload.owners;
    return names[of[step]] ?? null;
  }

  /** The bounds of the windows that a step is about. */
  windows(step: number): unknown[][] {
    const owner = this.owner(step);
    if (owner && owner[1] !== null) return [[owner[1], owner[2]]];
    return this.touched(step)
      .map((life) => [fromLife(life, "start"), fromLife(life, "end")])
      .filter(([start]) => start !== undefined && start !== null);
  }

  /** A function that returns the values of a column at a step. */
  valuesOf(name: string): (step: number) => unknown[] {
    if (this.own.has(name)) {
      const own = (SHOWN[name] ?? name) as keyof StepFact;
      return (step) => [this.steps.value(own, step)];
    }
    if (name === "key") {
      return (step) => {
        const owner = this.owner(step);
        return owner ? [owner[0]] : this.fromTouched(step, [{ column: "key" }]);
      };
    }
    if (name === "start" || name === "end") {
      return (step) => this.windows(step).map((bounds) => bounds[name === "start" ? 0 : 1]);
    }
    const sources = this.columns.get(name) ?? [];
    return (step) => this.fromTouched(step, sources);
  }

  fromTouched(step: number, sources: Source[]) {
    const values: unknown[] = [];
    for (const life of this.touched(step)) {
      for (const { table, column } of sources) {
        if (table !== undefined && table !== life.name) continue;
        const value = fromLife(life, column);
        if (value !== undefined) values.push(value);
      }
    }
    return values;
  }

  /**
   * For a query that is true at no step: a comparison whose value its column never has, with the values that it has.
   */
  neverTrue(node: Query): NeverHint | null {
    if (node.kind === "and" || node.kind === "or") {
      return node.parts.map((part) => this.neverTrue(part)).find(Boolean) ?? null;
    }
    if (node.kind !== "compare" || node.operator.text !== "=" || node.value.kind === "window") return null;
    const name = this.fieldOf(node.field.text.toLowerCase());
    if (name === null) return null;
    const holds = comparison("=", this.wanted(name, node.operator, node.value));
    const values = this.valuesOf(name);
    const seen: Set<string> = new Set();
    for (let step = 0; step < this.count; step += 1) {
      for (const value of values(step)) {
        if (holds(value)) return null;
        if (value !== null && typeof value !== "object") seen.add(valueText(value));
      }
    }
    const all = [...seen];
    return {
      name: "never",
      field: node.field.text,
      value: node.value.text,
      near: similar(node.value.text, all),
      values: all.length <= 8 && !TIMES.has(name) ? all.sort() : [],
    };
  }
}

function columnNames(table: Table<any>): Iterable<string> {
  const own = Object.keys(table.columns ?? table.row(0));
  if (!own.includes("row")) return own;
  const names = new Set(own);
  for (let index = 0; index < Math.min(table.length, 200); index += 1) {
    for (const name of Object.keys(table.value("row", index))) names.add(name);
  }
  return names;
}

function fromLife({ table, index }: Life, column: string) {
  const own = table.value(column, index);
  return own === undefined ? table.value("row", index)?.[column] : own;
}

// What a query compares facts with: numbers, times and texts as a reader types them.

const ENDS = 9.2e18;
const UNITS: { [unit: string]: number } = { ms: 1, s: 1000, sec: 1000, m: 60000, min: 60000, h: 3600000, d: 86400000 };

/** The words for a value that is not there. */
const NOTHING = new Set(["none", "null"]);

/**
 * Reads a time (ms): `9s`, `250ms`, a bare number of seconds, or `08:00:05` where the screen shows a clock; null where
 * it is none.
 */
export function timeOf(text: string, { clock, style }: Times) {
  const plain = text.replace("−", "-");
  if (/^\+?(∞|inf)$/i.test(plain)) return ENDS;
  const span = numberOf(plain);
  if (span !== null) return /[a-z]$/i.test(plain) ? span : span * 1000;
  const parts = /^(?:(\d{4}-\d\d-\d\d)t?_?)?(\d\d?):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?$/i.exec(plain);
  if (!clock || !parts) return null;
  const [, day, hour, minute, second, fraction] = parts;
  const written = Date.parse(`${day ?? style.day}T${hour.padStart(2, "0")}:${minute}:${second ?? "00"}Z`);
  const shown = Object.fromEntries(clock.formatToParts(new Date(written)).map(({ type, value }) => [type, value]));
  const asIfUtc = Date.parse(
    `${shown.year}-${shown.month}-${shown.day}T${shown.hour}:${shown.minute}:${shown.second}Z`,
  );
  return 2 * written - asIfUtc + Number((fraction ?? "0").padEnd(3, "0"));
}

/** Reads a number; one with a unit is a length of time and returned in ms. Null where it is none. */
export function numberOf(text: string) {
  const parts = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+))([a-z]*)$/i.exec(text.replace("−", "-"));
  if (!parts || (parts[2] && !Object.hasOwn(UNITS, parts[2].toLowerCase()))) return null;
  return Math.round(Number(parts[1]) * (parts[2] ? UNITS[parts[2].toLowerCase()] : 1) * 1e6) / 1e6;
}

/** A test of a fact's value against what the query asks for. An order needs a number: without one it never holds. */
export function comparison(
  operator: string,
  { text, number }: { text: string; number: number | null },
): (value: unknown) => boolean {
  const limit = number ?? NaN;
  const equal = (value: unknown) => {
    if (value === null || value === undefined) return NOTHING.has(text);
    if (typeof value === "number" && number !== null) return value === number || (number >= ENDS && value >= ENDS);
    return valueText(value).toLowerCase() === text;
  };
  switch (operator) {
    case "=":
      return equal;
    case "!=":
      return (value: unknown) => !equal(value);
    case "~":
      return (value: unknown) => value !== null && value !== undefined && valueText(value).toLowerCase().includes(text);
    case "<":
      return (value: unknown) => typeof value === "number" && value < limit;
    case "<=":
      return (value: unknown) => typeof value === "number" && value <= limit;
    case ">":
      return (value: unknown) => typeof value === "number" && value > limit;
    default:
      return (value: unknown) => typeof value === "number" && value >= limit;
  }
}

// The words of a query: which tables and columns it sees, and what its short words stand for.

/** The tables of things (docs/maintainers/TIMELINE.md); the others explain these. */
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
const HIDDEN = new Set([
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
const WORDS: { [word: string]: keyof Jumps } = {
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
const MARKS: { [word: string]: string[] } = {
  dropped: ["dropped", "side"],
  early: ["early"],
  update: ["update"],
};
