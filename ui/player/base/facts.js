// Facts by step: row r is true at step n when r.from_step <= n and (r.until_step is null or n < r.until_step).
import { columnOf } from "./columns.js";
/** @import { Column, FactOf, PackedTable, PackedTables, Tables } from "../types/player.d.ts" */
/** @import { Fact } from "../types/payload.d.ts" */

/**
 * The first and the last step (exclusive) of each fact by its place, and who is alive at some of the steps.
 *
 * @typedef {object} Lives
 * @property {Int32Array} from
 * @property {Int32Array} until
 * @property {{ step: number, alive: Int32Array, next: number }[]} marks
 */

const FOREVER = 2 ** 31 - 1;
const LEAST = 64;

/**
 * One table of facts in order of `from_step`, given as rows or packed by columns (ui/payload/columns.py). A packed row
 * is made when it is first read, and stays the same object. At intervals the table notes which rows are alive, so that
 * a look-up costs as much as it finds, whatever the step.
 * @template {object} R
 */
export class Table {
  /**
   * @param {R[] | PackedTable} rows
   * @param {string[]} [strings] the texts of packed columns
   */
  constructor(rows, strings) {
    this.strings = strings;
    const packed = !Array.isArray(rows);
    this.length = packed ? rows.rows : rows.length;
    this.columns = packed ? rows.columns : null;
    /** @type {(R | undefined)[]} */
    this.made = packed ? new Array(this.length) : rows;
    this.whole = !packed;
    /** @type {Map<string, Column>} */
    this.read = new Map();
    /** @type {Map<string, Map<unknown, number[]>>} */
    this.groups = new Map();
    this.step = -1;
    /** @type {R[]} */
    this.visible = [];
    /** @type {Lives | null} */
    this.known = null;
  }

  /**
   * The fact in place `index`.
   * @param {number} index
   */
  row(index) {
    return (this.made[index] ??= this.make(index));
  }

  /**
   * @param {number} index
   * @returns {R}
   */
  make(index) {
    /** @type {{ [name: string]: unknown }} */
    const row = {};
    for (const name in this.columns) row[name] = this.value(/** @type {keyof R & string} */ (name), index);
    return /** @type {R} */ (/** @type {unknown} */ (row));
  }

  /**
   * One value of the fact in place `index`, without the rest of the row; undefined where there is no such column.
   * @template {keyof R & string} Name
   * @param {Name} name
   * @param {number} index
   * @returns {R[Name]}
   */
  value(name, index) {
    if (!this.columns) return /** @type {R} */ (this.made[index])[name];
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
    return /** @type {R[]} */ (this.made);
  }

  /**
   * A column that is not sent: `get(index)` gives its value. Call `forget` when it gives others from now on.
   * @param {string} name
   * @param {(index: number) => unknown} get
   */
  derive(name, get) {
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

  /** @returns {Lives} */
  findLives() {
    const { length } = this;
    const facts = /** @type {Table<Fact>} */ (/** @type {unknown} */ (this)); // of other rows nobody asks who is alive
    const from = new Int32Array(length);
    const until = new Int32Array(length);
    for (let index = 0; index < length; index += 1) {
      from[index] = facts.value("from_step", index);
      until[index] = facts.value("until_step", index) ?? FOREVER;
    }
    const marks = [];
    /** @type {number[]} */
    let alive = [];
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

  /**
   * The places of the facts that are true at `step`, in order of `from_step`.
   * @param {number} step
   */
  placesAt(step) {
    const { from, until, marks } = this.lives();
    const mark = marks[lastUpTo(marks.length, (index) => marks[index].step, step)];
    /** @type {number[]} */
    const found = [];
    if (!mark) return found;
    for (const index of mark.alive) if (until[index] > step) found.push(index);
    for (let index = mark.next; index < this.length && from[index] <= step; index += 1) {
      if (until[index] > step) found.push(index);
    }
    return found;
  }

  /**
   * The facts that are true at `step`, in order of `from_step`.
   * @param {number} step
   */
  at(step) {
    if (step !== this.step) {
      this.step = step;
      this.visible = this.placesAt(step).map((index) => this.row(index));
    }
    return this.visible;
  }

  /**
   * Those of them whose column `name` is `value`; other facts are not looked at.
   * @param {keyof R & string} name
   * @param {unknown} value
   * @param {number} step
   */
  where(name, value, step) {
    const { from, until } = this.lives();
    const found = [];
    for (const index of this.groupedBy(name).get(value) ?? []) {
      if (from[index] > step) break;
      if (until[index] > step) found.push(this.row(index));
    }
    return found;
  }

  /**
   * The places of all facts by the value of a column; found once.
   * @param {keyof R & string} name
   */
  groupedBy(name) {
    let groups = this.groups.get(name);
    if (!groups) {
      groups = Map.groupBy(
        Array.from({ length: this.length }, (_, index) => index),
        (index) => /** @type {unknown} */ (this.value(name, index)),
      );
      this.groups.set(name, groups);
    }
    return groups;
  }

  /**
   * The place of the last fact that began at `step` or before, -1 for none.
   * @param {number} step
   */
  lastBegun(step) {
    const { from } = this.lives();
    return lastUpTo(this.length, (index) => from[index], step);
  }
}

/**
 * The last of `count` places, in ascending order of `of`, that is not beyond `limit`; -1 for none.
 * @param {number} count
 * @param {(place: number) => number} of
 * @param {number} limit
 */
export function lastUpTo(count, of, limit) {
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
  /**
   * @param {Partial<PackedTables>} tables
   * @param {string[]} [strings] the texts of packed columns
   */
  constructor(tables, strings) {
    const made = Object.entries(tables).map(([name, rows]) => [name, new Table(/** @type {Fact[]} */ (rows), strings)]);
    this.tables = /** @type {{ [Name in keyof Tables]?: Table<FactOf<Name>> }} */ (Object.fromEntries(made));
    /** @type {Table<any>} */
    this.empty = new Table([]);
  }

  /**
   * A table by its name; without facts where there is none.
   * @template {keyof Tables} Name
   * @param {Name} name
   * @returns {Table<FactOf<Name>>}
   */
  table(name) {
    return this.tables[name] ?? this.empty;
  }

  /**
   * @template {keyof Tables} Name
   * @param {Name} name
   * @param {number} step
   */
  at(name, step) {
    return this.table(name).at(step);
  }

  /**
   * The facts at `step` whose column is `value`.
   * @template {keyof Tables} Name
   * @param {Name} name
   * @param {keyof FactOf<Name> & string} column
   * @param {unknown} value
   * @param {number} step
   */
  where(name, column, value, step) {
    return this.table(name).where(column, value, step);
  }

  /**
   * Every row that the table ever has.
   * @template {keyof Tables} Name
   * @param {Name} name
   */
  all(name) {
    return this.table(name).rows;
  }
}
