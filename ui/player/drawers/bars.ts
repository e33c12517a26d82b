// The shapes of the lifetime picture: bars with their firings and ends, counts as steps, ticks of an axis.
import { svg } from "../base/dom.ts";
import { mark } from "../base/icons.ts";
import { timingMark } from "../base/reading.ts";
import type { BarRow } from "#types/payload";

const BAR_HALF = 5.5;
const MARK = 13;
const BAR_TICK_ROOM = 70;
const CLOCK_UNITS = [
  100, 200, 500, 1000, 2000, 5000, 10000, 30000, 60000, 300000, 600000, 1800000, 3600000, 21600000, 86400000,
];

/**
 * The rectangles of a bar as [path, kind]: `open` until its first result, then `fired`; in time order.
 * @param x a place (px); null is the end of the run
 */
export function barPaths({ lives, fired }: BarRow, x: (step: number | null) => number, middle: number) {
  return lives.flatMap(([from, until]) => {
    const first = fired.map(([step]) => step).find((step) => step >= from && (until === null || step < until));
    const box = (begin: number | null, end: number | null, kind: string) => [
      `M${x(begin)} ${middle - BAR_HALF}H${Math.max(x(end), x(begin) + 2)}V${middle + BAR_HALF}H${x(begin)}Z`,
      kind,
    ];
    return first === undefined ? [box(from, until, "open")] : [box(from, first, "open"), box(first, until, "fired")];
  });
}

/**
 * A mark for each result, and how each life ended.
 * @param x a place (px); null is the end of the run
 */
export function barMarks({ lives, fired }: BarRow, x: (step: number | null) => number, middle: number) {
  const ends = lives
    .filter(([, , how]) => how === "cleared" || how === "merged")
    .map(([, until, how]) =>
      svg("path", {
        d: how === "cleared" ? `M${x(until)} ${middle - 9}V${middle + 9}` : `M${x(until)} ${middle - 8}l6 8l-6 8`,
        class: "tm-life-end",
      }),
    );
  const results = fired.map(([step, timing]) => {
    const look = mark(timingMark(timing));
    for (const [name, value] of Object.entries({
      x: x(step) - MARK / 2,
      y: middle - MARK / 2,
      width: MARK,
      height: MARK,
    })) {
      look.setAttribute(name, String(value));
    }
    return look;
  });
  return [...ends, ...results];
}

/** A count as a step line: `counts` are [step, count], each true until the next. */
export function countPath(
  counts: [number, number][],
  last: number,
  x: (step: number) => number,
  y: (count: number) => number,
) {
  let path = "";
  counts.forEach(([step, count], index) => {
    path += `${index ? `H${x(step)}V` : `M${x(step)} `}${y(count)}`;
  });
  return `${path}H${x(last)}`;
}

/** Round places on an axis, as many as fit; `time`: it is one of times (ms), not of steps. */
export function gridOf(from: number, to: number, width: number, time: boolean) {
  const least = ((to - from) * BAR_TICK_ROOM) / Math.max(width, 1);
  const unit = (time ? CLOCK_UNITS.find((each) => each >= least) : null) ?? Math.max(roundTick(least), 1);
  const ticks = [];
  for (let tick = Math.ceil(from / unit) * unit; tick <= to; tick += unit) ticks.push(tick);
  return ticks;
}

/** The next of 1, 2, 5, 10, 20 … */
function roundTick(least: number) {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  return [1, 2, 5, 10].map((each) => each * power).find((each) => each >= least) ?? 10 * power;
}
