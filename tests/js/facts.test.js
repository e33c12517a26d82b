// Facts: which rows are true at a step, from rows as they are and from packed columns alike.
import assert from "node:assert/strict";
import test from "node:test";
import { Facts, Table, lastUpTo } from "../../ui/player/base/facts.ts";

const WINDOWS = [
  { id: "w1", key: "a", from_step: 0, until_step: 3 },
  { id: "w2", key: "b", from_step: 1, until_step: null },
  { id: "w1", key: "a", from_step: 3, until_step: 5 },
];
const PACKED = {
  rows: 3,
  columns: {
    id: { k: "raw", v: ["w1", "w2", "w1"] },
    key: { k: "dict", t: { k: "raw", v: ["a", "b"] }, v: [0, 1, 0] },
    from_step: { k: "ints", v: [0, 1, 2], d: 1 },
    until_step: { k: "ints", v: [3, 0, 5], n: [1] },
  },
};

for (const [form, rows] of [
  ["rows", WINDOWS],
  ["packed columns", PACKED],
]) {
  test(`a fact is true from its first step up to, and not at, its last: ${form}`, () => {
    const table = new Table(rows);
    const begun = (step) => table.at(step).map((row) => [row.id, row.from_step]);
    assert.deepEqual(begun(0), [["w1", 0]]);
    assert.deepEqual(begun(2), [
      ["w1", 0],
      ["w2", 1],
    ]);
    assert.deepEqual(begun(3), [
      ["w2", 1],
      ["w1", 3],
    ]);
    assert.deepEqual(begun(5), [["w2", 1]]);
  });

  test(`facts are found by the value of a column: ${form}`, () => {
    const table = new Table(rows);
    assert.deepEqual(
      table.where("key", "a", 4).map((row) => row.from_step),
      [3],
    );
    assert.deepEqual(table.where("key", "a", 5), []);
    assert.deepEqual(table.where("key", "nobody", 4), []);
  });
}

test("a packed row is made once, so that it can be told apart by identity", () => {
  const table = new Table(PACKED);
  assert.equal(table.row(1), table.row(1));
  assert.deepEqual(table.row(1), WINDOWS[1]);
  assert.deepEqual(table.rows, WINDOWS);
});

test("a derived column is read like the others, and changes once the table forgets its rows", () => {
  const table = new Table(PACKED);
  let level = "novice";
  table.derive("what", (index) => `${level} ${index}`);
  assert.equal(table.row(2).what, "novice 2");
  level = "source";
  assert.equal(table.row(2).what, "novice 2");
  table.forget();
  assert.equal(table.row(2).what, "source 2");
});

test("a table of thousands of rows finds the same facts as a filter of all of them, at every step", () => {
  const rows = Array.from({ length: 3000 }, (_, index) => ({
    id: String(index),
    from_step: Math.floor(index / 2),
    until_step: index % 7 === 0 ? null : Math.floor(index / 2) + ((index * 37) % 400) + 1,
  }));
  const table = new Table(rows);
  for (let step = 0; step < 1600; step += 13) {
    const alive = rows.filter((row) => row.from_step <= step && (row.until_step === null || step < row.until_step));
    assert.deepEqual(
      table.at(step).map((row) => row.id),
      alive.map((row) => row.id),
      `step ${step}`,
    );
  }
});

test("a scenario has no facts in a table that it does not have", () => {
  const facts = new Facts({ windows: WINDOWS });
  assert.deepEqual(facts.at("timers", 0), []);
  assert.deepEqual(facts.all("timers"), []);
  assert.equal(facts.at("windows", 0).length, 1);
});

test("the last place that is not beyond a limit", () => {
  const steps = [0, 4, 4, 9];
  const last = (limit) => lastUpTo(steps.length, (place) => steps[place], limit);
  assert.deepEqual([-1, 0, 3, 4, 8, 9, 100].map(last), [-1, 0, 0, 2, 2, 3, 3]);
  assert.equal(
    lastUpTo(0, () => 0, 5),
    -1,
  );
});
