// What the browser keeps may be damaged, full or forbidden: it is read without, and what was lost is said.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { allDrafts, draftCalled, lastStored } from "../../ui/author/drafts.ts";
import { keptInventory } from "../../ui/learning/inventory/keeping.ts";
import { lossSentences } from "../../ui/pages/language.ts";
import { keptPlan } from "../../ui/library/lessons/main.ts";
import {
  keepOwn,
  keepSeen,
  keepText,
  keepVisit,
  keptChoice,
  keptOwn,
  keptText,
  keptVisit,
  nothingKept,
  readKept,
  scenariosSeen,
  soundList,
  takeHanded,
  takeLeftOut,
  writeKept,
} from "../../ui/player/base/kept.ts";
import { keptPractice } from "../../ui/learning/practice/keeping.ts";

const HUGE = "9".repeat(2_000_000);
const DAMAGED = [
  "null",
  "[]",
  '"x"',
  "{",
  "",
  "7",
  "true",
  HUGE,
  '{"level":{}}',
  "[null]",
  '{"a":null}',
  '{"texts":7}',
];

/** Each reader, with the name of what it reads and what it returns where nothing is kept. */
const READERS = [
  ["tidemark.seen", scenariosSeen, {}],
  ["tidemark.visit", keptVisit, nothingKept()],
  ["tidemark.own", keptOwn, []],
  ["tidemark.handed", takeHanded, null],
  ["tidemark.left_out", () => takeLeftOut("scenario:x"), ""],
  ["tidemark.lessons", keptPlan, null],
  ["tidemark.inventory", () => keptInventory("ab12cd34", 3).forms, {}],
  [
    "tidemark.practice",
    () => keptPractice(8, 100, 5),
    { level: 1, passed: [], streak: 0, seed: 5, cards: [], open: null },
  ],
  ["tidemark.author.draft.x", () => draftCalled("x"), null],
  ["tidemark.author.draft.x", () => allDrafts(), []],
  ["tidemark.author", () => allDrafts(), []],
  ["tidemark.author.earlier", () => allDrafts(), []],
];

class Storage extends Map {
  get length() {
    return this.size;
  }

  key(index) {
    return [...this.keys()][index] ?? null;
  }

  getItem(key) {
    return this.get(key) ?? null;
  }

  setItem(key, text) {
    if (this.full) throw new DOMException("full", "QuotaExceededError");
    this.set(key, text);
  }

  removeItem(key) {
    this.delete(key);
  }
}

let told = 0;

function browser(more = {}) {
  globalThis.tidemarkLost = undefined;
  told = 0;
  globalThis.window = {
    localStorage: new Storage(),
    sessionStorage: new Storage(),
    dispatchEvent: () => (told += 1),
    ...more,
  };
}

beforeEach(() => browser());

const FORBIDDEN = {
  get() {
    throw new DOMException("denied", "SecurityError");
  },
};

test("whatever lies in its place, every reader returns what can be used, and the loss is told once", () => {
  for (const [key, read, nothing] of READERS) {
    assert.deepEqual(read(), nothing, key);
    assert.equal(globalThis.tidemarkLost, undefined, `${key}: nothing was there, so nothing is lost`);
    for (const text of DAMAGED) {
      browser();
      for (const storage of [globalThis.window.localStorage, globalThis.window.sessionStorage]) storage.set(key, text);
      assert.deepEqual(read(), nothing, `${key}: ${text.slice(0, 20)}`);
      assert.deepEqual(read(), nothing);
      const kept = [globalThis.window.localStorage.get(key), globalThis.window.sessionStorage.get(key)].includes(text);
      assert.ok(
        kept || globalThis.tidemarkLost?.length === 1,
        `${key}: ${text.slice(0, 20)} is gone and nothing said so`,
      );
    }
    browser();
  }
});

test("of a list or a table that is damaged in part the rest is used", () => {
  keepSeen("a", 3, 9);
  const { a } = JSON.parse(globalThis.window.localStorage.get("tidemark.seen"));
  globalThis.window.localStorage.set("tidemark.seen", JSON.stringify({ a, b: null, c: { step: "x" } }));
  assert.deepEqual(scenariosSeen(), { a });
  assert.deepEqual(globalThis.tidemarkLost, ["tidemark.seen"]);
  assert.equal(told, 1);
  keepOwn(["s", "abc"], "Mine");
  const own = JSON.parse(globalThis.window.localStorage.get("tidemark.own"));
  globalThis.window.localStorage.set("tidemark.own", JSON.stringify([...own, { open: ["s"] }, 7]));
  assert.deepEqual(keptOwn(), own);
});

test("what is sound comes back as it was", () => {
  const answer = { scene: "a", question: "q", chosen: "x", right: true, reply: "", tried: [0, 2] };
  const visit = { scene: "a", answers: { q: answer }, done: ["a"], finished: true };
  keepVisit(visit);
  assert.deepEqual(keptVisit(), visit);
  assert.equal(keptChoice("tidemark.level", ["novice", "expert"]), null);
  keepText("tidemark.level", "expert");
  assert.equal(keptChoice("tidemark.level", ["novice", "expert"]), "expert");
  keepText("tidemark.level", "emperor");
  assert.equal(keptChoice("tidemark.level", ["novice", "expert"]), null);
  assert.deepEqual(globalThis.tidemarkLost, ["tidemark.level"]);
  assert.equal(keptText("tidemark.level"), null, "what cannot be used does not stay");
});

test("full storage is said, and what is there is read", () => {
  writeKept("tidemark.x", [1]);
  globalThis.window.localStorage.full = true;
  assert.equal(writeKept("tidemark.x", [2]), false);
  assert.deepEqual(
    readKept("tidemark.x", (read) => soundList(read, Number.isInteger)),
    [1],
  );
  assert.deepEqual(globalThis.tidemarkLost, ["full"]);
});

test("forbidden storage is said once, and every reader returns what a new visitor has", () => {
  Object.defineProperties(globalThis.window, { localStorage: FORBIDDEN, sessionStorage: FORBIDDEN });
  for (const [key, read, nothing] of READERS) assert.deepEqual(read(), nothing, key);
  assert.equal(lastStored("x"), null);
  keepSeen("a", 1, 2);
  assert.deepEqual(globalThis.tidemarkLost, ["forbidden"]);
  assert.equal(told, 1);
});

test("the note names each thing once, settings together", () => {
  const words = {
    full: "Full.",
    forbidden: "Forbidden.",
    damaged: "Damaged: {what}.",
    things: { author: "a draft", seen: "progress", settings: "a setting" },
  };
  const said = (...lost) => lossSentences(lost, { words, comma: ", " }).join(" ");
  assert.equal(said("full", "forbidden"), "Forbidden.");
  assert.equal(
    said(
      "full",
      "tidemark.author.draft.x",
      "tidemark.author.draft.y",
      "tidemark.seen",
      "tidemark.level",
      "tidemark.way",
    ),
    "Full. Damaged: a draft, progress, a setting.",
  );
});
