// Turns: the keys that a step touched last are the ones whose lanes are open.
import assert from "node:assert/strict";
import test from "node:test";
import { Facts, keyId } from "../../ui/player/base/facts.ts";
import { Turns } from "../../ui/player/picture/fold.ts";

const KEYS = ["a", "b", "c", "d"];
const LANE_OF = new Map(KEYS.map((key, lane) => [keyId(key), lane]));

/** Turns of a run in which each step opens a window of the next of `keys`. */
function turns(keys, { places, chosen = null, table = "windows" }) {
  const rows = keys.map((key, step) => ({ id: `${key}${step}`, key, from_step: step + 1, until_step: null }));
  return new Turns(new Facts({ [table]: rows }), LANE_OF, places, chosen);
}

test("the lanes of the first keys are open until another key is touched", () => {
  const run = turns(["a", "c"], { places: 2 });
  assert.deepEqual(run.at(0), [0, 1]);
  assert.deepEqual(run.at(1), [0, 1]);
});

test("a key that is touched takes the place of the one touched longest ago; the others keep theirs", () => {
  const run = turns(["a", "c", "d"], { places: 2 });
  assert.deepEqual(run.at(2), [0, 2]);
  assert.deepEqual(run.at(3), [3, 2]);
  assert.deepEqual(run.at(99), [3, 2]);
});

test("going back shows what going forward did", () => {
  const run = turns(["a", "c", "d"], { places: 2 });
  const forward = [0, 1, 2, 3].map((step) => run.at(step));
  const back = [3, 2, 1, 0].map((step) => run.at(step)).reverse();
  assert.deepEqual(back, forward);
});

test("a chosen lane has the first place for good", () => {
  const run = turns(["a", "b", "c"], { places: 2, chosen: 3 });
  assert.deepEqual(
    [0, 1, 2, 3].map((step) => run.at(step)),
    [
      [3, 0],
      [3, 0],
      [3, 1],
      [3, 2],
    ],
  );
});

test("of an operator without windows the queue tells whose turn it is", () => {
  assert.deepEqual(turns(["a", "c"], { places: 2, table: "queue" }).at(2), [0, 2]);
});
