// A program in pieces: nothing is lost, and a sign within a text begins nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { syntaxOf } from "../../ui/player/base/code_out.ts";

const JAVA = `/* by "hand" */ class Main { char c = '"'; // it's
  String s = "if // no \\" end"; }`;
const PYTHON = `"""A 'title' # here"""
for each in ['a"', "#"]:  # if
    print(r'''x"''', elsewhere)`;

/** @type {(text: string, ending: string, kind: string) => string[]} */
const all = (text, ending, kind) =>
  syntaxOf(text, ending)
    .filter(([each]) => each === kind)
    .map(([, piece]) => piece);

test("the pieces are the program", () => {
  for (const [text, ending] of [
    [JAVA, "java"],
    [PYTHON, "py"],
    ["<b>plain</b>", "txt"],
    ["", "py"],
  ]) {
    const joined = syntaxOf(text, ending)
      .map(([, piece]) => piece)
      .join("");
    assert.equal(joined, text);
  }
});

test("comments, texts and words of Java", () => {
  assert.deepEqual(all(JAVA, "java", "comment"), ['/* by "hand" */', "// it's"]);
  assert.deepEqual(all(JAVA, "java", "text"), [`'"'`, '"if // no \\" end"']);
  assert.deepEqual(all(JAVA, "java", "word"), ["class", "char"]);
});

test("comments, texts and words of Python", () => {
  assert.deepEqual(all(PYTHON, "py", "comment"), ["# if"]);
  assert.deepEqual(all(PYTHON, "py", "text"), [`"""A 'title' # here"""`, `'a"'`, '"#"', `'''x"'''`]);
  assert.deepEqual(all(PYTHON, "py", "word"), ["for", "in"]);
});
