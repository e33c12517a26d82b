// Geometry of the two sides of an interval join: the place of each record, and of the bar of each buffered record, for
// a whole run.
import { short, valueText } from "../base/format.ts";
import type { JoinSide, RecordFact, ShownBuffer } from "#types/payload";
import type { Scale } from "../types/player.ts";

const CROWDED = 23;
const LEVELS = 3;

export const JOIN_SIDES: JoinSide[] = ["left", "right"];

/** The side whose lane is nearest to `y` (px). */
export function sideNear(lanes: { [side in JoinSide]: number }, y: number): JoinSide {
  return y < (lanes.left + lanes.right) / 2 ? "left" : "right";
}

// How far from its lane (px) the bars of the buffered records begin: names and the bounds of a range stand between, in
// a low picture the names alone. A bar needs so much room.
const BESIDE = { most: 52, least: 30 };
const BAR_ROOM = 5;

/** What a record is called: its value where no other of its side has it, else its number in the stream. */
function namesOf(records: RecordFact[]) {
  const taken = new Map();
  const nameOf = (row: RecordFact) =>
    row.value === null || typeof row.value === "object" ? null : short(valueText(row.value), 8);
  for (const row of records) {
    taken.set(`${row.input} ${nameOf(row)}`, (taken.get(`${row.input} ${nameOf(row)}`) ?? 0) + 1);
  }
  return new Map(
    records.map((row) => {
      const name = nameOf(row);
      return [row.item, name === null || taken.get(`${row.input} ${name}`) > 1 ? `#${row.item}` : name];
    }),
  );
}

/** Lays rows out one above another, so that none of [from, until] touches another in its row; the row of each. */
function stacked(spans: { from: number; until: number }[]) {
  const ends: number[] = [];
  return spans.map(({ from, until }) => {
    let row = ends.findIndex((end) => end < from);
    if (row < 0) row = ends.push(0) - 1;
    ends[row] = until;
    return row;
  });
}

/**
 * Places for a part of a run, `height` px high: {names, at(item), lanes, bars, top, bottom}. `at` returns {x, y} of a
 * record; `bars` holds the row of a buffered record (by item) on its side, `rowHigh` the height of such a row.
 * `textWide` is the width (px) of a bar's text.
 */
export function layoutOf({
  records,
  buffers,
  scale,
  height,
  textWide,
}: {
  records: RecordFact[];
  buffers: ShownBuffer[];
  scale: Scale;
  height: number;
  textWide: (row: ShownBuffer, names: Map<number, string>) => number;
}) {
  const first: Map<number, RecordFact> = new Map();
  for (const row of records) if (!first.has(row.item)) first.set(row.item, row);
  const all = [...first.values()];
  const names = namesOf(all);
  const top = 40;
  const bottom = Math.max(height - 42, top); // a window may be lower than its margins
  const room = bottom - top;
  const lanes = { left: top + room * 0.33, right: top + room * 0.66 };
  const at: Map<number, { x: number; y: number; level: number }> = new Map();
  for (const side of JOIN_SIDES) {
    const own = all.filter((row) => row.input === side).sort((a, b) => (a.ts ?? 0) - (b.ts ?? 0) || a.item - b.item);
    const lasts: number[] = [];
    for (const row of own) {
      const x = scale.left + scale.px(row.ts);
      let level = 0;
      while (level < LEVELS - 1 && lasts[level] !== undefined && x - lasts[level] < CROWDED) level += 1;
      lasts[level] = x;
      at.set(row.item, { x, y: lanes[side] + (side === "left" ? 1 : -1) * level * 24, level });
    }
  }
  const rows = new Map();
  const deepest = { left: 0, right: 0 };
  for (const side of JOIN_SIDES) {
    const own = [
      ...new Map(
        buffers.filter((row) => row.side === side && names.has(row.item)).map((row) => [row.item, row]),
      ).values(),
    ];
    own.sort((a, b) => a.ts - b.ts || a.item - b.item);
    const found = stacked(
      own.map((row) => ({
        from: scale.px(row.ts),
        until: row.kept_until === null ? Infinity : scale.px(Math.max(row.kept_until, row.ts)) + textWide(row, names),
      })),
    );
    own.forEach((row, index) => rows.set(row.item, found[index]));
    deepest[side] = Math.max(0, ...found) + 1;
  }
  const free = { left: lanes.left - top, right: bottom - lanes.right };
  const beside = (side: JoinSide) =>
    Math.max(Math.min(BESIDE.most, free[side] - BAR_ROOM * deepest[side]), Math.min(BESIDE.least, free[side]));
  const rowOf = (side: JoinSide) => Math.min(17, (free[side] - beside(side)) / deepest[side]);
  const rowHigh = { left: rowOf("left"), right: rowOf("right") };
  const bar = (side: JoinSide, item: number) =>
    lanes[side] + (side === "left" ? -1 : 1) * (beside(side) + (rows.get(item) + 0.4) * rowHigh[side]);
  return { names, at, lanes, bar, rowHigh, top, bottom };
}
