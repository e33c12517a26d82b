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

test("a phrase stands in a longer text with all of its words, and weighs by them", () => {
  const sql = new Matcher(["TUMBLE", "WATERMARK FOR", "窗口分配器"]);
  const query = "select sum(v) from e group by tumble(ts, interval '5' second)";
  assert.ok(sql.inside("TUMBLE", query) > 0);
  assert.equal(sql.inside("WATERMARK FOR", query), 0);
  assert.ok(sql.inside("窗口分配器", "先创建窗口分配器") > sql.inside("TUMBLE", query));
});

test("the number of a version is one word", () => {
  const versions = new Matcher(["Flink 1.18", "Flink 2.0", "Flink 2.1"]);
  assert.ok(versions.score("upgrade to 2.1", "Flink 2.1") > versions.score("upgrade to 2.1", "Flink 2.0"));
  assert.equal(versions.score("18", "Flink 1.18"), 0);
});
