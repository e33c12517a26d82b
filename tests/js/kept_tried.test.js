// The answers to an author's questions, which stay with the entry of the browser's history.
import assert from "node:assert/strict";
import test from "node:test";
import { keepTried, keptTried } from "../../ui/player/base/kept.ts";

/** A browser with one entry of its history. */
function browserAt(state) {
  globalThis.window = { history: { state, replaceState: (next) => (globalThis.window.history.state = next) } };
}

test("an answer is there again after a reload, and others of the entry stay", () => {
  browserAt({ page: 1 });
  keepTried("two-clocks 44", [1]);
  keepTried("two-clocks 60", [0, 2]);
  assert.deepEqual(keptTried("two-clocks 44", 3), [1]);
  assert.deepEqual(keptTried("two-clocks 60", 3), [0, 2]);
  assert.deepEqual(keptTried("late-and-dropped 44", 3), []);
  assert.equal(globalThis.window.history.state.page, 1);
});

test("nothing is kept at first, and what does not fit the question is no answer", () => {
  browserAt(null);
  assert.deepEqual(keptTried("two-clocks 44", 3), []);
  for (const kept of [[3], [-1], [0.5], ["0"], "0", 7]) {
    browserAt({ tidemarkTried: { "two-clocks 44": kept } });
    assert.deepEqual(keptTried("two-clocks 44", 3), []);
  }
});
