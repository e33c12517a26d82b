// The scrubber's marks: which of them are drawn as one, and which kind stands for all of them.
import assert from "node:assert/strict";
import test from "node:test";
import { grouped, weightiest } from "../../ui/player/frame/scrubber.ts";

const PIXELS_PER_STEP = 5;
const at = (step) => step * PIXELS_PER_STEP;
const mark = (step, kind) => ({ step, kind });

test("marks closer than 13 px form a group at the place of the first", () => {
  const groups = grouped([mark(0, "fired"), mark(2, "late"), mark(3, "dropped"), mark(9, "fired")], at);
  assert.deepEqual(groups, [
    { place: 0, first: 0, steps: [0, 2], kinds: ["fired", "late"] },
    { place: 15, first: 3, steps: [3], kinds: ["dropped"] },
    { place: 45, first: 9, steps: [9], kinds: ["fired"] },
  ]);
});

test("the highest rank reached so far stands for the group", () => {
  const [group] = grouped([mark(4, "fired"), mark(5, "late"), mark(6, "dropped")], at);
  assert.equal(weightiest(group, 4), "fired");
  assert.equal(weightiest(group, 5), "late");
  assert.equal(weightiest(group, 6), "dropped");
});

test("of a group that lies ahead, all marks count", () => {
  const [group] = grouped([mark(4, "fired"), mark(6, "dropped")], at);
  assert.equal(weightiest(group, 3), "dropped");
});

test("a checkpoint never hides a record that was dropped beside it", () => {
  const [group] = grouped([mark(4, "checkpoint"), mark(5, "dropped")], at);
  assert.equal(weightiest(group, 5), "dropped");
});

test("the marks of a hundred thousand steps do not touch, none is lost, and one that was dropped is seen", () => {
  const marks = Array.from({ length: 100_000 }, (_, step) => mark(step, step === 50_003 ? "dropped" : "fired"));
  const groups = grouped(marks, (step) => step / 100);
  assert.equal(
    groups.reduce((sum, { steps }) => sum + steps.length, 0),
    100_000,
  );
  groups.slice(1).forEach(({ place }, before) => assert.ok(place - groups[before].place >= 13));
  const group = groups.find(({ steps }) => steps.includes(50_003));
  assert.deepEqual(
    [50_002, 50_003, 0].map((step) => weightiest(group, step)),
    ["fired", "dropped", "dropped"],
  );
});
