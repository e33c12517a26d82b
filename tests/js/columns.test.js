// Packed columns, in every form that ui/payload/columns.py writes.
import assert from "node:assert/strict";
import test from "node:test";
import { columnOf } from "../../ui/player/base/facts.ts";

function values(packed, rows) {
  const column = columnOf(packed);
  return Array.from({ length: rows }, (_, row) => column.get(row));
}

test("same: one value for all rows", () => {
  assert.deepEqual(values({ k: "same", v: "open" }, 3), ["open", "open", "open"]);
});

test("raw: the values as they are", () => {
  assert.deepEqual(values({ k: "raw", v: [1, "a", null] }, 3), [1, "a", null]);
});

test("ints: whole numbers, or the differences between them", () => {
  assert.deepEqual(values({ k: "ints", v: [5, 3, 8] }, 3), [5, 3, 8]);
  assert.deepEqual(values({ k: "ints", v: [1000, 500, -200], d: 1 }, 3), [1000, 1500, 1300]);
});

test("ints: the rows without a number are named, by differences too", () => {
  assert.deepEqual(values({ k: "ints", v: [7, 0, 9, 0], n: [1, 2] }, 4), [7, null, 9, null]);
});

test("dict: the place of each value among the distinct ones", () => {
  assert.deepEqual(values({ k: "dict", t: { k: "raw", v: ["on-time", "late"] }, v: [0, 1, 0] }, 3), [
    "on-time",
    "late",
    "on-time",
  ]);
});

test("text: the place of each text in the table of the payload", () => {
  const column = columnOf({ k: "text", v: { k: "ints", v: [2, 0, 2] } }, ["record:0", "record:1", "window:a"]);
  assert.deepEqual([0, 1, 2].map(column.get), ["window:a", "record:0", "window:a"]);
});

test("list: the elements of all rows, one after another, and how many each row has", () => {
  const packed = { k: "list", l: { rows: 3, lengths: { k: "raw", v: [2, 0, 1] } }, c: { k: "ints", v: [4, 5, 6] } };
  assert.deepEqual(values(packed, 3), [[4, 5], [], [6]]);
});

test("mix: a column for each kind of value", () => {
  const kinds = { rows: 4, kinds: { k: "raw", v: [0, 1, 0, 1] } };
  const columns = [
    { k: "ints", v: [1, 2] },
    { k: "raw", v: ["a", "b"] },
  ];
  assert.deepEqual(values({ k: "mix", v: kinds, c: columns }, 4), [1, "a", 2, "b"]);
});

test("rec: a row has the names of its shape, in their order", () => {
  const packed = {
    k: "rec",
    f: [
      ["ts", "value"],
      ["key", "ts"],
    ],
    v: { rows: 3, kinds: { k: "raw", v: [0, 1, 0] } },
    c: { ts: { k: "ints", v: [1, 2, 3] }, value: { k: "raw", v: [true, null] }, key: { k: "raw", v: ["a"] } },
  };
  const found = values(packed, 3);
  assert.deepEqual(found, [
    { ts: 1, value: true },
    { key: "a", ts: 2 },
    { ts: 3, value: null },
  ]);
  assert.deepEqual(Object.keys(found[1]), ["key", "ts"]);
});
