// Laws: each with the numbers that it compares, as Python counted them; nothing is computed here.
import assert from "node:assert/strict";
import test from "node:test";
import { countsOf, lawNumbers, lawsAt } from "../../ui/player/drawers/laws.ts";
import { Facts } from "../../ui/player/base/facts.ts";

const words = {
  none_yet: "none yet",
  laws: {
    numbers: { all_come: "{came}", all_lost: "{lost} lost, {rows} reported", lowest: "{now} ≤ {lowest}" },
    fates: { "on-time": "in time", dropped: "dropped" },
  },
};
const times = { exact: (/** @type {number} */ ms) => String(ms / 1000) };
const numbersOf = (law, numbers) => lawNumbers(/** @type {any} */ ({ times, words }), { law, numbers });

test("the fates of all records add up, and those that nobody had are left out", () => {
  assert.equal(numbersOf("all_come", { came: 9, "on-time": 7, dropped: 2 }), "9 = 7 in time + 2 dropped");
  assert.equal(numbersOf("all_come", { came: 0, "on-time": 0, dropped: 0 }), "0 = 0");
  assert.equal(numbersOf("all_come", { came: 7, "on-time": 7, dropped: 0 }), "7 = 7 in time");
});

test("a watermark is written as a time, and none as none", () => {
  assert.equal(numbersOf("lowest", { now: 2699, lowest: 3000 }), "2.699 ≤ 3");
  assert.equal(numbersOf("lowest", { now: null, lowest: null }), "none yet");
});

test("the laws of a step come in the order of reading, and those that hold are counted", () => {
  const row = (law, holds, from_step, until_step) => ({
    id: `law:${law}`,
    law,
    holds,
    numbers: {},
    from_step,
    until_step,
  });
  const facts = new Facts({
    laws: [row("forward", true, 0, null), row("all_come", true, 0, 4), row("all_come", false, 4, null)],
  });
  const at = (step) => lawsAt(/** @type {any} */ ({ facts }), step);
  assert.deepEqual(
    at(3).map(({ law }) => law),
    ["all_come", "forward"],
  );
  assert.deepEqual(countsOf(at(3)), { holding: 2, count: 2 });
  assert.deepEqual(countsOf(at(4)), { holding: 1, count: 2 });
});
