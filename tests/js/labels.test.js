// Labels of a picture: whatever is asked for, no two lie on each other, none on a mark that it does not name, and none
// outside; the same question has the same answer.
import assert from "node:assert/strict";
import test from "node:test";
import { FOR_TEXT, Space, beside, interrupted, overlap, textBox } from "../../ui/player/picture/labels.ts";
import { spreadOut } from "../../ui/player/picture/layout.ts";

const BOUNDS = { left: 0, top: 0, right: 400, bottom: 200 };

/** Numbers from 0 to 1 that are the same at each run. */
function numbers(seed) {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
}

/** A plane full of marks, and the labels that found room beside them. */
function crowded(seed, count) {
  const next = numbers(seed);
  const space = new Space(BOUNDS);
  const marks = Array.from({ length: count }, (_, index) => ({ id: `m${index}`, x: next() * 400, y: next() * 200 }));
  const boxes = new Map(marks.map(({ id, x, y }) => [id, { left: x - 8, top: y - 8, right: x + 8, bottom: y + 8 }]));
  for (const [id, box] of boxes) space.block(box, "mark", id);
  const labels = marks.flatMap(({ id, x, y }) => {
    const places = beside({ x, y }, 8, { wide: 10 + next() * 40, size: 13, below: next() < 0.5 });
    const found = space.place(places, FOR_TEXT, { own: id });
    return found ? [{ id, box: found.box }] : [];
  });
  return { boxes, labels };
}

test("no label lies on another, on a mark that it does not name, or outside", () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const { boxes, labels } = crowded(seed, 5 + 3 * seed);
    labels.forEach(({ id, box }, index) => {
      for (const other of labels.slice(index + 1)) assert.ok(!overlap(box, other.box), `${seed}: ${id} on ${other.id}`);
      for (const [mark, place] of boxes) assert.ok(mark === id || !overlap(box, place), `${seed}: ${id} on ${mark}`);
      assert.ok(box.left >= 0 && box.top >= 0 && box.right <= 400 && box.bottom <= 200, `${seed}: ${id} outside`);
    });
  }
});

test("the same question has the same answer", () => {
  assert.deepEqual(crowded(7, 60), crowded(7, 60));
});

test("a label rather crosses a thin line than to stand nowhere, and rather stands elsewhere than to cross it", () => {
  const places = [{ box: textBox(10, 50, 40, 13) }, { box: textBox(10, 90, 40, 13) }];
  const space = new Space(BOUNDS);
  space.block({ left: 0, top: 49, right: 400, bottom: 51 }, "thin");
  assert.equal(space.place(places, FOR_TEXT), places[1]);
  assert.equal(space.place(places, FOR_TEXT), places[0]);
  assert.equal(space.place(places, FOR_TEXT), null);
});

test("no label stands on a thick line", () => {
  const space = new Space(BOUNDS);
  space.block({ left: 0, top: 48, right: 400, bottom: 52 }, "line");
  assert.equal(space.place([{ box: textBox(10, 50, 40, 13) }], FOR_TEXT), null);
});

test("records of one place are set apart along the arrival axis, the earlier one first", () => {
  const three = [0, 1, 2].map(() => ({ x: 50, y: 100 }));
  for (const down of [1, -1]) {
    const { dot, places } = spreadOut(three, 20, down);
    const heights = places.map(({ y }) => y * down);
    assert.deepEqual(
      heights,
      heights.toSorted((a, b) => a - b),
    );
    assert.ok(places.every(({ x, y }) => x === 50 && Math.abs(y - 100) <= dot));
    assert.ok(Math.abs(places[1].y - places[0].y) > 0.9 * dot);
  }
});

test("marks are smaller where they would merge, and as large as asked where they do not", () => {
  const apart = [0, 1, 2].map((each) => ({ x: 40 * each, y: 30 * each }));
  assert.deepEqual(spreadOut(apart, 20, 1), { dot: 20, places: apart });
  const dense = Array.from({ length: 100 }, (_, each) => ({ x: 12 * (each % 10), y: 12 * Math.floor(each / 10) }));
  const { dot, places } = spreadOut(dense, 20, 1);
  assert.ok(dot < 16);
  places.forEach((a, index) => {
    for (const b of places.slice(index + 1)) assert.ok(Math.hypot(a.x - b.x, a.y - b.y) > 0.9 * dot);
  });
});

test("a line is interrupted where a text lies on it, and nowhere else", () => {
  const on = { left: 40, top: 95, right: 60, bottom: 105 };
  const above = { left: 80, top: 70, right: 99, bottom: 99 };
  assert.deepEqual(interrupted(0, 200, 100, [above]), [[0, 200]]);
  assert.deepEqual(interrupted(0, 200, 100, [on, above]), [[0, 37], [63, 200]]); // prettier-ignore
  const next = { left: 58, top: 99, right: 90, bottom: 120 };
  assert.deepEqual(interrupted(0, 200, 100, [next, on]), [[0, 37], [93, 200]]); // prettier-ignore
  const [first, last] = [{ ...on, left: -5, right: 5 }, { ...on, left: 190, right: 220 }]; // prettier-ignore
  assert.deepEqual(interrupted(0, 200, 100, [last, first]), [[8, 187]]);
  assert.deepEqual(interrupted(90, 200, 50, [on], { upright: true }), [[90, 92], [108, 200]]); // prettier-ignore
});
