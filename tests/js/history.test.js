// The draft of the Author page: undo, redo, and what a browser that forbids storage does to it.
import assert from "node:assert/strict";
import test, { beforeEach } from "node:test";
import { History, earlierDrafts, keptDraft, nameIn, titleIn } from "../../ui/author/history.js";

/** What a browser keeps: `forbidden` refuses to store anything, `room` is the most characters of one entry. */
class Storage extends Map {
  room = Infinity;

  getItem(key) {
    return this.get(key) ?? null;
  }

  setItem(key, value) {
    if (value.length > this.room) throw new Error("QuotaExceededError");
    this.set(key, value);
  }
}

const window = {};

beforeEach(() => {
  window.localStorage = new Storage();
  Object.assign(globalThis, { window });
});

test("every edit can be taken back, and made again", () => {
  const history = new History({ texts: ["a"] });
  history.push("ab");
  history.push("abc");
  history.undo();
  history.undo();
  history.undo();
  assert.deepEqual([history.text, history.canUndo, history.canRedo], ["a", false, true]);
  history.redo();
  assert.equal(history.text, "ab");
});

test("an edit after an undo takes the place of what was undone", () => {
  const history = new History({ texts: ["a"] });
  history.push("ab");
  history.undo();
  history.push("ac");
  assert.deepEqual(history.texts, ["a", "ac"]);
  assert.equal(history.canRedo, false);
});

test("the same text twice is one edit", () => {
  const history = new History({ texts: ["a"] });
  history.push("a");
  assert.deepEqual(history.texts, ["a"]);
});

test("the oldest texts go when there are too many, the newest two never", () => {
  const history = new History({ texts: ["0"] });
  for (let number = 1; number <= 200; number += 1) history.push(String(number));
  assert.equal(history.texts.length, 120);
  assert.equal(history.text, "200");
  const large = new History({ texts: ["x".repeat(2_000_000)] });
  large.push("y".repeat(2_000_000));
  assert.equal(large.texts.length, 2);
});

test("a draft is saved as long as its text is the one in the file", () => {
  const history = new History({ texts: ["a"] });
  history.savedAs("name", "digest", "a");
  assert.equal(history.isSaved, true);
  history.push("b");
  assert.equal(history.isSaved, false);
  history.undo();
  assert.equal(history.isSaved, true);
});

test("the browser keeps the draft over a reload", () => {
  const history = new History({ texts: ["a"], origin: "template" });
  history.push("ab");
  history.undo();
  const kept = keptDraft();
  assert.deepEqual([kept.text, kept.texts, kept.origin, kept.canRedo], ["a", ["a", "ab"], "template", true]);
});

test("where there is no room for all texts, the last one is kept", () => {
  window.localStorage.room = 300;
  const history = new History({ texts: ["a".repeat(150)] });
  history.push("b".repeat(150));
  assert.deepEqual(keptDraft().texts, ["b".repeat(150)]);
});

test("storage that is forbidden or broken keeps nothing, and breaks nothing", () => {
  window.localStorage.room = 0;
  new History({ texts: ["a"] }).push("b");
  assert.equal(keptDraft(), null);
  window.localStorage.set("tidemark.author", "{");
  assert.equal(keptDraft(), null);
  window.localStorage.set("tidemark.author", '{"texts": ["a"], "place": 7}');
  assert.equal(keptDraft().text, "a");
});

test("the five drafts that made room for another are kept, each once", () => {
  for (const text of ["a", "b", "a", "c", "d", "e", "f"]) new History({ texts: [text] }).putAway();
  assert.deepEqual(
    earlierDrafts().map((each) => each.text),
    ["f", "e", "d", "c", "a"],
  );
});

test("name and title are read from the text even where it does not run", () => {
  assert.equal(nameIn("scenario: 1\nname: my-run # mine\n"), "my-run");
  assert.equal(nameIn("name: No Name"), null);
  assert.equal(titleIn('title: "Late data"\n'), "Late data");
  assert.equal(titleIn("title: {en: Late data}"), null);
});
