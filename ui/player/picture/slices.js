// The slices of a window table function: below the windows of a key, each on the span of time that it holds. A window
// that has just been put together shows of which slices.
import { svg } from "../base/dom.js";
import { short, valueText } from "../base/format.js";
import { keyId } from "../base/identity.js";
import { px, textAt } from "./svg.js";
import { widthOf } from "./written.js";
/** @import { Json, StateFact } from "../types/payload.d.ts" */
/** @import { LanePlace, Scale } from "../types/player.d.ts" */
/** @import { Facts } from "../base/facts.js" */
/** @import { Times } from "../base/format.js" */

const SLICE_TEXT = 12;
const LOWEST_WITH_TEXT = 16;

/**
 * A slice with its place; `merging`: its window is put together at this very step.
 * @typedef {{ row: StateFact, sign: string, x: number, y: number, wide: number, high: number, merging: boolean }} Slice
 */

/**
 * What the step says at which a window is put together.
 * @typedef {{ window: { key: StateFact["key"] }, parts: { start: number }[] }} Merging
 */

/**
 * The slices of a step.
 * @param {Facts} facts
 * @param {number} step
 * @param {Scale} scale
 * @param {(row: { key: StateFact["key"] }) => LanePlace | undefined} placeOf
 * @param {number} high
 * @param {Pick<Times, "onAxis">} times
 * @returns {Slice[]}
 */
export function slicesAt(facts, step, scale, placeOf, high, times) {
  const now = facts.at("steps", step)[0];
  const merging = now?.event === "SlicesMerged" ? /** @type {Merging} */ (now.fields) : null;
  return facts.at("state", step).flatMap((row) => {
    const place = placeOf(row);
    if (!place || row.kind !== "contents" || row.start === null || row.end === null) return [];
    const span = times.onAxis(row);
    if (!scale.holds(span)) return [];
    const [from, to] = [scale.px(span.start), scale.px(span.end)];
    const wide = Math.max(to - from - 3, 3);
    const [x, y] = [scale.left + from + 1.5, place.top + place.height - high - 4];
    const merges =
      merging !== null &&
      keyId(merging.window.key) === keyId(row.key) &&
      merging.parts.some((each) => each.start === row.start);
    const sign = `${scale.part.step} ${x} ${y} ${wide} ${JSON.stringify(row.value)} ${merges}`;
    return [{ row, sign, x, y, wide, high, merging: merges }];
  });
}

/**
 * @param {Slice} slice
 * @param {string} name the span of time, as text
 */
export function drawSlice({ row, x, y, wide, high, merging }, name) {
  const group = svg("g", { class: `tm-slice${merging ? " tm-merging" : ""}`, "data-id": row.id });
  group.append(svg("rect", { x: px(x), y: px(y), width: px(wide), height: high, rx: 3 }));
  const value = ` = ${heldText(row.value)}`;
  const text = [name + value, value.slice(3), ""].find((each) => widthOf(each, SLICE_TEXT, 400) <= wide - 8) ?? "";
  if (text && high >= LOWEST_WITH_TEXT) {
    group.append(textAt(text, x + 5, y + high / 2 + 4, { "font-size": SLICE_TEXT, class: "tm-slice-text" }));
  }
  const title = svg("title");
  title.textContent = name + value;
  group.append(title);
  return group;
}

/**
 * What an accumulator holds: of an average sum and number.
 * @param {Json} value
 */
function heldText(value) {
  return Array.isArray(value) ? value.map((each) => valueText(each)).join(" / ") : short(valueText(value), 12);
}
