// What a window's box holds at a step, and how records and results are written there.
import { short, valueText } from "../base/format.ts";
import { pairValue, windowContents } from "../base/reading.ts";
import type { Row } from "../types/player.ts";
import type { Json, WindowFact } from "#types/payload";
import type { Facts } from "../base/facts.ts";

/** What stands on a record's chip: its value, or its number where the value has parts. */
export function chipText(row: { value: Json; item: number }) {
  return row.value !== null && typeof row.value === "object" ? `#${row.item}` : short(valueText(row.value), 8);
}

/**
 * The text of a result: of a pane its value, of a ranked row its place too, of a join both sides; ∅ where a side is
 * empty.
 */
export function resultText(row: Row, most = 12) {
  const side = (values: any) => (values === null || values?.length === 0 ? "∅" : short(valueText(values), most));
  if (row.row === "joined") return `${side(pairValue(row.left))} ⋈ ${side(pairValue(row.right))}`;
  if (row.row === "group") return `${side(row.left)} · ${side(row.right)}`;
  if (row.row === "ranked") return `${row.rank}) ${short(valueText(row.value), most)}`;
  return `${short(valueText(row.value), most)}${row.timing === "late" ? ` ↻${row.pane}` : ""}`;
}

/** Everything that a window's box shows at `step`; `sign` changes when any of it does. */
export function boxFacts(facts: Facts, row: WindowFact, step: number) {
  const held = windowContents(facts, row, step);
  const evicted = new Set(facts.where("evicted", "holder", row.holder, step).map((each) => each.id));
  const there = new Set(held.map((each) => each.id));
  const leaving = facts.where("evicted", "holder", row.holder, step).filter((each) => !there.has(each.id));
  const contents = [...held, ...leaving].sort((a, b) => a.order - b.order);
  const outputs = facts.where("outputs", "window", row.id, step).filter((each) => each.row.change !== "-U");
  const struck = new Set(
    outputs.filter((each) => facts.where("retracted", "output", each.id, step).length).map((each) => each.id),
  );
  const gone = facts.where("void", "window", row.id, step);
  const count = facts.where("counts", "window", row.id, step)[0] ?? null;
  const sign = [
    contents.length,
    contents.at(-1)?.id,
    evicted.size,
    outputs.length,
    struck.size,
    gone.length,
    count?.count,
  ].join(" ");
  return { contents, evicted, outputs, struck, gone, count, sign };
}
