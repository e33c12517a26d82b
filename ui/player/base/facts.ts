// Facts by step: row r is true at step n when r.from_step <= n and (r.until_step is null or n < r.until_step).
import { columnOf } from "./columns.ts";
import type { Column, FactOf, PackedTable, PackedTables, Tables } from "../types/player.ts";
import type { Fact } from "#types/payload";

/** The first and the last step (exclusive) of each fact by its place, and who is alive at some of the steps. */
interface Lives {
  from: Int32Array;
  until: Int32Array;
  marks: { step: number; alive: Int32Array; next: number }[];
}

const FOREVER = 2 ** 31 - 1;
const LEAST = 64;

/**
 * One table of facts in order of `from_step`, given as rows or packed by columns (ui/payload/columns.py). A packed row
 * is made when it is first read, and stays the same object. At intervals the table notes which rows are alive, so that
 * a look-up costs as much as it finds, whatever the step.
 */
export class Table<R extends object> {
  strings?: string[];
  length: number;
  columns;
  made: (R | undefined)[];
  whole: boolean;
  read: Map<string, Column> = new Map();
  groups: Map<string, Map<unknown, number[]>> = new Map();
  step = -1;
  visible: R[] = [];
  known: Lives | null = null;

  /** @param strings the texts of packed columns */
  constructor(rows: R[] | PackedTable, strings?: string[]) {
    this.strings = strings;
    const packed = !Array.isArray(rows);
    this.length = packed ? rows.rows : rows.length;
    this.columns = packed ? rows.columns : null;
    this.made = packed ? new Array(this.length) : rows;
    this.whole = !packed;
  }

  /** The fact in place `index`. */
  row(index: number) {
    return (this.made[index] ??= this.make(index));
  }

  make(index: number): R {
    const row: { [name: string]: unknown } = {};
    for (const name in this.columns) row[name] = this.value(name as keyof R & string, index);
    return row as unknown as R;
  }

  /** One value of the fact in place `index`, without the rest of the row; undefined where there is no such column. */
  value<Name extends keyof R & string>(name: Name, index: number): R[Name] {
    if (!this.columns) return (this.made[index] as R)[name];
    let column = this.read.get(name);
    if (!column) {
      const packed = this.columns[name];
      column = packed ? columnOf(packed, this.strings) : { get: () => undefined };
      this.read.set(name, column);
    }
    return column.get(index);
  }

  /** Every fact that the table ever has. */
  get rows() {
    if (!this.whole) for (let index = 0; index < this.length; index += 1) this.row(index);
    this.whole = true;
    return this.made as R[];
  }

  /** A column that is not sent: `get(index)` gives its value. Call `forget` when it gives others from now on. */
  derive(name: string, get: (index: number) => unknown) {
    this.columns = { ...this.columns, [name]: null };
    this.read.set(name, { get });
  }

  /** Rows are made again. */
  forget() {
    this.made = new Array(this.length);
    this.whole = false;
    this.step = -1;
  }

  /** The first and the last step (exclusive) of each fact, and who is alive at some of the steps. */
  lives() {
    return (this.known ??= this.findLives());
  }

  findLives(): Lives {
    const { length } = this;
    const facts = this as unknown as Table<Fact>; // of other rows nobody asks who is alive
    const from = new Int32Array(length);
    const until = new Int32Array(length);
    for (let index = 0; index < length; index += 1) {
      from[index] = facts.value("from_step", index);
      until[index] = facts.value("until_step", index) ?? FOREVER;
    }
    const marks = [];
    let alive: number[] = [];
    let first = 0;
    for (let index = 0; index < length; index += 1) {
      const step = from[index];
      const due = index === 0 || (index - first >= Math.max(LEAST, alive.length) && step > from[index - 1]);
      if (due) {
        for (let each = first; each < index; each += 1) alive.push(each);
        alive = alive.filter((each) => until[each] > step);
        marks.push({ step, alive: Int32Array.from(alive), next: index });
        first = index;
      }
    }
    return { from, until, marks };
  }

  /** The places of the facts that are true at `step`, in order of `from_step`. */
  placesAt(step: number) {
    const { from, until, marks } = this.lives();
    const mark = marks[lastUpTo(marks.length, (index) => marks[index].step, step)];
    const found: number[] = [];
    if (!mark) return found;
    for (const index of mark.alive) if (until[index] > step) found.push(index);
    for (let index = mark.next; index < this.length && from[index] <= step; index += 1) {
      if (until[index] > step) found.push(index);
    }
    return found;
  }

  /** The facts that are true at `step`, in order of `from_step`. */
  at(step: number) {
    if (step !== this.step) {
      this.step = step;
      this.visible = this.placesAt(step).map((index) => this.row(index));
    }
    return this.visible;
  }

  /** Those of them whose column `name` is `value`; other facts are not looked at. */
  where(name: keyof R & string, value: unknown, step: number) {
    const { from, until } = this.lives();
    const found = [];
    for (const index of this.groupedBy(name).get(value) ?? []) {
      if (from[index] > step) break;
      if (until[index] > step) found.push(this.row(index));
    }
    return found;
  }

  /** The places of all facts by the value of a column; found once. */
  groupedBy(name: keyof R & string) {
    let groups = this.groups.get(name);
    if (!groups) {
      groups = Map.groupBy(
        Array.from({ length: this.length }, (_, index) => index),
        (index) => this.value(name, index) as unknown,
      );
      this.groups.set(name, groups);
    }
    return groups;
  }

  /** The place of the last fact that began at `step` or before, -1 for none. */
  lastBegun(step: number) {
    const { from } = this.lives();
    return lastUpTo(this.length, (index) => from[index], step);
  }
}

/** The last of `count` places, in ascending order of `of`, that is not beyond `limit`; -1 for none. */
export function lastUpTo(count: number, of: (place: number) => number, limit: number) {
  let low = -1;
  let high = count - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (of(middle) <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** All tables of a scenario. */
export class Facts {
  tables;
  empty: Table<any> = new Table([]);

  /** @param strings the texts of packed columns */
  constructor(tables: Partial<PackedTables>, strings?: string[]) {
    const made = Object.entries(tables).map(([name, rows]) => [name, new Table(rows as Fact[], strings)]);
    this.tables = Object.fromEntries(made) as { [Name in keyof Tables]?: Table<FactOf<Name>> };
  }

  /** A table by its name; without facts where there is none. */
  table<Name extends keyof Tables>(name: Name): Table<FactOf<Name>> {
    return this.tables[name] ?? this.empty;
  }

  at<Name extends keyof Tables>(name: Name, step: number) {
    return this.table(name).at(step);
  }

  /** The facts at `step` whose column is `value`. */
  where<Name extends keyof Tables>(name: Name, column: keyof FactOf<Name> & string, value: unknown, step: number) {
    return this.table(name).where(column, value, step);
  }

  /** Every row that the table ever has. */
  all<Name extends keyof Tables>(name: Name) {
    return this.table(name).rows;
  }
}
