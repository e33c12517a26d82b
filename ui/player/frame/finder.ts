// Finds the steps at which a query (query.ts) is true, from a step's own columns and from the facts that it touches.
import { valueText } from "../base/format.ts";
import { NOTHING, comparison, numberOf, timeOf } from "./compared.ts";
import { QueryProblem, readQuery, similar } from "./query.ts";
import { ALIASES, HIDDEN, MARKS, OWN_VALUE, SHOWN, TABLES, TIMES, WORDS } from "./vocabulary.ts";
import type { Life, NeverHint, Searched, Source, StepTest } from "../types/find.ts";
import type { Comparison, Operator, Query, StepFact, Term, WindowTerm } from "../types/player.ts";
import type { Table } from "../base/facts.ts";

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
