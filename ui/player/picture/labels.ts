// Where labels find room in a picture. Everything is in px of the picture's true size: obstacles first, then labels,
// the most important first; each takes the best of its candidate places, and none lies on another.
import { textMetrics } from "../base/dom.ts";
import type { Box, Candidate, Costs, Obstacle } from "../types/picture.ts";

const CELL = 40;

// How far the ink of a text reaches above and below its baseline, in parts of its size. The line box of a font is a
// third higher, and empty there.
const INK = { above: 0.8, below: 0.22 };

/** What no text may lie on, and what it may cross if there is no better place: a thin line. */
export const FOR_TEXT: Costs = { mark: Infinity, text: Infinity, line: Infinity, ring: 4, thin: 2 };

/** What lies on a ground of its own, such as the frame of a result, may cover lines. */
export const FOR_FRAME: Costs = { mark: Infinity, text: Infinity, line: 0, ring: 2, thin: 0 };

/** Whether two boxes share more than an edge. */
export function overlap(a: Box, b: Box) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

/** The box of a text of this width and size whose ink begins at `left` and has its middle at `middle`. */
export function textBox(left: number, middle: number, wide: number, size: number): Box {
  const half = ((INK.above + INK.below) * size) / 2;
  return { left, top: middle - half, right: left + wide, bottom: middle + half };
}

/** The baseline of a text in its box. */
export function baseline(box: Box, size: number) {
  return box.bottom - INK.below * size;
}

/** The occupied places of a picture. A grid keeps the search short. */
export class Space {
  bounds: Box;
  grid: Map<number, Obstacle[]> = new Map();

  /** @param bounds outside of which nothing may stand */
  constructor(bounds: Box) {
    this.bounds = bounds;
  }

  /**
   * Occupies a place. `of`: the id of what is there; its own label may touch it.
   * @param label what gives way if something more important needs the place
   */
  block(box: Box, kind: Obstacle["kind"], of?: string, label?: unknown) {
    const obstacle = { box, kind, of, label };
    for (const cell of cellsOf(box)) {
      const there = this.grid.get(cell);
      if (there) there.push(obstacle);
      else this.grid.set(cell, [obstacle]);
    }
  }

  /** Occupies a slanting line by small boxes along it. */
  blockSlant(x: number, y: number, x2: number, y2: number, kind: Obstacle["kind"]) {
    const count = Math.max(1, Math.ceil(Math.hypot(x2 - x, y2 - y) / 10));
    for (let each = 0; each <= count; each += 1) {
      const [at, down] = [x + ((x2 - x) * each) / count, y + ((y2 - y) * each) / count];
      this.block({ left: at - 2, top: down - 2, right: at + 2, bottom: down + 2 }, kind);
    }
  }

  /** The obstacles that a box lies on. */
  under(box: Box): Set<Obstacle> {
    const found: Set<Obstacle> = new Set();
    for (const cell of cellsOf(box)) {
      for (const each of this.grid.get(cell) ?? []) if (overlap(box, each.box)) found.add(each);
    }
    return found;
  }

  holds({ left, top, right, bottom }: Box) {
    const { bounds } = this;
    return left >= bounds.left && right <= bounds.right && top >= bounds.top && bottom <= bounds.bottom;
  }

  /**
   * What it costs to stand there; Infinity if it must not.
   * @param own the id of what the label names
   */
  cost(box: Box, costs: Costs, own?: string) {
    if (!this.holds(box)) return Infinity;
    let sum = 0;
    for (const { kind, of } of this.under(box)) {
      if (own === undefined || of !== own) sum += costs[kind];
      if (sum === Infinity) break;
    }
    return sum;
  }

  /**
   * The best of these places, the first of equals, null if all are taken. It is occupied from then on.
   * @param candidates the preferred ones first
   */
  place<C extends Candidate>(
    candidates: C[],
    costs: Costs,
    { own, label }: { own?: string; label?: unknown } = {},
  ): C | null {
    let best = null;
    let least = Infinity;
    for (const each of candidates) {
      const cost = this.cost(each.box, costs, own);
      if (cost < least) [best, least] = [each, cost];
      if (cost === 0) break;
    }
    if (best) this.block(best.box, "text", own, label);
    return best;
  }
}

function* cellsOf({ left, top, right, bottom }: Box) {
  for (let column = Math.floor(left / CELL); column <= Math.floor(right / CELL); column += 1) {
    for (let row = Math.floor(top / CELL); row <= Math.floor(bottom / CELL); row += 1) yield column * 65536 + row;
  }
}

/**
 * Places for a text beside a round mark, clear of the ring that a step may draw around it: rather at the right than at
 * the left, and rather above than below, or the other way round.
 * @param mark its middle
 */
export function beside(
  { x, y }: { x: number; y: number },
  radius: number,
  { wide, size, below }: { wide: number; size: number; below: boolean },
): Candidate[] {
  const away = radius + 6;
  const ring = radius + 9;
  const up = radius + size / 2 - 1;
  const [first, second] = below ? [up, -up] : [-up, up];
  const over = ring + size / 2;
  const at = (left: number, middle: number) => ({
    box: textBox(x + left, y + middle, wide, size),
  });
  return [
    at(away, first),
    at(away, second),
    at(-away - wide, first),
    at(-away - wide, second),
    at(ring, 0),
    at(-wide / 2, below ? over : -over),
    at(-wide / 2, below ? -over : over),
    at(-ring - wide, 0),
  ];
}

/** The box around a point. */
export function around({ x, y }: { x: number; y: number }, half: number): Box {
  return { left: x - half, top: y - half, right: x + half, bottom: y + half };
}

/** Room (px) between a text and the ends of a line that it interrupts. */
const BESIDE_TEXT = 3;

/**
 * What a line from `from` to `to` shows: it is interrupted where a text lies on it. `middle` is its other coordinate.
 * @param how whether it goes from top to bottom, not from left to right
 * @returns its pieces, in order
 */
export function interrupted(
  from: number,
  to: number,
  middle: number,
  texts: Box[],
  { upright = false }: { upright?: boolean } = {},
): [number, number][] {
  const spans = texts.map(({ left, top, right, bottom }) =>
    upright ? { along: [top, bottom], across: [left, right] } : { along: [left, right], across: [top, bottom] },
  );
  const gaps = spans
    .filter(({ across: [near, far] }) => near < middle + 1 && middle - 1 < far)
    .map(({ along: [start, end] }) => [start - BESIDE_TEXT, end + BESIDE_TEXT])
    .sort(([a], [b]) => a - b);
  const pieces: [number, number][] = [];
  let at = from;
  for (const [start, end] of gaps) {
    if (start > at) pieces.push([at, Math.min(start, to)]);
    at = Math.max(at, end);
  }
  if (at < to) pieces.push([at, to]);
  return pieces.filter(([a, b]) => a < b);
}

// How wide texts of the picture are, and how they are shortened where there is no room for the whole.

const FAMILY = '"Source Sans", system-ui, sans-serif';
const MOST_KEPT = 20000;

const widths: Map<string, number> = new Map();

/**
 * The width (px) of a text.
 * @param size px
 */
export function widthOf(text: string, size: number, weight: number) {
  const name = `${size} ${weight} ${text}`;
  let wide = widths.get(name);
  if (wide === undefined) {
    if (widths.size > MOST_KEPT) widths.clear();
    // All digits are as wide as a zero: the page asks its font for that, and a canvas cannot.
    wide = textMetrics(`${weight} ${size}px ${FAMILY}`, text.replace(/\d/g, "0")).width;
    widths.set(name, wide);
  }
  return wide;
}

/** As much of `text` as `room` px hold, with an ellipsis for the rest; "" where not even two letters have room. */
export function shortenedTo(text: string, room: number, wide: (text: string) => number) {
  if (wide(text) <= room) return text;
  const letters = [...text];
  for (let count = Math.min(letters.length - 1, Math.floor(room / 2)); count > 1; count -= 1) {
    const cut = `${letters.slice(0, count).join("").trimEnd()}…`;
    if (wide(cut) <= room) return cut;
  }
  return "";
}

/**
 * A text in lines that are at most `room` px wide: broken at spaces, in Chinese between letters; a word that is wider
 * is shortened.
 */
export function brokenTo(text: string, room: number, wide: (text: string) => number) {
  const lines: string[] = [];
  // An interval such as [3, 8] stays in one piece, and a line does not begin with a comma.
  for (const part of text.match(
    /(?<!\s)\s*(?:[[(][^\])]{0,200}[\])]|[\u2e80-\u9fff][，。：；]?|[^\s\u2e80-\u9fff[(]+)/g,
  ) ?? []) {
    const last = lines.length - 1;
    if (last >= 0 && wide(lines[last] + part) <= room) lines[last] += part;
    else lines.push(part.trimStart());
  }
  return lines.map((line) => shortenedTo(line, room, wide));
}
