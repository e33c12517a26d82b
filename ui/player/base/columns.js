// Packed columns: the forms of ui/payload/columns.py, each unpacked when it is first looked at.
//
// Theory of operation. A table of 100,000 rows is read at a few of them: at a step, those that are true there. So a
// column is a function from a row to its value, and unpacking stops at what that needs: differences are summed up once,
// and a value of a composite form is put together when somebody asks for its row. Text is looked up in the payload's
// own table (`strings`), so that two columns with the same id share one text.
/** @import { Column, PackedColumn } from "../types/player.d.ts" */

/** @typedef {Omit<PackedColumn, "k">} Packed */

/**
 * A column: `get(row)` is the value of a row.
 * @param {PackedColumn} packed
 * @param {string[]} [strings] the texts of the payload
 * @returns {Column}
 */
export function columnOf({ k: form, ...packed }, strings = []) {
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

/**
 * @param {Packed} packed
 * @returns {Column}
 */
function sameColumn({ v }) {
  return { get: () => v };
}

/**
 * @param {Packed} packed
 * @returns {Column}
 */
function rawColumn({ v }) {
  return { get: (row) => v[row] };
}

/**
 * @param {Packed} packed
 * @returns {Column}
 */
function intColumn({ d, v, n }) {
  const numbers = d ? summed(v) : v;
  if (!n) return { get: (row) => numbers[row] };
  const empty = new Uint8Array(v.length);
  for (const row of summed(n)) empty[row] = 1;
  return { get: (row) => (empty[row] ? null : numbers[row]) };
}

/**
 * The numbers whose differences these are.
 * @param {number[]} differences
 */
function summed(differences) {
  const numbers = new Float64Array(differences.length);
  let sum = 0;
  for (let i = 0; i < differences.length; i += 1) numbers[i] = sum += differences[i];
  return numbers;
}

/**
 * @param {Packed} packed
 * @param {string[]} strings
 * @returns {Column}
 */
function dictColumn({ t, v }, strings) {
  const distinct = later(() => columnOf(t, strings));
  return { get: (row) => distinct().get(v[row]) };
}

/**
 * @param {Packed} packed
 * @param {string[]} strings
 * @returns {Column}
 */
function textColumn({ v }, strings) {
  const places = columnOf(v, strings);
  return { get: (row) => strings[places.get(row)] };
}

/**
 * @param {Packed} packed
 * @param {string[]} strings
 * @returns {Column}
 */
function listColumn({ l, c }, strings) {
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

/**
 * @param {Packed} packed
 * @param {string[]} strings
 * @returns {Column}
 */
function recordColumn({ f, v, c }, strings) {
  const shape = columnOf(v.kinds);
  const members = Object.fromEntries(
    Object.entries(/** @type {{ [name: string]: PackedColumn }} */ (c)).map(([name, packed]) => [
      name,
      later(() => columnOf(packed, strings)),
    ]),
  );
  const places = later(() => {
    /** @type {{ [name: string]: number }} */
    const seen = {};
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
      /** @type {{ [name: string]: unknown }} */
      const record = {};
      for (const name of f[shape.get(row)]) record[name] = members[name]().get(alone ? row : places()[name][row]);
      return record;
    },
  };
}

/**
 * @param {Packed} packed
 * @param {string[]} strings
 * @returns {Column}
 */
function mixedColumn({ v, c }, strings) {
  const places = placesOf(v);
  const kinds = c.map((/** @type {PackedColumn} */ packed) => later(() => columnOf(packed, strings)));
  return {
    get: (row) => {
      const [kind, place] = places(row);
      return kinds[kind]().get(place);
    },
  };
}

/**
 * For a row its kind, and how many rows before it are of that kind: its place in the column of the kind.
 * @param {{ rows: number, kinds: PackedColumn }} packed
 */
function placesOf({ rows, kinds }) {
  const kind = columnOf(kinds);
  const places = later(() => {
    /** @type {number[]} */
    const seen = [];
    const found = new Int32Array(rows);
    for (let row = 0; row < rows; row += 1) {
      const here = kind.get(row);
      found[row] = seen[here] ?? 0;
      seen[here] = found[row] + 1;
    }
    return found;
  });
  return (/** @type {number} */ row) => [kind.get(row), places()[row]];
}

/**
 * What `make` returns, made once and when it is asked for.
 * @template T
 * @param {() => T} make
 * @returns {() => T}
 */
function later(make) {
  /** @type {T | undefined} */
  let made;
  return () => (made ??= make());
}
