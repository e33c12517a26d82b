// A question to the class: what the presenter's keys do at each stage, and who changed their minds.
import assert from "node:assert/strict";
import test from "node:test";
import { moveOf, movement } from "../../ui/player/lecture/poll.ts";

test("Page Down goes from the question to the belief behind its wrong answers", () => {
  assert.equal(moveOf(null, null, 1, false), "ask");
  assert.equal(moveOf("first", null, 1, false), "pause");
  assert.equal(moveOf("talk", "votes", 1, false), "again");
  assert.equal(moveOf("second", null, 1, false), "show");
  assert.equal(moveOf("shown", "answer", 1, true), "belief");
  assert.equal(moveOf("shown", "belief", 1, true), "leave");
  assert.equal(moveOf("shown", "answer", 1, false), "leave");
});

test("Page Up comes back without taking a vote back", () => {
  assert.equal(moveOf("shown", "belief", -1, true), "answer");
  assert.equal(moveOf("shown", "answer", -1, true), "hide");
  assert.equal(moveOf("shown", null, -1, true), "leave");
  assert.equal(moveOf("second", null, -1, false), "votes");
  assert.equal(moveOf("second", "votes", 1, false), "hide");
  assert.equal(moveOf("talk", "votes", -1, false), "hide");
  assert.equal(moveOf("talk", null, 1, false), "votes");
  assert.equal(moveOf("first", null, -1, false), "leave");
});

test("the movement names the largest groups first and counts who stayed", () => {
  const moved = [
    [4, 0, 1],
    [3, 2, 0],
    [0, 0, 0],
  ];
  assert.deepEqual(movement(moved), {
    stayed: 6,
    changes: [
      { from: 1, to: 0, count: 3 },
      { from: 0, to: 2, count: 1 },
    ],
  });
  assert.deepEqual(movement([]), { stayed: 0, changes: [] });
});
