// Whether a rule held, from its formula and the comparison as it was true; which channel holds the watermark back.
import assert from "node:assert/strict";
import test from "node:test";
import { holderOf } from "../../ui/player/base/reading.ts";
import { doesHold } from "../../ui/player/why/record.ts";

test("a rule does not hold where the comparison says the opposite", () => {
  assert.equal(doesHold("max_timestamp <= watermark", [4999, "<=", 5599]), true);
  assert.equal(doesHold("max_timestamp <= watermark", [4999, ">", 2699]), false);
  assert.equal(doesHold("timestamp < watermark", [8000, ">=", 4999]), false);
});

test("of channels that are equally far none holds the watermark back, of others the slowest", () => {
  const channel = (watermark, holds, aligned = true) => ({ watermark, holds, aligned });
  assert.equal(holderOf([channel(null, true), channel(null, false)]), null);
  assert.equal(holderOf([channel(5, true), channel(5, false)]), null);
  assert.equal(holderOf([channel(5, true)]), null, "the only one");
  assert.equal(holderOf([channel(5, true), channel(9, false, false)]), null, "the other is idle");
  assert.deepEqual(holderOf([channel(9, false), channel(null, true)]), channel(null, true));
});
