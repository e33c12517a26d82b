// How facts are read for the screen: marks for kinds, and what a window holds.
import assert from "node:assert/strict";
import test from "node:test";
import { Facts } from "../../ui/player/base/facts.ts";
import {
  fateMark,
  namedValue,
  outputsToShow,
  sided,
  timingMark,
  windowContents,
} from "../../ui/player/base/reading.ts";

test("a record's mark follows its fate; one without a fate is still ahead", () => {
  assert.deepEqual(["on-time", "late-accepted", "dropped", "side", "skipped", "ahead"].map(fateMark), [
    "on-time",
    "late",
    "dropped",
    "side",
    "dropped",
    "ahead",
  ]);
});

test("a pane's mark follows its timing", () => {
  assert.deepEqual(["early", "on-time", "late"].map(timingMark), ["early", "fired", "update"]);
});

test("a value is named, but the fields of a mapping name themselves", () => {
  const words = { why: { about_value: "value {value}" } };
  assert.equal(namedValue(9, words, 20), "value 9");
  assert.equal(namedValue({ price: 9 }, words, 20), "price 9");
});

test("side and input of a join are put into words where there are any", () => {
  const words = { picture: { left: "Orders" } };
  assert.deepEqual(sided({ key: "a", side: "left", input: "shop" }, words), {
    key: "a",
    side: "Orders",
    input: "shop",
  });
});

const CONTENTS = [
  { id: "c2", holder: "w", order: 2, value: "second", from_step: 1, until_step: 4 },
  { id: "c1", holder: "w", order: 1, value: "first", from_step: 2, until_step: 4 },
  { id: "c3", holder: "other", order: 0, value: "elsewhere", from_step: 0, until_step: null },
];

test("the contents of a window come in the order in which they are held", () => {
  const contents = new Facts({ contents: CONTENTS });
  // `Facts.where` needs a Map.groupBy, which older versions of Node do not have.
  const where = (name, column, value, step) => contents.at(name, step).filter((each) => each[column] === value);
  const held = (status, step) => windowContents({ where }, { holder: "w", status }, step).map((each) => each.value);
  assert.deepEqual(held("open", 1), ["second"]);
  assert.deepEqual(held("open", 3), ["first", "second"]);
  assert.deepEqual(held("open", 4), []);
  assert.deepEqual(held("merged", 3), []);
});

test("watermarks and batches are not results", () => {
  const outputs = ["fire", "watermark", "batch", "dropped"].map((row, step) => ({
    id: `o${step}`,
    row: { row },
    from_step: step,
    until_step: null,
  }));
  const shown = outputsToShow(new Facts({ outputs }), 3).map((fact) => fact.row.row);
  assert.deepEqual(shown, ["fire", "dropped"]);
});
