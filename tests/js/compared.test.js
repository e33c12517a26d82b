// What a query compares facts with: numbers, times and texts as a reader types them.
import assert from "node:assert/strict";
import test from "node:test";
import { Times } from "../../ui/player/base/format.ts";
import { comparison, numberOf, timeOf } from "../../ui/player/frame/finder.ts";

const seconds = new Times({ style: "seconds", zone: "UTC", day: null }, {});
const berlin = new Times({ style: "clock", zone: "Europe/Berlin", day: "2024-05-01" }, {});

test("a number may have a unit, and is in ms then", () => {
  assert.deepEqual(["5", "-2.5", "250ms", "9s", "1.5 min", "2h", "x"].map(numberOf), [
    5,
    -2.5,
    250,
    9000,
    null,
    7_200_000,
    null,
  ]);
});

test("a time is in seconds as on the screen, or has a unit", () => {
  assert.deepEqual(
    ["9", "9s", "250ms", "−1", "+∞", "soon", "08:00"].map((text) => timeOf(text, seconds)),
    [9000, 9000, 250, -1000, 9.2e18, null, null],
  );
});

test("where the screen shows a clock, a time of day is of the scenario's day and zone", () => {
  assert.equal(timeOf("08:00:05", berlin), Date.parse("2024-05-01T06:00:05Z"));
  assert.equal(timeOf("08:00:05.25", berlin), Date.parse("2024-05-01T06:00:05.250Z"));
  assert.equal(timeOf("2024-12-01T08:00", berlin), Date.parse("2024-12-01T07:00:00Z"));
});

test("values are compared as numbers where both are, and as text else", () => {
  const is = (operator, text) => comparison(operator, { text, number: numberOf(text) });
  assert.equal(is("=", "7")(7), true);
  assert.equal(is("=", "7")("7"), true);
  assert.equal(is("!=", "a")("a"), false);
  assert.equal(is("=", "none")(null), true);
  assert.equal(is("~", "time")("ProcessingTime"), true);
  assert.equal(is("<", "7")(6), true);
  assert.equal(is("<=", "7")(7), true);
  assert.equal(is(">", "7")(7), false);
  assert.equal(is(">=", "7")("8"), false, "a text has no order");
});
