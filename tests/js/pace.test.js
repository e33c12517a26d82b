// Playing stays at a step for as long as it takes to read.
import assert from "node:assert/strict";
import test from "node:test";
import { readingTime } from "../../ui/player/frame/transport.ts";

const what = "Record #3 arrives on channel 0: key a, 6.2 s, value 1.";

test("a longer sentence stays longer, and so does a reason", () => {
  const short = readingTime({ what, why: "" });
  assert.ok(short > 2 && short < 5, String(short));
  assert.ok(readingTime({ what: what + what, why: "" }) > short + 1.5);
  assert.ok(readingTime({ what, why: what }) > short + 0.8);
});

test("a Chinese sentence of fewer characters takes about as long", () => {
  const chinese = readingTime({ what: "记录 #3 到达通道 0：键 a，6.2 s，值 1。", why: "" });
  assert.ok(Math.abs(chinese - readingTime({ what, why: "" })) < 1, String(chinese));
});
