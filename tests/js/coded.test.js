// What stands between backticks in a message is shown as code, and nothing in it becomes markup.
import assert from "node:assert/strict";
import { test } from "node:test";
import { coded } from "../../ui/player/base/dom.ts";

/** As much of a document as `el` needs. */
const DOCUMENT = /** @type {any} */ ({
  createElement: (/** @type {string} */ tag) => ({ tag, className: "", textContent: "" }),
});

/** @param {string} text */
function shown(text) {
  globalThis.document = DOCUMENT;
  return coded(text).map((each) => (typeof each === "string" ? each : { code: each.textContent }));
}

test("members and values become code", () => {
  assert.deepEqual(shown("`-5s` is too short; write `bound: 0s`"), [
    { code: "-5s" },
    " is too short; write ",
    { code: "bound: 0s" },
  ]);
});

test("a text without backticks, or with a single one, stays as it is", () => {
  assert.deepEqual(shown("It fires."), ["It fires."]);
  assert.deepEqual(shown("the key is a`b"), ["the key is a`b"]);
  assert.deepEqual(shown("``"), ["``"]);
  assert.deepEqual(shown(""), []);
});

test("markup stays text", () => {
  assert.deepEqual(shown("`<img src=x>` is no key"), [{ code: "<img src=x>" }, " is no key"]);
});
