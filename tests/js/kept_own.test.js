// The reader's own scenarios that this browser has seen, and what a pasted link opens.
import assert from "node:assert/strict";
import test from "node:test";
import { scenarioIn, titlesOf, withOwn } from "../../ui/player/base/kept.ts";

const own = (value, title) => ({ open: ["s", value], title });

test("a scenario that is open again comes first, once, and the oldest goes", () => {
  let kept = [];
  for (const each of ["y1", "y2", "y3", "y1"]) kept = withOwn(kept, own(each, each));
  assert.deepEqual(
    kept.map(({ title }) => title),
    ["y1", "y3", "y2"],
  );
  for (let each = 10; each < 20; each += 1) kept = withOwn(kept, own(`y${each}`, "x"));
  assert.equal(kept.length, 8);
  assert.equal(kept[0].open[1], "y19");
});

test("scenarios of one title are numbered from the first that was open, others are not", () => {
  const kept = [own("y3", "Late"), own("y2", "Two clocks"), own("y1", "Late")];
  assert.deepEqual(titlesOf(kept), ["Late (2)", "Two clocks", "Late (1)"]);
});

test("a link to any page opens its scenario, and a text without one opens nothing", () => {
  assert.deepEqual(scenarioIn(" localhost:8501/?s=yAbc&step=3 "), ["s", "yAbc"]);
  assert.deepEqual(scenarioIn("localhost/compare?scenario=two-clocks&b.bound=0#top"), ["scenario", "two-clocks"]);
  assert.deepEqual(scenarioIn("own=12ab"), ["own", "12ab"]);
  for (const text of ["", "localhost:8501/", "two clocks", "?s="]) assert.equal(scenarioIn(text), null);
});
