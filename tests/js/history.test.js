// The drafts of the Author page: undo, redo, what a browser keeps of them, and what two tabs do to each other.
import assert from "node:assert/strict";
import node from "node:test";
import { allDrafts, packTexts, removeDraft, unpackTexts } from "../../ui/author/drafts.ts";
import { History, keptDraft, nameIn, titleIn } from "../../ui/author/history.ts";
import { placeEdit } from "../../ui/author/grips.ts";

/** What a browser keeps: `forbidden` refuses to store anything, `room` is the most characters of all. */
class Storage extends Map {
  room = Infinity;

  getItem(key) {
    return this.get(key) ?? null;
  }

  setItem(key, value) {
    const others = [...this].reduce((sum, [name, text]) => sum + (name === key ? 0 : text.length), 0);
    if (value.length + others > this.room) throw new Error("QuotaExceededError");
    this.set(key, value);
  }

  removeItem(key) {
    this.delete(key);
  }

  key(index) {
    return [...this.keys()][index] ?? null;
  }

  get length() {
    return this.size;
  }
}

/** As another tab would change the stored draft. */
function changedElsewhere(id, texts) {
  const key = `tidemark.author.draft.${id}`;
  const there = JSON.parse(window.localStorage.getItem(key));
  window.localStorage.setItem(key, JSON.stringify({ ...there, texts, place: 0, turn: there.turn + 1, by: "other" }));
}

const window = { dispatchEvent: () => true };

/** A test that begins with an empty storage. */
function test(name, run) {
  node(name, () => {
    window.localStorage = new Storage();
    Object.assign(globalThis, { window });
    return run();
  });
}

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

test("the browser keeps the draft over a reload, with its undo and what was typed halfway", () => {
  const history = new History({ texts: ["a"], origin: "template" });
  history.half.cell = [3, "value", "7"];
  history.push("ab");
  history.undo();
  const kept = keptDraft(history.id);
  assert.deepEqual([kept.text, kept.texts, kept.origin, kept.canRedo], ["a", ["a", "ab"], "template", true]);
  assert.deepEqual(kept.half, { cell: [3, "value", "7"] });
});

test("two drafts are never in each other's way", () => {
  const [one, two] = [new History({ texts: ["a"] }), new History({ texts: ["x"] })];
  one.push("ab");
  two.push("xy");
  one.push("abc");
  assert.deepEqual([keptDraft(one.id).text, keptDraft(two.id).text], ["abc", "xy"]);
});

test("what another tab has typed is never written over: this tab goes on with a copy", () => {
  const history = new History({ texts: ["a"] });
  history.push("ab");
  const { id } = history;
  let parted = 0;
  history.onParted = () => (parted += 1);
  changedElsewhere(id, ["theirs"]);
  history.push("mine");
  assert.equal(parted, 1);
  assert.notEqual(history.id, id);
  assert.deepEqual([keptDraft(id).text, keptDraft(history.id).text], ["theirs", "mine"]);
});

test("a draft that is only looked at is not stored", () => {
  const history = new History({ texts: ["a"] });
  history.push("ab");
  history.elsewhere = true;
  history.push("abc");
  assert.equal(keptDraft(history.id).text, "ab");
});

test("an edit that the server has not answered is kept, and gone once it is answered", () => {
  const history = new History({ texts: ["a"] });
  const edit = { kind: "freeze" };
  history.ask(edit);
  assert.deepEqual(keptDraft(history.id).pending, [edit]);
  history.answered(edit, "ab");
  const kept = keptDraft(history.id);
  assert.deepEqual([kept.pending, kept.text], [[], "ab"]);
});

test("where there is no room, old drafts give up their undo before this one does, and none its text", () => {
  const old = new History({ texts: ["a".repeat(150)] });
  old.push("b".repeat(150));
  window.localStorage.room = window.localStorage.getItem(window.localStorage.key(0)).length + 600;
  const history = new History({ texts: ["c".repeat(150)], made: Date.now() + 1 });
  history.push("d".repeat(150));
  history.push("e".repeat(150));
  history.push("f".repeat(150));
  assert.deepEqual(keptDraft(old.id).texts, ["b".repeat(150)]);
  assert.equal(keptDraft(history.id).text, "f".repeat(150));
  assert.equal(history.isKept, true);
});

test("storage that is forbidden or broken keeps nothing, says so, and breaks nothing", () => {
  window.localStorage.room = 0;
  const history = new History({ texts: ["a"] });
  history.push("b");
  assert.deepEqual([keptDraft(history.id), history.isKept], [null, false]);
  window.localStorage.set("tidemark.author.draft.x", "{");
  window.localStorage.set("tidemark.author.draft.y", '{"texts": [[0, 0, "a"]]}');
  assert.deepEqual([keptDraft("x"), keptDraft("y"), keptDraft(null)], [null, null, null]);
  window.localStorage.set("tidemark.author.draft.z", '{"texts": ["a"], "place": 7}');
  assert.equal(keptDraft("z").text, "a");
});

test("every draft is in the list until it is thrown away, with those of an earlier version", () => {
  window.localStorage.set("tidemark.author", '{"texts": ["old", "older"], "place": 1, "at": 5}');
  window.localStorage.set("tidemark.author.earlier", '[{"text": "oldest", "at": 3}]');
  const made = ["a", "b", "c", "d", "e", "f", "g"].map((text) => new History({ texts: [text] }));
  made.forEach((each, index) => {
    each.push(`${each.text}!`);
    each.at = 1000 + index;
    each.keep();
  });
  const texts = () => allDrafts().map((each) => each.text);
  assert.deepEqual(texts(), ["g!", "f!", "e!", "d!", "c!", "b!", "a!", "older", "oldest"]);
  removeDraft(made[6].id);
  assert.deepEqual(texts().slice(0, 2), ["f!", "e!"]);
});

test("a history is stored as what each text changes of the one before", () => {
  const texts = ["one two three", "one 2 three", "one 2 three", "", "aaaa", "aaa", "aaaaa"];
  const packed = packTexts(texts);
  assert.deepEqual(packed[1], [4, 6, "2"]);
  assert.deepEqual(unpackTexts(packed), texts);
});

test("a record lands where it was held, on the axis that the picture had when the move began", () => {
  const move = (byItem, from, to) => placeEdit({ item: 1, record: { ts: 1000 }, axes: { byItem }, from, to }, false);
  assert.deepEqual(move(false, [1000, 1200], [1000, 10_000]), { kind: "place", item: 1, at: 10_000 });
  assert.deepEqual(move(false, [1000, 1200], [3000, 1200]), { kind: "place", item: 1, ts: 3000 });
  assert.deepEqual(move(true, [1000, 1], [1000, 4]), { kind: "place", item: 1, to: 4 });
  assert.equal(move(false, [1000, 1200], [1000, 1200]), null);
});

test("name and title are read from the text even where it does not run", () => {
  assert.equal(nameIn("scenario: 1\nname: my-run # mine\n"), "my-run");
  assert.equal(nameIn("name: No Name"), null);
  assert.equal(titleIn('title: "Late data"\n'), "Late data");
  assert.equal(titleIn("title: {en: Late data}"), null);
});
