// What is marked at the place of a refusal: the whole name, in any script, and columns that count characters.
import assert from "node:assert/strict";
import test from "node:test";
import { markedAt } from "../../ui/sql/text.ts";

/** What is marked in `text` at `place`. */
function marked(text, ...place) {
  const [start, end] = markedAt(text, place);
  return text.slice(start, end);
}

test("a word", () => {
  assert.equal(marked("SELECT k\nFROM orders o", 2, 6), "orders");
});

test("a name in backticks, with all that is within", () => {
  assert.equal(marked("SELECT `order id` FROM o", 1, 8), "`order id`");
});

test("a name in Chinese, quoted or not", () => {
  assert.equal(marked("SELECT `城市` FROM o", 1, 8), "`城市`");
  assert.equal(marked("SELECT 城市 FROM o", 1, 8), "城市");
});

test("a sign alone", () => {
  assert.equal(marked("SELECT k；", 1, 9), "；");
});

test("a character of two code units counts as one column", () => {
  assert.equal(marked("SELECT '🛒', price FROM o", 1, 13), "price");
  assert.equal(marked("FROM 🛒", 1, 6), "🛒");
});

test("the end of the text and an empty text mark nothing", () => {
  assert.equal(marked("SELECT k", 1, 9), "");
  assert.equal(marked("", 1, 1), "");
});
