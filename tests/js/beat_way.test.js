// The way from beat to beat: the steps in between pass by within two seconds, any key ends it, and it can be off.
import assert from "node:assert/strict";
import test from "node:test";
import { BeatWay } from "../../ui/player/frame/present.ts";

/** A way between the steps of a player that notes which it showed, and frames that come when the test says so. */
function wayOf({ calm = false, kept = null } = {}) {
  const frames = [];
  const storage = new Map(kept === null ? [] : [["tidemark.way", kept]]);
  globalThis.window = {
    matchMedia: () => ({ matches: calm }),
    localStorage: { getItem: (name) => storage.get(name) ?? null, setItem: (name, value) => storage.set(name, value) },
  };
  globalThis.document = { hidden: false };
  globalThis.requestAnimationFrame = (run) => frames.push(run);
  globalThis.cancelAnimationFrame = () => frames.splice(0);
  const player = {
    step: 10,
    shown: [],
    go(step) {
      this.step = step;
      this.shown.push(step);
    },
    present: { show() {} },
    words: { present: { way_on: "on", way_off: "off", way_calm: "calm" } },
    notes: { say: (parts) => player.said.push(...parts) },
    live: { tell() {} },
    said: [],
  };
  const way = new BeatWay(player);
  const began = performance.now();
  const after = (/** @type {number} */ ms) => frames.splice(0).forEach((run) => run(began + ms));
  return { way, player, after, storage };
}

test("forty steps pass in two seconds, none twice, and the beat comes last", () => {
  const { way, player, after } = wayOf();
  way.go(50, { seen: 10, until: 50 });
  for (let ms = 100; ms <= 2100; ms += 100) after(ms);
  assert.equal(player.shown.at(-1), 50);
  assert.ok(player.shown.length >= 15);
  assert.deepEqual(
    player.shown,
    [...player.shown].sort((a, b) => a - b),
  );
  assert.equal(way.moves, false);
});

test("at a question it ends before the answer is seen", () => {
  const { way, player, after } = wayOf();
  way.go(20, { seen: 10, until: 14 });
  for (let ms = 50; ms <= 1000; ms += 50) after(ms);
  assert.deepEqual([...new Set(player.shown)], [10, 11, 12, 13, 20]);
});

test("a key ends it at the beat; whoever goes elsewhere ends it there", () => {
  const { way, player, after } = wayOf();
  assert.equal(way.finish(), false);
  way.go(50, { seen: 10, until: 50 });
  after(300);
  assert.equal(way.finish(), true);
  assert.equal(player.step, 50);
  way.go(10, { seen: 50, until: 10 });
  after(300);
  way.seen(33);
  assert.deepEqual([way.moves, way.finish()], [false, false]);
});

test("it is off where the system asks for less motion, and where it was switched off, which is kept", () => {
  const calm = wayOf({ calm: true });
  calm.way.go(50, { seen: 10, until: 50 });
  assert.deepEqual(calm.player.shown, [50]);
  const { way, player, storage } = wayOf();
  way.toggle();
  assert.deepEqual([storage.get("tidemark.way"), player.said], ["0", ["off"]]);
  way.go(50, { seen: 10, until: 50 });
  assert.deepEqual(player.shown, [50]);
  assert.equal(wayOf({ kept: "0" }).way.on, false);
});
