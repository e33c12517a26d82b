// How well a phrase answers what somebody typed.
import assert from "node:assert/strict";
import test from "node:test";
import { Matcher } from "../../ui/player/base/matching.ts";

const PHRASES = ["全都被丢弃", "结果来得太晚", "窗口一直不触发"];
const matcher = new Matcher(PHRASES);

/** The phrases that have anything of what was typed, the best first. */
const found = (typed) =>
  PHRASES.map((phrase) => ({ phrase, part: matcher.part(typed, phrase) }))
    .filter(({ part }) => part > 0)
    .sort((one, other) => other.part - one.part)
    .map(({ phrase }) => phrase);

test("one Chinese character is found wherever it stands in a word", () => {
  assert.deepEqual(found("丢"), ["全都被丢弃"]);
  assert.deepEqual(found("弃"), ["全都被丢弃"]);
  assert.deepEqual(found("晚"), ["结果来得太晚"]);
});

test("of more than one, the pairs decide", () => {
  assert.deepEqual(found("不触发"), ["窗口一直不触发"]);
  assert.deepEqual(found("丢失"), []);
});
