// The search for steps: what a query finds in a run of six steps, and what it says where it finds nothing.
import assert from "node:assert/strict";
import test from "node:test";
import { Facts } from "../../ui/player/base/facts.ts";
import { Times } from "../../ui/player/base/format.ts";
import { StepFinder } from "../../ui/player/frame/finder.ts";
import { QueryProblem } from "../../ui/player/frame/query.ts";

const step = (number, event, touches, watermark) => ({
  from_step: number,
  step: number,
  event,
  touches,
  watermark,
  item: null,
  at: number * 1000,
  place: "operator",
  condition: "",
  what: `Step ${number}: ${event}.`,
  why: "",
});
const RUN = {
  steps: [
    step(0, "Start", [], null),
    step(1, "RecordArrived", ["record:1"], null),
    step(2, "WindowCreated", ["window:a:0"], null),
    step(3, "WatermarkAdvanced", [], 5000),
    step(4, "PaneFired", ["window:a:0"], 5000),
    step(5, "RecordArrived", ["record:2"], 5000),
  ],
  records: [
    { id: "record:1", key: "a", ts: 1000, fate: "on-time", from_step: 1, until_step: null },
    { id: "record:2", key: "b", ts: 2500, fate: "dropped", from_step: 5, until_step: null },
  ],
  windows: [{ id: "window:a:0", key: "a", start: 0, end: 5000, status: "open", from_step: 2, until_step: null }],
};
const NO_OWNER = -1;

function finder() {
  return new StepFinder({
    facts: new Facts(RUN),
    payload: {
      jumps: { firing: [4], late: [], merge: [], watermark: [3], timer: [], checkpoint: [] },
      marks: [{ step: 5, kind: "dropped" }],
      owners: { names: [["a", 0, 5000]], of: [NO_OWNER, NO_OWNER, 0, NO_OWNER, 0, NO_OWNER] },
    },
    times: new Times({ style: "seconds", zone: "UTC", day: null }, {}),
    bookmarks: { has: (at) => at === 1 },
  });
}

for (const [query, found] of [
  ["fired", [4]],
  ["dropped", [5]],
  ["bookmarked", [1]],
  ["PaneFired", [4]],
  ["event = recordarrived", [1, 5]],
  ["key = a", [1, 2, 4]],
  ["key = a and not fired", [1, 2]],
  ["key != a", [5]],
  ["dropped or watermark", [3, 5]],
  ["ts > 2s", [5]],
  ["time = 1s", [1]],
  ["record.fate = dropped", [5]],
  ["fate ~ time", [1]],
  ["[0, 5)", [2, 4]],
  ["window != [0, 5)", []],
  ["end = 5s", [2, 4]],
  ["watermark >= 5s", [3, 4, 5]],
  ["watermark = none", [0, 1, 2]],
  ['"step 3"', [3]],
]) {
  test(`${query} finds ${found.length ? `the steps ${found.join(", ")}` : "nothing"}`, () => {
    assert.deepEqual(finder().find(query).steps, found);
  });
}

test("a value that its column never has is named, with the values that it has", () => {
  const { hint } = finder().find("fate = droped");
  assert.deepEqual(hint, {
    name: "never",
    field: "fate",
    value: "droped",
    near: ["dropped"],
    values: ["dropped", "on-time"],
  });
});

for (const [query, name] of [
  ["firred", "unknown_word"],
  ["fat = dropped", "unknown_field"],
  ["fate", "needs_value"],
  ["ts = soon", "not_a_time"],
  ["fate < dropped", "no_order"],
  ["window = 5", "not_a_window"],
  ["window < [0, 5)", "window_only_equal"],
  ["[0, soon)", "not_a_time"],
]) {
  test(`${query} is refused: ${name}`, () => {
    assert.throws(
      () => finder().find(query),
      (problem) => problem instanceof QueryProblem && problem.name === name,
    );
  });
}
