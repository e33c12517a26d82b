// Packed columns: the forms of ui/payload/columns.py, each unpacked when it is first looked at.
//
// Theory of operation. A table of 100,000 rows is read at a few of them: at a step, those that are true there. So a
// column is a function from a row to its value, and unpacking stops at what that needs: differences are summed up once,
// and a value of a composite form is put together when somebody asks for its row. Text is looked up in the payload's
// own table (`strings`), so that two columns with the same id share one text.
import type { Column, PackedColumn } from "../types/player.ts";

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
