// The identity of things; tests/timeline/test_state_facts.py holds the same for Python.
import assert from "node:assert/strict";
import test from "node:test";
import { keyId, kindOf, pairedId, recordId } from "../../ui/player/base/facts.ts";

test("keys of different kinds are different keys", () => {
  assert.deepEqual([1, "1", true, "true", "é"].map(keyId), ["1", '"1"', "true", '"true"', '"é"']);
});

test("an id begins with the kind of thing", () => {
  assert.equal(recordId(3), "record:3");
  assert.equal(kindOf('window:"a:b"|0|5000'), "window");
});

test("a record of a pair is known by its side, key, time and value", () => {
  const [one, other] = [1, "1"].map((value) => pairedId("left", "a", { ts: 5, value }));
  assert.notEqual(one, other);
});
