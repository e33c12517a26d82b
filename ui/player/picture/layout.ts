// What keeps its place on the plane for as long as its part, size, direction and language stay: marks, results and
// labels. The most important ones choose first; whatever comes and goes with a step is placed around them (moment.ts).
import { FOR_FRAME, FOR_TEXT, Space, around, baseline, beside, textBox } from "./labels.ts";
import { pointerBox, pointersOf } from "./scene.ts";
import type { Beside, Box, Frame, Label, Laid, PartRows, Place, Spread } from "../types/picture.ts";
import type { Band, Emitted, Ideal, Line, PlaneRecord, ResultBox, Stop } from "#types/payload";

export const TEXT = 13;

// From this diameter (px) on a mark has room for the key, and below the other one only late records have labels: among
// hundreds the others would hide them.
const LETTERED = 15;
const FEW = 12;
// The marks that are round, with room for a text.
const LETTERS = new Set(["on-time", "behind", "arrived", "ahead"]);

const RESULT = { square: 15, least: 130 };
/** Where the text of a result begins and ends in its frame, and where its frame may begin in its window. */
const RESULT_ENDS = { roomy: { mark: 24, end: 9, from: 8, step: 6 }, tight: { mark: 19, end: 4, from: 2, step: 2 } };
// A result has a mark in any case, if need be on another one.
const CROWDED_OUT = { ...FOR_FRAME, mark: 5, text: 5 };
// How far above and below its row a mark without a frame may stand.
const OFF_ROW = [-18, 18, -36, 36];
// With more results than this a picture is dense.
const MANY_RESULTS = 12;
const NAMES = 14;
const SHARES = [0.66, 0.72, 0.6, 0.8, 0.54, 0.86, 0.46, 0.36, 0.26];

/**
 * The places of a part's marks and labels.
 * @param rows every row of the part, by source
 * @param others what else stands in the same picture
 */
export function layOut(rows: PartRows, frame: Frame, others: Beside[] = []): Laid {
  const { width, height } = frame;
  const space = new Space({ left: -4, top: 1, right: width + 18, bottom: height - 1 });
  const { first, at, dot, pointers } = marksOf(rows, frame);
  for (const other of others) {
    blockMarks(other.rows, frame, { ...(other.laid ?? marksOf(other.rows, frame)), space });
    if (other.laid) blockTexts(other.laid, space);
  }
  blockMarks(rows, frame, { at, dot, pointers, space });
  return {
    dot,
    numbers: frame.numbers,
    at,
    pointers,
    results: resultsOf(rows.boxes, frame, { space, shared: others.length > 0 }),
    emitted: emittedPlaces(rows.emitted, frame, { space, radius: dot / 2 }),
    records: recordLabels(rows, first, { at, dot, frame, space }),
    stops: stopNames(rows.stops, frame, space),
    ideal: idealName(rows.ideal, frame, space),
    windows: windowNames(rows.bands, frame),
  };
}

/** Where the mark of each record is, and how large all of them are. */
function marksOf(rows: PartRows, { x, y, dot: largest, down }: Frame) {
  const first = firsts([...rows.ahead, ...rows.records]);
  const middles = [...first.values()].map((row) => ({ x: x(row.x), y: y(row.y) }));
  const { dot, places } = spreadOut(middles, largest, down);
  const at = new Map([...first.keys()].map((id, index) => [id, places[index]]));
  return { first, dot, at, pointers: pointersOf(rows.sides, at, dot) };
}

/** Marks, and the lines of the part. */
function blockMarks(
  rows: PartRows,
  frame: Frame,
  { at, dot, pointers, space }: Pick<Laid, "at" | "dot" | "pointers"> & { space: Space },
) {
  const { width, x, y } = frame;
  const radius = dot / 2;
  for (const [id, place] of at) {
    space.block(around(place, radius + 1), "mark", id);
    space.block(around(place, radius + 8), "ring", id);
  }
  for (const place of pointers.values()) space.block(pointerBox(place), "mark");
  for (const row of rows.segments) space.block(lineOf(row, frame, 3), "line");
  for (const row of rows.stops) space.block({ left: 0, right: width, top: y(row.y) - 2, bottom: y(row.y) + 2 }, "line");
  for (const row of rows.bars) space.block(lineOf(row, frame, 1), "thin");
  blockBorders(rows, frame, space);
  for (const row of rows.ideal) space.blockSlant(x(row.x), y(row.y), x(row.x2), y(row.y2), "thin");
  if (at.size <= 60) {
    for (const row of rows.connectors) space.blockSlant(x(row.x), y(row.y), x(row.x2), y(row.y2), "thin");
  }
}

/** Borders of windows, and the right edge. */
export function blockBorders({ borders }: PartRows, { width, height, x }: Frame, space: Space) {
  for (const middle of [...borders.map((row) => x(row.x)), width]) {
    space.block({ left: middle - 1, right: middle + 1, top: 0, bottom: height }, "thin");
  }
}

/** Results and texts that are in their places. */
function blockTexts({ results, emitted, records, stops, ideal }: Laid, space: Space) {
  for (const { box } of results.values()) space.block(box, "mark");
  for (const place of emitted.values()) space.block(around(place, 6), "mark");
  for (const { box } of [...records.values(), ...stops.values()]) space.block(box, "text");
  if (ideal) space.block(ideal.box, "text");
}

/** The first row of each record, in the order of arrival. */
function firsts(rows: PlaneRecord[]) {
  const found: Map<string, PlaneRecord> = new Map();
  for (const row of rows) if (!found.has(row.id)) found.set(row.id, row);
  return new Map([...found].sort(([, a], [, b]) => a.y - b.y));
}

/** The box of a horizontal or vertical line, `half` as thick on either side. */
export function lineOf(row: Line, { x, y }: Frame, half: number): Box {
  const [left, right] = [x(row.x), x(row.x2)].sort((a, b) => a - b);
  const [top, bottom] = [y(row.y), y(row.y2)].sort((a, b) => a - b);
  return { left: left - half, top: top - half, right: right + half, bottom: bottom + half };
}

/**
 * The frame of each result, by its place: as far left in its window as there is room, else its mark alone.
 * @param placed `shared`: with results of another plane, which no mark may lie on
 */
function resultsOf(
  boxes: ResultBox[],
  { x, y, width, height, wide }: Frame,
  { space, shared }: { space: Space; shared: boolean },
) {
  const half = Math.min(Math.max(height / 26, 10), 12);
  const found: Laid["results"] = new Map();
  for (const row of boxes) {
    if (found.has(row.place)) continue;
    const [left, middle] = [x(row.x), y(row.y)];
    const room = x(row.x2) - left;
    const text = wide(row.text, TEXT, 600);
    const boxAt = (dx: number, size: number, tall: number, by = 0) => ({
      box: { left: left + dx, right: left + dx + size, top: middle + by - tall, bottom: middle + by + tall },
    });
    // A tight frame may touch the border of its window. Where a row is full, a frame stands above or below it.
    // Among many results that would crowd out others, whose marks then lie on them.
    const rows = boxes.length > MANY_RESULTS ? [0] : [0, -(2 * half + 5), 2 * half + 5];
    const ways = rows.flatMap((by) => [
      { by, ends: RESULT_ENDS.roomy, over: -2 },
      { by, ends: RESULT_ENDS.tight, over: 4 },
    ]);
    for (const { by, ends, over } of ways) {
      const long = ends.mark + text + ends.end;
      const framed = [];
      // In a window that is narrower than its result the frame begins, and reaches beyond it.
      for (let dx = ends.from; dx + long <= room + over || (dx < room && dx + long <= RESULT.least); dx += ends.step) {
        if (left + dx + long >= width + 12) break;
        framed.push(boxAt(dx, long, half + 1, by));
      }
      const whole = space.place(framed, FOR_FRAME, { own: row.place, label: row.place });
      if (whole) {
        found.set(row.place, { box: whole.box, whole: true, ends });
        break;
      }
    }
    if (found.has(row.place)) continue;
    const aloneAt = (heights: number[]) => {
      const places = [];
      for (const by of heights) {
        for (let dx = 2; dx + RESULT.square <= Math.max(room, RESULT.square + 2); dx += 4) {
          places.push(boxAt(dx, RESULT.square, 7, by));
        }
      }
      return places;
    };
    const options = { own: row.place, label: row.place };
    // Rather above or below its row than on the text of another result.
    const alone = aloneAt(shared ? [0, ...OFF_ROW] : [0]);
    const square =
      space.place(alone, FOR_FRAME, options) ??
      space.place(aloneAt(OFF_ROW), FOR_FRAME, options) ??
      space.place(alone, CROWDED_OUT, options);
    found.set(row.place, { box: (square ?? alone[0]).box, whole: false, ends: RESULT_ENDS.tight });
  }
  return found;
}

/** Where a result without a window stands: where it was emitted, or beside the record that lies there. */
function emittedPlaces(rows: Emitted[], { x, y }: Frame, { space, radius }: { space: Space; radius: number }) {
  const found: Laid["emitted"] = new Map();
  const away = radius + 8;
  const ways = [0, 1, 2].flatMap((far) => [
    [away + 12 * far, 0],
    [-away - 12 * far, 0],
    [0, away + 12 * far],
    [0, -away - 12 * far],
  ]);
  for (const row of rows) {
    const [left, middle] = [x(row.x), y(row.y)];
    const places = [[0, 0], ...ways].map(([dx, dy]) => {
      const place = { x: left + dx, y: middle + dy };
      return { ...place, box: around(place, 6) };
    });
    const options = { label: row.id };
    const place = space.place(places, FOR_FRAME, options) ?? space.place(places, CROWDED_OUT, options);
    found.set(row, place ?? places[0]);
  }
  return found;
}

/** The label of each record, the late ones first. */
function recordLabels(
  rows: PartRows,
  first: Map<string, PlaneRecord>,
  { at, dot, frame, space }: { at: Laid["at"]; dot: number; frame: Frame; space: Space },
) {
  const widths: Map<string, number> = new Map();
  for (const row of [...rows.ahead, ...rows.records]) {
    widths.set(row.id, Math.max(widths.get(row.id) ?? 0, frame.wide(labelOf(row, dot, frame.numbers), TEXT, 400)));
  }
  const found: Laid["records"] = new Map();
  const order = [...first.values()].sort((a, b) => b.rank - a.rank);
  for (const row of order) {
    const wide = widths.get(row.id) ?? 0;
    if (!wide || (dot < FEW && row.rank < 2)) continue;
    const below = row.rank > 0 === frame.down > 0;
    const place = at.get(row.id) as { x: number; y: number };
    const spot = space.place(beside(place, dot / 2, { wide, size: TEXT, below }), FOR_TEXT, { own: row.id });
    if (spot) found.set(row.id, labelAt(spot.box, row.rank));
  }
  return found;
}

/** What a record's mark carries: its number of processing if `numbers` are shown, else its key; "" without room. */
export function carriedBy(row: PlaneRecord, dot: number, numbers: Map<string, string> | null): string {
  if (dot < LETTERED || !LETTERS.has(row.fate)) return "";
  return numbers?.get(row.id) ?? row.letter;
}

/** What a record's label reads: what its mark does not carry. */
export function labelOf(row: PlaneRecord, dot: number, numbers: Map<string, string> | null): string {
  const number = numbers?.get(row.id);
  if (number !== undefined) return carriedBy(row, dot, numbers) ? row.full : `#${number} ${row.full}`.trim();
  return row.letter && dot >= LETTERED ? row.text : row.full;
}

function labelAt(box: Box, rank: number): Label {
  return { box, rank, left: box.left, baseline: baseline(box, TEXT) };
}

/** The names of lines across the plane: rather above than below, rather at the right. */
function stopNames(stops: Stop[], { y, width, wide }: Frame, space: Space) {
  const found: Laid["stops"] = new Map();
  for (const row of stops) {
    if (!row.text) continue;
    const long = wide(row.text, TEXT, 600);
    const places = [];
    for (let number = 0; number < NAMES; number += 1) {
      const left = width - 6 - long - (number * long) / 2;
      if (left < 0) break;
      for (const dy of [-10, 10]) places.push({ box: textBox(left, y(row.y) + dy, long, TEXT) });
    }
    const spot = space.place(places, FOR_TEXT);
    if (spot) found.set(row, labelAt(spot.box, 3));
  }
  return found;
}

/** The name of the diagonal, along it, if it is long enough. */
function idealName([row]: Ideal[], { x, y, down, width, wide }: Frame, space: Space) {
  if (!row || x(row.x2) - x(row.x) < 120 || Math.abs(y(row.y2) - y(row.y)) < 60) return null;
  const long = wide(row.text, TEXT, 400);
  const places = SHARES.flatMap((share) => {
    const [left, middle] = [row.x + share * (row.x2 - row.x), row.y + share * (row.y2 - row.y)].map((each, index) =>
      index ? y(each) : x(each),
    );
    return [
      textBox(left + 10, middle - 9 * down, long, TEXT),
      textBox(left - 10 - long, middle + 9 * down, long, TEXT),
    ];
  }).map((box) => ({ box }));
  const inside = places.filter(({ box }) => box.right < width);
  const spot = space.place([...inside, ...places], FOR_TEXT);
  return spot && labelAt(spot.box, -1);
}

/** The names of the windows above the plane, where the window is as wide as its name. */
function windowNames(bands: Band[], { x, wide }: Frame) {
  const found: Laid["windows"] = new Map();
  for (const row of bands) {
    const long = wide(row.text, TEXT, 500);
    const [left, right] = [x(row.x), x(row.x2)];
    if (long + 6 <= right - left) found.set(row, (left + right) / 2);
  }
  return found;
}

// How large the marks of records are, and how records of one place are set apart, so that each can be seen.

const DOTS = [20, 17, 15, 13, 11, 9, 7];
const PASSES = 30;

// The part of a diameter by which two marks may overlap and still be told apart.
const TOUCH = 0.06;

/**
 * Places of the marks and their diameter: the largest at which none lies on another, at most `most`. A mark keeps its
 * time and moves along the arrival axis, by at most its own size, the earlier of two toward the earlier side: so it
 * stays on its side of every window and of the watermark.
 * @param places in the order of arrival
 * @param most px
 * @param down 1, or -1 where arrival runs upward
 */
export function spreadOut(places: Place[], most: number, down: number): Spread {
  const sizes = DOTS.filter((size) => size < most);
  for (const dot of [most, ...sizes]) {
    const found = apart(places, dot, down);
    if (!pairs(found, dot * (1 - TOUCH)).next().value || dot === sizes.at(-1)) return { dot, places: found };
  }
  return { dot: most, places };
}

function apart(places: Place[], dot: number, down: number) {
  const found = places.map((place) => ({ ...place }));
  for (let pass = 0; pass < PASSES; pass += 1) {
    let moved = false;
    for (const [first, second] of pairs(found, dot - 0.1)) {
      const [a, b] = [found[first], found[second]];
      const needed = Math.sqrt(Math.max(dot * dot - (a.x - b.x) ** 2, 0));
      // Whatever has been moved so far, the earlier of the two stays the earlier one.
      const way = Math.sign(places[second].y - places[first].y) || down;
      const push = (needed - way * (b.y - a.y)) / 2;
      a.y = near(a.y - way * push, places[first].y, dot);
      b.y = near(b.y + way * push, places[second].y, dot);
      moved = true;
    }
    if (!moved) break;
  }
  return found;
}

function near(value: number, home: number, reach: number) {
  return Math.min(Math.max(value, home - reach), home + reach);
}

/**
 * The pairs of places that are less than `apart` from each other, each once.
 * @param distance px
 */
function* pairs(places: Place[], distance: number): Generator<[number, number], void> {
  const cells: Map<number, number[]> = new Map();
  for (let index = 0; index < places.length; index += 1) {
    const { x, y } = places[index];
    const [column, row] = [Math.floor(x / distance), Math.floor(y / distance)];
    for (let across = -1; across <= 1; across += 1) {
      for (let along = -1; along <= 1; along += 1) {
        for (const other of cells.get((column + across) * 65536 + row + along) ?? []) {
          const there = places[other];
          if (Math.hypot(there.x - places[index].x, there.y - places[index].y) < distance) yield [other, index];
        }
      }
    }
    const cell = column * 65536 + row;
    const own = cells.get(cell);
    if (own) own.push(index);
    else cells.set(cell, [index]);
  }
}
