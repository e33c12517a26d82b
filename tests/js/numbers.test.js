// The sentence is taken apart at the numbers that can be changed, in their order.
import assert from "node:assert/strict";
import test from "node:test";
import { split } from "../../ui/player/frame/head.ts";

const number = (name, text) => ({ name, text, label: name, value: text });

test("each number is found once, in order, and not within another one", () => {
  const [size, bound] = [number("size", "2 s"), number("bound", "2 s")];
  const left = [size, bound];
  assert.deepEqual(split("12 s and 2 s windows", left), ["12 s and ", size, " windows"]);
  assert.deepEqual(split("waits 2 s", left), ["waits ", bound]);
  assert.deepEqual(split("again 2 s", left), ["again 2 s"]);
});
