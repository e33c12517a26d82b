// Times, values and sentences as the player writes them.
import assert from "node:assert/strict";
import test from "node:test";
import {
  Times,
  between,
  channelSum,
  decimals,
  timeDistance,
  duration,
  say,
  sentences,
  short,
  textWidth,
  valueText,
} from "../../ui/player/base/format.ts";

const WORDS = { none_yet: "none yet", global_window: "all time" };
const seconds = new Times({ style: "seconds", zone: "UTC", day: null }, WORDS);
const clock = new Times({ style: "clock", zone: "Europe/Berlin", day: "2024-05-01" }, WORDS);
const MORNING = Date.parse("2024-05-01T06:00:05Z");

test("a watermark is exact to the millisecond", () => {
  assert.equal(seconds.exact(8999), "8.999");
  assert.equal(seconds.exact(-1), "−0.001");
  assert.equal(seconds.exact(null), "none yet");
  assert.equal(seconds.exact(-(2 ** 63)), "none yet");
  assert.equal(seconds.exact(2 ** 63), "+∞");
  assert.equal(clock.exact(MORNING), "08:00:05.000");
});

test("for a novice what ends a millisecond before a time is at that time", () => {
  const rounded = new Times({ style: "seconds", zone: "UTC", day: null }, WORDS);
  rounded.rounds = true;
  assert.equal(rounded.exact(8999), "9");
  assert.equal(rounded.exact(-1), "0");
  assert.equal(rounded.exact(2499), "2.5");
  assert.equal(rounded.exact(2500), "2.5");
  assert.equal(rounded.exact(2 ** 63), "+∞");
});

test("for a novice too, no time is rounded where a scenario has milliseconds of its own", () => {
  const exact = new Times({ style: "seconds", zone: "UTC", day: null, milliseconds: true }, WORDS);
  exact.rounds = true;
  assert.equal(exact.exact(8999), "8.999");
  assert.equal(exact.exact(9000), "9.000");
});

test("a record's time has as many decimals as it needs", () => {
  assert.equal(seconds.short(8000), "8.0");
  assert.equal(seconds.short(8250), "8.25");
  assert.equal(seconds.short(null), "–");
  assert.equal(seconds.withUnit(8000), "8.0 s");
  assert.equal(clock.short(MORNING), "08:00:05");
  assert.equal(clock.withUnit(MORNING + 250), "08:00:05.25");
});

test("another day than the scenario's is named", () => {
  assert.equal(clock.short(MORNING + 24 * 3_600_000), "05-02 08:00:05");
});

test("a window is half-open, and the global one has a name", () => {
  assert.equal(seconds.window(0, 10_000), "[0, 10)");
  assert.equal(seconds.window(null, null), "all time");
  assert.equal(clock.window(MORNING - 5000, MORNING + 55_000), "[08:00, 08:01)");
});

test("a range of a join says which of its ends are included", () => {
  assert.equal(seconds.range({ low: 2000, high: 7000, low_open: true, high_open: false }), "(2, 7]");
  assert.equal(seconds.range({ low: 2000, high: 7000, low_open: false, high_open: true }), "[2, 7)");
});

test("decimals are cut where they are zeros", () => {
  assert.deepEqual(
    [0, 1, 10, 1500, -1500].map((ms) => decimals(ms, 0)),
    ["0", "0.001", "0.01", "1.5", "−1.5"],
  );
});

test("a value is short JSON without quotes", () => {
  assert.equal(valueText(null), "null");
  assert.equal(valueText(4), "4");
  assert.equal(valueText(1 / 3), "0.333333");
  assert.equal(valueText([1, "a", null]), "[1, a, null]");
  assert.equal(valueText({ speed: 50, fuel: [1] }), "speed 50 · fuel [1]");
  assert.equal(short("abcdef", 4), "abc…");
  assert.equal(short("abcd", 4), "abcd");
});

test("a sentence has its fields filled in, and unknown ones left", () => {
  assert.equal(say("{key} fires with {value}.", { key: "a", value: 7 }), "a fires with 7.");
  assert.equal(say("{nobody}", {}), "{nobody}");
});

test("a blank beside a field goes where Chinese meets Chinese", () => {
  assert.equal(say("窗口 {window} 触发", { window: "[0, 10)" }), "窗口 [0, 10) 触发");
  assert.equal(say("输入 {name} 迟到", { name: "左" }), "输入左迟到");
  assert.equal(between("。", "a"), "");
  assert.equal(between("a", "b"), " ");
});

test("wider letters take more room", () => {
  assert.ok(textWidth("ill") < textWidth("abc"));
  assert.ok(textWidth("abc") < textWidth("mwm"));
  assert.equal(textWidth("abc", 28), 2 * textWidth("abc", 14));
});

test("a length of time is split by its units", () => {
  assert.deepEqual([0, 250, 2500, 90_000, 60_250, -60_000, 8 * 3_600_000].map(duration), [
    "0 s",
    "250 ms",
    "2.5 s",
    "1 min 30 s",
    "1 min 250 ms",
    "−1 min",
    "8 h",
  ]);
});

test("how far something is has units that a person would choose, and loses no millisecond", () => {
  assert.deepEqual([1, 2000, 59_999, 84_599_999, -90_000, 9.3e18].map(timeDistance), [
    "0.001 s",
    "2.000 s",
    "59.999 s",
    "23 h 29 min 59.999 s",
    "−1 min 30 s",
    "+∞",
  ]);
});

test("the ends of time are written to the millisecond, and what is beyond 2^53 comes as text", () => {
  assert.equal(decimals(2 ** 63, 3), "9223372036854775.807");
  assert.equal(decimals(-(2 ** 63), 3), "−9223372036854775.808");
  assert.equal(decimals("9007199254740993", 0), "9007199254740.993");
});

test("the sum beside a channel's watermark", () => {
  const words = { seen_not_sent: "seen {time}, not sent" };
  const sum = (max_timestamp, taken, times = seconds) => channelSum({ max_timestamp, taken }, times, words);
  assert.equal(sum(6200, [2000, 1]), "6.200 − 2.000 − 0.001");
  assert.equal(sum(6200, []), "seen 6.200, not sent");
  assert.equal(sum(null, null), "");
  assert.equal(sum(MORNING, [30_000], clock), "− 30 s");
  assert.equal(sum(MORNING, [], clock), "");
});

test("texts of several authors stand in a row as sentences", () => {
  assert.equal(sentences("It has arrived", "Try again."), "It has arrived. Try again.");
  assert.equal(sentences("It has arrived!", "Try again."), "It has arrived! Try again.");
  assert.equal(sentences("It is “late.”", "Try again."), "It is “late.” Try again.");
  assert.equal(sentences("它到得太晚", "再试一次。"), "它到得太晚。再试一次。");
  assert.equal(sentences("它到得太晚。", "再试一次。"), "它到得太晚。再试一次。");
  assert.equal(sentences("它已经关闭（见上图。）", "再试一次。"), "它已经关闭（见上图。）再试一次。");
  assert.equal(sentences("它到得“太晚”", "再试一次。"), "它到得“太晚”。再试一次。");
  assert.equal(sentences("", "Try again."), "Try again.");
});
