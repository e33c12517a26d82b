// What would bring the watermark that a window needs: arithmetic over the facts of the channels.
import assert from "node:assert/strict";
import test from "node:test";
import { idleRemedy, isShort, remedy } from "../../ui/player/why/holders.ts";

/** A channel with bounded out-of-orderness of 2 s: a record of `ts` sends `ts - 2001`. */
function channel(id, watermark, more = {}) {
  return { id, watermark, aligned: true, pending: null, ahead: 2001, least: null, ...more };
}

test("every channel below the needed watermark needs a record of its own", () => {
  const [left, right] = [channel("left", 4000), channel("right", 9999)];
  assert.deepEqual(remedy(9999, [left, right]), {
    kind: "records",
    each: [{ channel: left, kind: "record", ts: 12_000, sends: 9999 }],
  });
});

test("a channel without a watermark is short of any", () => {
  assert.equal(isShort(0, channel("left", null)), true);
  assert.equal(isShort(5, channel("left", 5)), false);
});

test("a generator that only rises sends at least its least next watermark", () => {
  const rising = channel("left", 4000, { least: 15_000 });
  assert.deepEqual(remedy(9999, [rising]).each, [{ channel: rising, kind: "record", ts: 17_001, sends: 15_000 }]);
});

test("a periodic generator that has seen enough needs no record, only its next tick", () => {
  const waiting = channel("left", 4000, { pending: 12_000 });
  assert.deepEqual(remedy(9999, [waiting]).each, [{ channel: waiting, kind: "pending", sends: 12_000 }]);
});

test("where every channel is far enough the next emission brings it, where none counts nothing does", () => {
  assert.equal(remedy(5, [channel("left", 10)]).kind, "next");
  assert.equal(remedy(5, [channel("left", 10, { aligned: false })]).kind, "idle");
});

test("an idle channel helps where it alone holds the watermark back", () => {
  const [slow, fast] = [channel("slow", 1000), channel("fast", 9000)];
  assert.deepEqual(idleRemedy(5000, [slow, fast], 1000), { channel: slow, minimum: 9000 });
  assert.equal(idleRemedy(9500, [slow, fast], 1000), null, "both are short");
  assert.equal(idleRemedy(5000, [slow], 1000), null, "nothing is left to take a minimum of");
});
