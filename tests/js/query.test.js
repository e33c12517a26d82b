// The query language of the player's search: how a text is read, and what is said where it is no query.
import assert from "node:assert/strict";
import test from "node:test";
import { QueryProblem, readQuery, similar } from "../../ui/player/frame/query.ts";

/** A tree in short: `(and (= key a) late)`. */
function shape(node) {
  if (node.parts) return `(${[node.kind, ...node.parts.map(shape)].join(" ")})`;
  if (node.kind === "not") return `(not ${shape(node.part)})`;
  if (node.kind === "compare") return `(${node.operator.text} ${node.field.text} ${node.value.text})`;
  return node.kind === "text" ? `"${node.text}"` : node.text;
}

for (const [text, tree] of [
  ["late", "late"],
  ["key = a", "(= key a)"],
  ["key = a and event = PaneFired", "(and (= key a) (= event PaneFired))"],
  ["late or key = a and early", "(or late (and (= key a) early))"],
  ["(late or early) and not merged", "(and (or late early) (not merged))"],
  ["late && early || !merged", "(or (and late early) (not merged))"],
  ["ts ≥ 8s", "(>= ts 8s)"],
  ["key == a", "(= key a)"],
  ["[0, 10)", "[0, 10)"],
  ["window = [0,10)", "(= window [0,10))"],
  ['"is dropped"', '"is dropped"'],
  ["why ~ “too late”", "(~ why too late)"],
]) {
  test(`${text} is read as ${tree}`, () => assert.equal(shape(readQuery(text)), tree));
}

for (const [text, name, place] of [
  ["key =", "needs_after", "="],
  ["(late", "needs_close", "("],
  ["late)", "stray_close", ")"],
  ["late early", "needs_joint", "early"],
  ["and", "needs_term", "and"],
  ['"late', "needs_quote", '"late'],
  ["[0, 10", "not_a_window", "[0, 10"],
]) {
  test(`${text} is refused, and the place named`, () => {
    assert.throws(
      () => readQuery(text),
      (problem) => {
        assert.ok(problem instanceof QueryProblem);
        assert.equal(problem.name, name);
        assert.equal(text.slice(problem.at, problem.to), place);
        return true;
      },
    );
  });
}

test("a mistyped word is answered with the nearest known ones", () => {
  assert.deepEqual(similar("watermrk", ["watermark", "window", "late"]), ["watermark"]);
  assert.deepEqual(similar("time", ["ts", "timestamp", "newest_time"]), ["newest_time", "timestamp"]);
  assert.deepEqual(similar("xyz", ["watermark"]), []);
});
