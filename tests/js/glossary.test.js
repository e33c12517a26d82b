// The glossary: which words of a text can be asked about.
import assert from "node:assert/strict";
import test from "node:test";
import { Glossary } from "../../ui/player/base/glossary.ts";

const TERMS = {
  watermark: { names: "watermark|watermarks", about: "How far event time has come." },
  lateness: { names: "allowed lateness|lateness", about: "How long a window is kept." },
  late: { names: "late", about: "Behind the watermark." },
  window: { names: "窗口", about: "一段事件时间。" },
};
const glossary = new Glossary({ terms: TERMS, marks: {} });
const terms = (text) =>
  glossary
    .pieces(text)
    .filter((piece) => piece.term)
    .map((piece) => `${piece.term}: ${piece.text}`);

test("the pieces of a text are the text", () => {
  for (const text of ["", "late", "A late record. Watermarks never go back, late or not.", "窗口触发：窗口"]) {
    const whole = glossary.pieces(text).map((piece) => piece.text);
    assert.equal(whole.join(""), text);
  }
});

test("a term is marked where it comes first, in any case and number", () => {
  assert.deepEqual(terms("Watermarks: the watermark moves."), ["watermark: Watermarks"]);
});

test("the longest name counts, and a part of a word is no term", () => {
  assert.deepEqual(terms("An allowed lateness of 3 s."), ["lateness: allowed lateness"]);
  assert.deepEqual(terms("The latest plate; late-data."), []);
});

test("Chinese has no spaces between words", () => {
  assert.deepEqual(terms("这个窗口触发。"), ["window: 窗口"]);
});
