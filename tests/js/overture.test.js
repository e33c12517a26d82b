// The opening: what it shows at each moment, from the time of the story and the size of the stage alone.
import assert from "node:assert/strict";
import test from "node:test";
import { COUNTED, SCORED, STILL_MS, STORY_MS, momentAt, stageOf } from "../../ui/player/story/overture.ts";

const WIDE = stageOf(1080, 560);
const PHONE = stageOf(340, 380);

const kinds = (ms) => momentAt(ms, WIDE).dots.map((dot) => dot.kind);

test("the server counts three, closes, and the fourth point is lost", () => {
  assert.deepEqual([COUNTED, SCORED], [3, 4]);
  const counts = [0, 1_500, 4_000, 6_000, STILL_MS].map((ms) => momentAt(ms, WIDE).count);
  assert.deepEqual(counts, [0, 1, 3, 3, 3]);
  assert.deepEqual(kinds(4_000), ["counted", "counted", "waiting", "counted"]);
  assert.equal(momentAt(4_000, WIDE).closed, false);
  assert.equal(momentAt(6_000, WIDE).closed, true);
  assert.deepEqual(kinds(STILL_MS), ["counted", "counted", "lost", "counted"]);
});

test("something moves within the first second, and before the plane is drawn nothing lies outside of the stage", () => {
  for (const stage of [WIDE, PHONE]) {
    assert.notDeepEqual(momentAt(0, stage), momentAt(200, stage));
    for (let ms = 0; ms <= STORY_MS; ms += 100) {
      for (const { x, y } of momentAt(ms, stage).dots) {
        assert.ok(x > 0 && x < stage.width && y > 0 && y < stage.height, `${ms} ms: ${x}, ${y}`);
      }
    }
  }
});

test("at the end each point is at its two times on the plane", () => {
  const { dots, scene, plane } = momentAt(STORY_MS, WIDE);
  assert.deepEqual([scene, plane], [0, 1]);
  const { x, y } = WIDE.axes;
  const rounded = (places) => places.map((place) => place.map(Math.round));
  const points = [
    [1, 2.2],
    [3, 4.2],
    [6, 15],
    [7, 8.2],
  ];
  assert.deepEqual(rounded(dots.map((dot) => [dot.x, dot.y])), rounded(points.map(([at, later]) => [x(at), y(later)])));
});
