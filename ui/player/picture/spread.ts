// How large the marks of records are, and how records of one place are set apart, so that each can be seen.
import type { Place, Spread } from "../types/picture.ts";

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
