// The slices of a window table function: below the windows of a key, each on the span of time that it holds. A window
// that has just been put together shows of which slices.
import { svg } from "../base/dom.ts";
import { short, valueText, type Times } from "../base/format.ts";
import { keyId } from "../base/identity.ts";
import { px, textAt } from "./svg.ts";
import { widthOf } from "./written.ts";
import type { Json, StateFact } from "#types/payload";
import type { LanePlace, Scale } from "../types/player.ts";
import type { Facts } from "../base/facts.ts";

const SLICE_TEXT = 12;
const LOWEST_WITH_TEXT = 16;

/** A slice with its place; `merging`: its window is put together at this very step. */
type Slice = { row: StateFact; sign: string; x: number; y: number; wide: number; high: number; merging: boolean };

/** What the step says at which a window is put together. */
type Merging = { window: { key: StateFact["key"] }; parts: { start: number }[] };

/** The slices of a step. */
export function slicesAt(
  facts: Facts,
  step: number,
  scale: Scale,
  placeOf: (row: { key: StateFact["key"] }) => LanePlace | undefined,
  high: number,
  times: Pick<Times, "onAxis">,
): Slice[] {
  const now = facts.at("steps", step)[0];
  const merging = now?.event === "SlicesMerged" ? (now.fields as Merging) : null;
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

/** @param name the span of time, as text */
export function drawSlice({ row, x, y, wide, high, merging }: Slice, name: string) {
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

/** What an accumulator holds: of an average sum and number. */
function heldText(value: Json) {
  return Array.isArray(value) ? value.map((each) => valueText(each)).join(" / ") : short(valueText(value), 12);
}
