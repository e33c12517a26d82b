// What a browser keeps of practice: levels that rise and fall, and boxes from which what was missed comes back.
import assert from "node:assert/strict";
import test from "node:test";
import {
  askLevel,
  dueCards,
  nextExercise,
  nothingPractised,
  practiceFrom,
  RESTS,
  takeVerdict,
} from "../../ui/learning/practice/keeping.ts";

const NOW = 1_000_000_000;
const LEVELS = 8;
const FIRES = { seed: 1, level: 1, kind: "fires", about: "" };

/** A verdict as far as it is kept. */
const said = (right, about = "reaches-the-end") => ({ right, about });

/** What is kept after these verdicts on new exercises of the level that was reached. */
function after(...verdicts) {
  const kept = nothingPractised();
  for (const verdict of verdicts) takeVerdict(kept, { ...FIRES, level: kept.level }, 0, verdict, NOW, LEVELS);
  return kept;
}

test("two right answers in a row lead to the next level, a wrong one back", () => {
  assert.equal(after(said(true)).level, 1);
  assert.equal(after(said(true), said(true)).level, 2);
  assert.equal(after(said(true), said(false), said(true)).level, 1);
  assert.equal(after(said(true), said(true), said(false)).level, 1);
  assert.equal(after(...Array.from({ length: 99 }, () => said(true))).level, LEVELS);
});

test("a level that was passed stays passed, whatever level is asked for", () => {
  const kept = after(said(true), said(true));
  assert.deepEqual([kept.level, kept.passed], [2, [1]]);
  askLevel(kept, 4);
  for (let turn = 0; turn < 2; turn += 1) takeVerdict(kept, { ...FIRES, level: 4 }, 0, said(true), NOW, LEVELS);
  askLevel(kept, 1);
  takeVerdict(kept, FIRES, 0, said(false), NOW, LEVELS);
  assert.deepEqual([kept.level, kept.passed], [1, [1, 4]]);
  assert.deepEqual(practiceFrom({ level: 3, passed: [1, 4, 99] }, LEVELS, 0)?.passed, [1, 4]);
});

test("what was missed rests in the first box and comes back with other records", () => {
  const kept = after(said(false));
  assert.deepEqual(kept.cards, [{ kind: "fires", about: "reaches-the-end", box: 1, due: NOW + RESTS[0], level: 1 }]);
  assert.equal(nextExercise(kept, NOW, 100).again, undefined);
  const back = nextExercise(kept, NOW + RESTS[0], 100);
  assert.deepEqual(back, { seed: 2, level: 1, kind: "fires", about: "reaches-the-end", again: true });
});

test("a right answer to what was due moves it up, box by box", () => {
  const kept = after(said(false));
  for (const box of [2, 3, 4, 5, 5]) {
    const now = kept.cards[0].due;
    takeVerdict(kept, nextExercise(kept, now, 100), 0, said(true), now, LEVELS);
    assert.deepEqual([kept.cards[0].box, kept.cards[0].due], [box, now + RESTS[box - 1]]);
  }
  assert.equal(kept.level, 1);
  const later = kept.cards[0].due;
  takeVerdict(kept, nextExercise(kept, later, 100), 0, said(false), later, LEVELS);
  assert.equal(kept.cards[0].box, 1);
});

test("what is right at once begins in the third box, and being right again too soon moves nothing", () => {
  const kept = after(said(true), said(true));
  assert.deepEqual(
    kept.cards.map((card) => card.box),
    [3],
  );
});

test("a due card that is answered by another belief puts both into the first box", () => {
  const kept = after(said(false));
  const now = NOW + RESTS[0];
  takeVerdict(kept, nextExercise(kept, now, 100), 0, said(false, "end-inclusive"), now, LEVELS);
  assert.deepEqual(
    kept.cards.map(({ about, box, due }) => [about, box, due]),
    [
      ["reaches-the-end", 1, now + RESTS[0]],
      ["end-inclusive", 1, now + RESTS[0]],
    ],
  );
});

test("a due card about no belief is settled by any exercise of its kind", () => {
  const kept = after(said(false, ""));
  const now = NOW + RESTS[0];
  takeVerdict(kept, nextExercise(kept, now, 100), 0, said(true, "end-inclusive"), now, LEVELS);
  assert.deepEqual(dueCards(kept, now), []);
  assert.equal(kept.cards.length, 1);
});

test("the card that has waited longest comes first", () => {
  const kept = nothingPractised();
  const card = (about, due) => ({ kind: "fires", about, box: 1, due, level: 2 });
  kept.cards = [card("a", NOW - 1), card("b", NOW - 2), card("c", NOW + 1)];
  assert.deepEqual(
    dueCards(kept, NOW).map((each) => each.about),
    ["b", "a"],
  );
});

test("what is kept comes back as it was, and whatever else is in that place is nothing", () => {
  const kept = after(said(true), said(false));
  assert.deepEqual(practiceFrom(JSON.parse(JSON.stringify(kept)), LEVELS, 7), kept);
  for (const read of [null, [], 7, "x"]) assert.equal(practiceFrom(read, LEVELS, 7), null);
  for (const open of [{ seed: -1 }, { seed: 1, level: 1, kind: 1, about: "" }, "x", [], null]) {
    const read = { level: 99, cards: 1, streak: "2", open };
    assert.deepEqual(practiceFrom(read, LEVELS, 7), nothingPractised(7));
  }
  const odd = { level: 2, cards: [{ kind: "fires", about: "x", box: 9, due: 1, level: 1 }, null, kept.cards[0]] };
  assert.deepEqual(practiceFrom(odd, LEVELS, 7).cards, [kept.cards[0]]);
});
