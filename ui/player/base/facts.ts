// Facts by step: row r is true at step n when r.from_step <= n and (r.until_step is null or n < r.until_step).
import type { Column, FactOf, PackedColumn, PackedTable, PackedTables, Tables } from "../types/player.ts";
import type { Fact, Json, PlainKey } from "#types/payload";

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

// Packed columns: the forms of ui/payload/columns.py, each unpacked when it is first looked at.
//
// Theory of operation. A table of 100,000 rows is read at a few of them: at a step, those that are true there. So a
// column is a function from a row to its value, and unpacking stops at what that needs: differences are summed up once,
// and a value of a composite form is put together when somebody asks for its row. Text is looked up in the payload's
// own table (`strings`), so that two columns with the same id share one text.

type Packed = Omit<PackedColumn, "k">;

/**
 * A column: `get(row)` is the value of a row.
 * @param strings the texts of the payload
 */
export function columnOf({ k: form, ...packed }: PackedColumn, strings: string[] = []): Column {
  return {
    same: sameColumn,
    ints: intColumn,
    dict: dictColumn,
    text: textColumn,
    list: listColumn,
    rec: recordColumn,
    mix: mixedColumn,
    raw: rawColumn,
  }[form](packed, strings);
}

function sameColumn({ v }: Packed): Column {
  return { get: () => v };
}

function rawColumn({ v }: Packed): Column {
  return { get: (row) => v[row] };
}

function intColumn({ d, v, n }: Packed): Column {
  const numbers = d ? summed(v) : v;
  if (!n) return { get: (row) => numbers[row] };
  const empty = new Uint8Array(v.length);
  for (const row of summed(n)) empty[row] = 1;
  return { get: (row) => (empty[row] ? null : numbers[row]) };
}

/** The numbers whose differences these are. */
function summed(differences: number[]) {
  const numbers = new Float64Array(differences.length);
  let sum = 0;
  for (let i = 0; i < differences.length; i += 1) numbers[i] = sum += differences[i];
  return numbers;
}

function dictColumn({ t, v }: Packed, strings: string[]): Column {
  const distinct = later(() => columnOf(t, strings));
  return { get: (row) => distinct().get(v[row]) };
}

function textColumn({ v }: Packed, strings: string[]): Column {
  const places = columnOf(v, strings);
  return { get: (row) => strings[places.get(row)] };
}

function listColumn({ l, c }: Packed, strings: string[]): Column {
  const elements = later(() => columnOf(c, strings));
  const starts = later(() => {
    const lengths = columnOf(l.lengths);
    const found = new Int32Array(l.rows + 1);
    for (let row = 0; row < l.rows; row += 1) found[row + 1] = found[row] + lengths.get(row);
    return found;
  });
  return {
    get: (row) => {
      const found = [];
      for (let i = starts()[row]; i < starts()[row + 1]; i += 1) found.push(elements().get(i));
      return found;
    },
  };
}

function recordColumn({ f, v, c }: Packed, strings: string[]): Column {
  const shape = columnOf(v.kinds);
  const members = Object.fromEntries(
    Object.entries(c as { [name: string]: PackedColumn }).map(([name, packed]) => [
      name,
      later(() => columnOf(packed, strings)),
    ]),
  );
  const places = later(() => {
    const seen: { [name: string]: number } = {};
    const found = Object.fromEntries(Object.keys(c).map((name) => [name, new Int32Array(v.rows)]));
    for (let row = 0; row < v.rows; row += 1) {
      for (const name of f[shape.get(row)]) {
        found[name][row] = seen[name] ?? 0;
        seen[name] = found[name][row] + 1;
      }
    }
    return found;
  });
  const alone = f.length === 1;
  return {
    get: (row) => {
      const record: { [name: string]: unknown } = {};
      for (const name of f[shape.get(row)]) record[name] = members[name]().get(alone ? row : places()[name][row]);
      return record;
    },
  };
}

function mixedColumn({ v, c }: Packed, strings: string[]): Column {
  const places = placesOf(v);
  const kinds = c.map((packed: PackedColumn) => later(() => columnOf(packed, strings)));
  return {
    get: (row) => {
      const [kind, place] = places(row);
      return kinds[kind]().get(place);
    },
  };
}

/** For a row its kind, and how many rows before it are of that kind: its place in the column of the kind. */
function placesOf({ rows, kinds }: { rows: number; kinds: PackedColumn }) {
  const kind = columnOf(kinds);
  const places = later(() => {
    const seen: number[] = [];
    const found = new Int32Array(rows);
    for (let row = 0; row < rows; row += 1) {
      const here = kind.get(row);
      found[row] = seen[here] ?? 0;
      seen[here] = found[row] + 1;
    }
    return found;
  });
  return (row: number) => [kind.get(row), places()[row]];
}

/** What `make` returns, made once and when it is asked for. */
function later<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

// What comes from the server in packed form.

/** @param bytes a gzipped text */
export function unpackText(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

/** @param bytes gzipped JSON */
export async function unpack(bytes: Uint8Array<ArrayBuffer>): Promise<any> {
  return JSON.parse(await unpackText(bytes));
}

/**
 * Takes apart what `packed_answer` of ui/share/answers.py makes: four bytes for the length of what is said, that as
 * JSON, and then the bytes of a file, which may be empty.
 */
export function readAnswer(bytes: Uint8Array<ArrayBuffer>): { said: any; body: Uint8Array<ArrayBuffer> } {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
  const said = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  return { said, body: bytes.slice(4 + length) };
}

/** Whether a page that runs again is handed the same bytes. */
export function sameBytes(a: Uint8Array | null, b: Uint8Array | null) {
  return a !== null && b !== null && a.length === b.length && a.every((byte, index) => byte === b[index]);
}

// The identity of things, as simulator/timeline/ids.py makes it: ids are compared, never taken apart. Only the kind of
// thing, which stands before the first colon, is read.

/** A key as JSON, so that `1`, `"1"` and `true` are three keys. */
export function keyId(key: PlainKey | undefined) {
  return JSON.stringify(key);
}

/** The record that is stream item `item`. */
export function recordId(item: number) {
  return `record:${item}`;
}

/** A record of a join as its pairs show it, which say nothing of its item. */
export function pairedId(side: string, key: PlainKey | undefined, { ts, value }: { ts: number | null; value: Json }) {
  return JSON.stringify([side, key, ts, value]);
}

/** The kind of thing that an id names: `window`, `record`, `queue`, `buffer`, … */
export function kindOf(id: string) {
  return id.slice(0, id.indexOf(":"));
}
