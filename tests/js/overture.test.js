// The opening: what it shows at each moment, from the time of the story and the size of the stage alone.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { COUNTED, POINTS, SCORED, STILL_MS, STORY_MS, momentAt, stageOf } from "../../ui/player/story/overture.ts";

const WIDE = stageOf(1080, 560);
const PHONE = stageOf(340, 380);

const kinds = (ms) => momentAt(ms, WIDE).dots.map((dot) => dot.kind);

test("the server counts three, closes, and the fourth point is lost", () => {
  assert.deepEqual([COUNTED, SCORED], [3, 4]);
  const counts = [0, 1_500, 4_500, 7_000, STILL_MS].map((ms) => momentAt(ms, WIDE).count);
  assert.deepEqual(counts, [0, 1, 3, 3, 3]);
  assert.deepEqual(kinds(4_500), ["counted", "counted", "counted", "waiting"]);
  assert.deepEqual([momentAt(4_500, WIDE).closed, momentAt(7_000, WIDE).closed], [false, true]);
  assert.deepEqual(kinds(STILL_MS), ["counted", "counted", "counted", "lost"]);
  assert.deepEqual([momentAt(7_000, WIDE).truth, momentAt(STILL_MS, WIDE).truth], [0, 1]);
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
    [1, 1.2],
    [3, 3.2],
    [7, 7.2],
    [8, 15],
  ];
  assert.deepEqual(rounded(dots.map((dot) => [dot.x, dot.y])), rounded(points.map(([at, later]) => [x(at), y(later)])));
});

test("each point is in a scene of the first visit, and is counted or lost there as well", () => {
  const scenes = ["first-two-phones", "first-late"].map((name) =>
    readFileSync(new URL(`../../scenarios/${name}.yaml`, import.meta.url), "utf8"),
  );
  const time = (seconds) => `${Math.floor(seconds)}s${seconds % 1 ? `${Math.round((seconds % 1) * 1000)}ms` : ""}`;
  for (const { player, scored, arrives } of POINTS) {
    const record = `{ts: ${time(scored)}, key: ${player}, value: 1, at: ${time(arrives)}}`;
    assert.ok(scenes[arrives > 13.2 ? 1 : 0].includes(record), record);
  }
});
