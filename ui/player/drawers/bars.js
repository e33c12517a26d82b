// The shapes of the lifetime picture: bars with their firings and ends, counts as steps, ticks of an axis.
import { svg } from "../base/dom.js";
import { mark } from "../base/icons.js";
import { timingMark } from "../base/reading.js";
/** @import { BarRow } from "../types/payload.d.ts" */

const BAR_HALF = 5.5;
const MARK = 13;
const BAR_TICK_ROOM = 70;
const CLOCK_UNITS = [
  100, 200, 500, 1000, 2000, 5000, 10000, 30000, 60000, 300000, 600000, 1800000, 3600000, 21600000, 86400000,
];

/**
 * The rectangles of a bar as [path, kind]: `open` until its first result, then `fired`; in time order.
 * @param {BarRow} bar
 * @param {(step: number | null) => number} x a place (px); null is the end of the run
 * @param {number} middle
 */
export function barPaths({ lives, fired }, x, middle) {
  return lives.flatMap(([from, until]) => {
    const first = fired.map(([step]) => step).find((step) => step >= from && (until === null || step < until));
    const box = (/** @type {number | null} */ begin, /** @type {number | null} */ end, /** @type {string} */ kind) => [
      `M${x(begin)} ${middle - BAR_HALF}H${Math.max(x(end), x(begin) + 2)}V${middle + BAR_HALF}H${x(begin)}Z`,
      kind,
    ];
    return first === undefined ? [box(from, until, "open")] : [box(from, first, "open"), box(first, until, "fired")];
  });
}

/**
 * A mark for each result, and how each life ended.
 * @param {BarRow} bar
 * @param {(step: number | null) => number} x a place (px); null is the end of the run
 * @param {number} middle
 */
export function barMarks({ lives, fired }, x, middle) {
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

/**
 * A count as a step line: `counts` are [step, count], each true until the next.
 * @param {[number, number][]} counts
 * @param {number} last
 * @param {(step: number) => number} x
 * @param {(count: number) => number} y
 */
export function countPath(counts, last, x, y) {
  let path = "";
  counts.forEach(([step, count], index) => {
    path += `${index ? `H${x(step)}V` : `M${x(step)} `}${y(count)}`;
  });
  return `${path}H${x(last)}`;
}

/**
 * Round places on an axis, as many as fit; `time`: it is one of times (ms), not of steps.
 * @param {number} from
 * @param {number} to
 * @param {number} width
 * @param {boolean} time
 */
export function gridOf(from, to, width, time) {
  const least = ((to - from) * BAR_TICK_ROOM) / Math.max(width, 1);
  const unit = (time ? CLOCK_UNITS.find((each) => each >= least) : null) ?? Math.max(roundTick(least), 1);
  const ticks = [];
  for (let tick = Math.ceil(from / unit) * unit; tick <= to; tick += unit) ticks.push(tick);
  return ticks;
}

/**
 * The next of 1, 2, 5, 10, 20 …
 * @param {number} least
 */
function roundTick(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  return [1, 2, 5, 10].map((each) => each * power).find((each) => each >= least) ?? 10 * power;
}
