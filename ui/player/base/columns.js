// Packed columns (ui/payload/columns.py lists their forms): each is unpacked when it is first looked at.

/** A column: `get(row)` is the value of a row, `of(rows)` as numbers for those that are whole numbers. */
export function columnOf({ k: form, ...packed }) {
  return {
    same: sameColumn,
    ints: intColumn,
    dict: dictColumn,
    text: textColumn,
    list: listColumn,
    rec: recordColumn,
    mix: mixedColumn,
    raw: rawColumn,
  }[form](packed);
}

function sameColumn({ v }) {
  return { get: () => v };
}

function rawColumn({ v }) {
  return { get: (row) => v[row] };
}

function intColumn({ d, v, n }) {
  const numbers = d ? summed(v) : v;
  if (!n) return { get: (row) => numbers[row] };
  const empty = new Uint8Array(v.length);
  for (const row of summed(n)) empty[row] = 1;
  return { get: (row) => (empty[row] ? null : numbers[row]) };
}

/** The numbers whose differences these are. */
function summed(differences) {
  const numbers = new Float64Array(differences.length);
  let sum = 0;
  for (let i = 0; i < differences.length; i += 1) numbers[i] = sum += differences[i];
  return numbers;
}

function dictColumn({ t, v }) {
  const distinct = later(() => columnOf(t));
  return { get: (row) => distinct().get(v[row]) };
}

/** Texts from patterns: a 0 stands for a number, a 1 and a digit for one with leading zeros, so many digits wide. */
function textColumn({ t, v, s }) {
  const places = placesOf(v);
  const patterns = t.map((pattern, index) =>
    later(() => ({ pieces: piecesOf(pattern), numbers: s[index].map(columnOf) })),
  );
  return {
    get: (row) => {
      const [kind, place] = places(row);
      const { pieces, numbers } = patterns[kind]();
      let text = pieces[0].text;
      for (let i = 0; i < numbers.length; i += 1) {
        text += String(numbers[i].get(place)).padStart(pieces[i + 1].width, "0") + pieces[i + 1].text;
      }
      return text;
    },
  };
}

/** A pattern cut at its slots: the text after each, and the width of its number. */
function piecesOf(pattern) {
  // eslint-disable-next-line no-control-regex -- the control characters stand for the slots
  const cut = pattern.split(/(\u0000|\u0001.)/s);
  const pieces = [{ text: cut[0], width: 0 }];
  for (let i = 1; i < cut.length; i += 2) {
    pieces.push({ text: cut[i + 1], width: cut[i].length > 1 ? cut[i].charCodeAt(1) - 48 : 0 });
  }
  return pieces;
}

function listColumn({ l, c }) {
  const elements = later(() => columnOf(c));
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

function recordColumn({ f, v, c }) {
  const shape = columnOf(v.kinds);
  const members = Object.fromEntries(Object.entries(c).map(([name, packed]) => [name, later(() => columnOf(packed))]));
  const places = later(() => {
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
      const record = {};
      for (const name of f[shape.get(row)]) record[name] = members[name]().get(alone ? row : places()[name][row]);
      return record;
    },
  };
}

function mixedColumn({ v, c }) {
  const places = placesOf(v);
  const kinds = c.map((packed) => later(() => columnOf(packed)));
  return {
    get: (row) => {
      const [kind, place] = places(row);
      return kinds[kind]().get(place);
    },
  };
}

/** For a row its kind, and how many rows before it are of that kind: its place in the column of the kind. */
function placesOf({ rows, kinds }) {
  const kind = columnOf(kinds);
  const places = later(() => {
    const seen = [];
    const found = new Int32Array(rows);
    for (let row = 0; row < rows; row += 1) {
      const here = kind.get(row);
      found[row] = seen[here] ?? 0;
      seen[here] = found[row] + 1;
    }
    return found;
  });
  return (row) => [kind.get(row), places()[row]];
}

/** What `make` gives, made once and when it is asked for. */
function later(make) {
  let made;
  return () => (made ??= make());
}
