// Facts by step: row r is true at step n when r.from_step <= n and (r.until_step is null or n < r.until_step).
import { columnOf } from "./columns.js";

const FOREVER = 2 ** 31 - 1;
const LEAST = 64;

/**
 * One table of facts in order of `from_step`, given as rows, or packed by columns (ui/payload/columns.py) with their
 * texts in `strings`. A packed row
 * is made when it is first read, and stays the same object. At intervals the table notes which rows are alive, so that
 * a look-up costs as much as it finds, whatever the step.
 */
export class Table {
  constructor(rows, strings) {
    this.strings = strings;
    const packed = !Array.isArray(rows);
    this.length = packed ? rows.rows : rows.length;
    this.columns = packed ? rows.columns : null;
    this.made = packed ? new Array(this.length) : rows;
    this.whole = !packed;
    this.read = new Map();
    this.groups = new Map();
    this.step = -1;
    this.visible = [];
  }

  /** The fact in place `index`. */
  row(index) {
    return (this.made[index] ??= this.make(index));
  }

  make(index) {
    const row = {};
    for (const name in this.columns) row[name] = this.value(name, index);
    return row;
  }

  /** One value of the fact in place `index`, without the rest of the row; undefined where there is no such column. */
  value(name, index) {
    if (!this.columns) return this.made[index][name];
    let column = this.read.get(name);
    if (!column) {
      this.read.set(
        name,
        (column = this.columns[name] ? columnOf(this.columns[name], this.strings) : { get: () => undefined }),
      );
    }
    return column.get(index);
  }

  /** Every fact that the table ever has. */
  get rows() {
    if (!this.whole) for (let index = 0; index < this.length; index += 1) this.row(index);
    this.whole = true;
    return this.made;
  }

  /** A column that is not sent: `get(index)` gives its value. Call `forget` when it gives others from now on. */
  derive(name, get) {
    this.columns = { ...this.columns, [name]: null };
    this.read.set(name, { get });
  }

  /** Rows are made anew. */
  forget() {
    this.made = new Array(this.length);
    this.whole = false;
    this.step = -1;
  }

  /** The first and the last step (exclusive) of each fact, and who is alive at some of the steps. */
  lives() {
    if (this.from) return;
    const { length } = this;
    this.from = new Int32Array(length);
    this.until = new Int32Array(length);
    for (let index = 0; index < length; index += 1) {
      this.from[index] = this.value("from_step", index);
      this.until[index] = this.value("until_step", index) ?? FOREVER;
    }
    this.marks = [];
    let alive = [];
    let first = 0;
    for (let index = 0; index < length; index += 1) {
      const step = this.from[index];
      const due = index === 0 || (index - first >= Math.max(LEAST, alive.length) && step > this.from[index - 1]);
      if (due) {
        for (let each = first; each < index; each += 1) alive.push(each);
        alive = alive.filter((each) => this.until[each] > step);
        this.marks.push({ step, alive: Int32Array.from(alive), next: index });
        first = index;
      }
    }
  }

  /** The places of the facts that are true at `step`, in order of `from_step`. */
  placesAt(step) {
    this.lives();
    const mark = this.marks[lastUpTo(this.marks.length, (index) => this.marks[index].step, step)];
    const found = [];
    if (!mark) return found;
    for (const index of mark.alive) if (this.until[index] > step) found.push(index);
    for (let index = mark.next; index < this.length && this.from[index] <= step; index += 1) {
      if (this.until[index] > step) found.push(index);
    }
    return found;
  }

  /** The facts that are true at `step`, in order of `from_step`. */
  at(step) {
    if (step !== this.step) {
      this.step = step;
      this.visible = this.placesAt(step).map((index) => this.row(index));
    }
    return this.visible;
  }

  /** Those of them whose column `name` is `value`; other facts are not looked at. */
  where(name, value, step) {
    this.lives();
    let groups = this.groups.get(name);
    if (!groups) {
      this.groups.set(name, (groups = new Map()));
      for (let index = 0; index < this.length; index += 1) {
        const of = this.value(name, index);
        if (groups.has(of)) groups.get(of).push(index);
        else groups.set(of, [index]);
      }
    }
    const found = [];
    for (const index of groups.get(value) ?? []) {
      if (this.from[index] > step) break;
      if (this.until[index] > step) found.push(this.row(index));
    }
    return found;
  }

  /** The place of the last fact that began at `step` or before, -1 for none. */
  lastBegun(step) {
    this.lives();
    return lastUpTo(this.length, (index) => this.from[index], step);
  }
}

/** The last of `count` places, in ascending order of `of`, that is not beyond `limit`; -1 for none. */
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
  constructor(tables, strings) {
    this.tables = Object.fromEntries(Object.entries(tables).map(([name, rows]) => [name, new Table(rows, strings)]));
    this.empty = new Table([]);
  }

  /** A table by its name; without facts where there is none. */
  table(name) {
    return this.tables[name] ?? this.empty;
  }

  at(name, step) {
    return this.table(name).at(step);
  }

  /** The facts at `step` whose column is `value`. */
  where(name, column, value, step) {
    return this.table(name).where(column, value, step);
  }

  /** Every row that the table ever has. */
  all(name) {
    return this.table(name).rows;
  }
}
