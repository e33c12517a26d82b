// Pointers stand beside their marks, and on no other one.
import { test } from "node:test";
import assert from "node:assert/strict";
import { pointersOf } from "../../ui/player/picture/scene.ts";

const DOT = 20;
const left = (/** @type {string} */ id) => /** @type {any} */ ({ id, right: false });
const right = (/** @type {string} */ id) => /** @type {any} */ ({ id, right: true });

test("a pointer stands on the side by which the record came in", () => {
  const at = new Map([
    ["a", { x: 50, y: 50 }],
    ["b", { x: 150, y: 50 }],
  ]);
  const found = pointersOf([left("a"), right("b")], at, DOT);
  assert.deepEqual(
    [...found],
    [
      ["a", { x: 34, y: 50 }],
      ["b", { x: 166, y: 50 }],
    ],
  );
});

test("where a neighbour's mark is in the way, it stands below or above", () => {
  const at = new Map([
    ["a", { x: 50, y: 50 }],
    ["b", { x: 30, y: 50 }],
  ]);
  assert.deepEqual(pointersOf([left("a")], at, DOT).get("a"), { x: 46, y: 66 });
  at.set("c", { x: 48, y: 70 });
  assert.deepEqual(pointersOf([left("a")], at, DOT).get("a"), { x: 46, y: 34 });
});

test("without any room there is none", () => {
  const at = new Map([
    ["a", { x: 50, y: 50 }],
    ["b", { x: 30, y: 50 }],
    ["c", { x: 48, y: 70 }],
    ["d", { x: 48, y: 30 }],
  ]);
  assert.equal(pointersOf([left("a")], at, DOT).has("a"), false);
});
