// What a record's mark carries and what stands beside it: its key, or the number in the order of processing.
import assert from "node:assert/strict";
import test from "node:test";
import { carriedBy, labelOf } from "../../ui/player/picture/layout.ts";

const LARGE = 22;
const SMALL = 10;
const NUMBERS = new Map([["record:5", "5"]]);
const record = (more = {}) => ({ id: "record:5", fate: "on-time", letter: "a", text: "7", full: "a 7", ...more });

test("a mark carries the key, and the label the value", () => {
  assert.equal(carriedBy(record(), LARGE, null), "a");
  assert.equal(labelOf(record(), LARGE, null), "7");
});

test("with the order of processing it carries the number, and the label has the key as well", () => {
  assert.equal(carriedBy(record(), LARGE, NUMBERS), "5");
  assert.equal(labelOf(record(), LARGE, NUMBERS), "a 7");
});

test("where a mark has no room, or is a cross, the number stands in the label", () => {
  assert.equal(carriedBy(record(), SMALL, NUMBERS), "");
  assert.equal(labelOf(record(), SMALL, NUMBERS), "#5 a 7");
  assert.equal(carriedBy(record({ fate: "dropped" }), LARGE, NUMBERS), "");
  assert.equal(labelOf(record({ fate: "dropped" }), LARGE, NUMBERS), "#5 a 7");
});
