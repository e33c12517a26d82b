// Watches: what an expression is at a step, where it turns, and how a link carries several.
import assert from "node:assert/strict";
import test from "node:test";
import { Facts } from "../../ui/player/base/facts.ts";
import { Times } from "../../ui/player/base/format.ts";
import { StepFinder } from "../../ui/player/frame/finder.ts";
import { QueryProblem } from "../../ui/player/frame/query.ts";
import { Watched, expressionsInLink, linkedExpressions } from "../../ui/player/frame/watches.ts";

const LAST_EVENTS = ["Start", "RecordArrived", "TimerRegistered", "WatermarkAdvanced", "PaneFired", "PaneFired"];
const WATERMARKS = [null, null, null, 5000, 5000, 6000];
const timer = (timestamp, from, until) => ({
  id: `timer:${timestamp}`,
  timestamp,
  key: "a",
  from_step: from,
  until_step: until,
});
const RUN = {
  steps: LAST_EVENTS.map((event, at) => ({
    from_step: at,
    step: at,
    event,
    touches: at === 1 ? ["record:0"] : [],
    watermark: WATERMARKS[at],
    item: 0,
    at: at * 1000,
    place: "operator",
    condition: "",
    what: `Step ${at}.`,
    why: "",
  })),
  records: [
    { id: "record:0", ts: 1000, fate: "ahead", key: "a", from_step: 0, until_step: 1 },
    { id: "record:0", ts: 1000, fate: "on-time", key: "a", from_step: 1, until_step: null },
    { id: "record:1", ts: 9000, fate: "ahead", key: "a", from_step: 0, until_step: null },
  ],
  timers: [
    timer(9999, 1, null),
    timer(4999, 2, 4),
    timer(14999, 2, null),
    timer(19999, 2, null),
    timer(24999, 5, null),
  ],
  outputs: [
    { id: "output:0", row: { row: "watermark", watermark: 5000 }, from_step: 3, until_step: null },
    { id: "output:1", row: { row: "pane", key: "a", value: 7 }, from_step: 4, until_step: null },
    { id: "output:2", row: { row: "late", key: "a" }, from_step: 5, until_step: null },
  ],
  counters: [
    { id: "counters", records: 1, panes: 0, from_step: 1, until_step: 4 },
    { id: "counters", records: 1, panes: 2, from_step: 4, until_step: null },
  ],
};
const bookmarked = new Set([2]);

const watched = (text) =>
  new Watched(
    new StepFinder({
      facts: new Facts(RUN),
      payload: {
        jumps: { firing: [4, 5], late: [], merge: [], watermark: [3, 5], timer: [], checkpoint: [] },
        marks: [],
        owners: { names: [], of: [-1, -1, -1, -1, -1, -1] },
      },
      times: new Times({ style: "seconds", zone: "UTC", day: null }, { none_yet: "none yet" }),
      bookmarks: { has: (at) => bookmarked.has(at) },
    }),
    text,
  );

for (const [text, step, value] of [
  ["watermark", 2, "none yet"],
  ["watermark", 4, "5.000"],
  ["clock", 4, "4.000"],
  ["event", 4, "PaneFired"],
  ["timers", 0, "0"],
  ["timers", 2, "4: 4.999, 9.999, 14.999, …"],
  ["Timers", 4, "3: 9.999, 14.999, 19.999"],
  ["records", 0, "0"],
  ["records", 3, "1: 1.0"],
  ["outputs", 3, "0"],
  ["outputs", 5, "2: 7, late"],
  ["counters", 4, "records 1, panes 2"],
  ["fate", 1, "on-time"],
  ["fate", 2, "–"],
  ["watermark >= 5s", 2, false],
  ["watermark >= 5s", 3, true],
  ["fired", 4, true],
  ["not fired", 4, false],
  ["bookmarked", 2, true],
]) {
  test(`${text} is ${value} at step ${step}`, () => assert.equal(watched(text).at(step), value));
}

for (const [text, turns] of [
  ["watermark >= 5s", [3]],
  ["fired", [4]],
  ["not fired", [0]],
  ["watermark", [3, 5]],
  ["timers", [1, 2, 4, 5]],
  ["records", [1]],
  ["outputs", [4, 5]],
  ["item", []],
  ["watermark > 1h", []],
]) {
  test(`${text} turns at ${turns.length ? turns.join(", ") : "no step"}`, () => {
    assert.deepEqual(watched(text).turns, turns);
  });
}

test("what is neither a value nor a query gets the message of the search", () => {
  for (const text of ["timrs", "watermark >=", "fate = (", "state is large"]) {
    assert.throws(() => watched(text), QueryProblem, text);
  }
});

test("other bookmarks turn a condition elsewhere", () => {
  const expression = watched("bookmarked");
  assert.deepEqual(expression.turns, [2]);
  bookmarked.add(4);
  expression.forget();
  assert.deepEqual(expression.turns, [2, 4]);
  bookmarked.delete(4);
});

test("a link carries every expression, whatever is in it", () => {
  const texts = ["timers", '"a; b" or what ~ "50%"', "%3B"];
  const part = String(expressionsInLink(texts));
  assert.equal(part.split(";").length, texts.length);
  assert.deepEqual(linkedExpressions(part), texts);
  assert.equal(expressionsInLink([]), null);
});

test("a part of a link that is damaged holds what can be read", () => {
  assert.deepEqual(linkedExpressions(" timers ;;%zz;100%"), ["timers", "%zz", "100%"]);
  assert.deepEqual(linkedExpressions(null), []);
  assert.deepEqual(linkedExpressions("x".repeat(401)), []);
});
