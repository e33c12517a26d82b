// Playing stays at a step for as long as it takes to skim what happened, and to read what the author says there.
import assert from "node:assert/strict";
import test from "node:test";
import { readingTime } from "../../ui/player/frame/transport.ts";

const what = "Record #3 arrives on channel 0: key a, 6.2 s, value 1.";

test("a longer sentence stays longer, and a note is read as a whole", () => {
  const short = readingTime(what);
  assert.ok(short > 1.2 && short < 2.5, String(short));
  assert.ok(readingTime(what + what) > short + 0.8);
  assert.ok(readingTime(what, what) > short + 1.5);
});

test("a Chinese sentence of fewer characters takes about as long", () => {
  const chinese = readingTime("记录 #3 到达通道 0：键 a，6.2 s，值 1。");
  assert.ok(Math.abs(chinese - readingTime(what)) < 1, String(chinese));
});
