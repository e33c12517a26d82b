// Where the small pointers stand that say by which side a record came in: beside its mark, on no other one.
import { around } from "./labels.ts";
import type { Box, Place } from "../types/picture.ts";
import type { Side } from "#types/payload";

const REACH = 4;
const AWAY = 6;

/**
 * The middle of the pointer of each record, by id. It stands on the record's side, else below or above the mark; a
 * record without any room has none.
 * @param at the middles of the marks
 * @param dot the diameter of a mark, px
 */
export function pointersOf(rows: Side[], at: Map<string, Place>, dot: number): Map<string, Place> {
  const away = dot / 2 + AWAY;
  const found: Map<string, Place> = new Map();
  for (const { id, right } of rows) {
    const mark = at.get(id);
    if (!mark || found.has(id)) continue;
    const way = right ? 1 : -1;
    const places = [
      { x: mark.x + way * away, y: mark.y },
      { x: mark.x + way * REACH, y: mark.y + away },
      { x: mark.x + way * REACH, y: mark.y - away },
    ];
    const free = places.find((place) => clear(place, at, dot / 2 + REACH) && clear(place, found, 2 * REACH));
    if (free) found.set(id, free);
  }
  return found;
}

export function pointerBox(place: Place): Box {
  return around(place, REACH);
}

/**
 * Whether nothing of `others` is nearer than `distance`.
 * @param distance px
 */
function clear({ x, y }: Place, others: Map<string, Place>, distance: number) {
  for (const other of others.values()) if (Math.hypot(other.x - x, other.y - y) < distance) return false;
  return true;
}
