// What a Why card can be about at a step: windows, records, queued and buffered ones; which of them is meant.
import { kindOf, recordId } from "../base/facts.ts";
import type { Area } from "../types/player.ts";
import type { Player } from "../player.ts";
import type { RecordFact } from "#types/payload";

const NEAR = 15;
const MOST_CHECKED = 4000;

/** Whether there is a card for things of this kind. */
export function isExplained(id: string) {
  return ["window", "record", "queue", "buffer"].includes(kindOf(id));
}

/** What a press on a mark asks about: the thing itself, of a result its window; null where there is no card for it. */
export function subjectOf({ facts }: Player, id: string, step: number) {
  if (isExplained(id)) return id;
  const window = facts.where("outputs", "id", id, step)[0]?.window ?? null;
  return window && facts.where("windows", "id", window, step).length ? window : null;
}

/**
 * What is worth a card at `step`, the most relevant first: what the step touches (windows before records), the record
 * of its item, waiting windows by their end, and what waits in queues and buffers.
 */
export function subjectsAt(player: Player, step: number) {
  const { facts } = player;
  const now = facts.at("steps", step)[0];
  const touched = new Set(now.touches.filter(isExplained));
  const windows = facts.at("windows", step);
  const found = new Set([...touched].filter((id) => kindOf(id) === "window" && windows.some((row) => row.id === id)));
  const own = facts.where("records", "id", recordId(now.item), step)[0];
  if (own && own.fate !== "ahead") found.add(own.id);
  const waiting = windows.filter((row) => row.status === "open" || row.status === "fired");
  const byEnd = (a: any, b: any) =>
    (a.status === b.status ? 0 : a.status === "open" ? -1 : 1) || (a.end ?? Infinity) - (b.end ?? Infinity);
  for (const row of waiting.slice().sort(byEnd)) found.add(row.id);
  for (const row of facts
    .at("queue", step)
    .slice()
    .sort((a, b) => a.ts - b.ts || a.order - b.order)) {
    found.add(row.id);
  }
  for (const row of facts.at("buffers", step)) found.add(row.id);
  return [...found];
}

/** Where the plot lies in the plane's card, and where times lie in it; null while there is none. */
export function plot({ plane, canvas, payload }: Player) {
  if (!plane.part || !plane.size[0]) return null;
  const scale = plane.scale();
  const { y0, y1 } = plane.part.signals;
  const height = plane.size[1] / plane.big;
  const down = (value: number) => ((Math.min(Math.max(value, y0), y1) - y0) / (y1 - y0)) * height;
  return {
    left: canvas.offsetLeft + scale.left,
    top: canvas.offsetTop + plane.padding.top,
    width: scale.width,
    height,
    byClock: payload.time === "processing",
    x: scale.px,
    y: (value: number) => (plane.up ? height - down(value) : down(value)),
    holdsMoment: (value: number) => value >= y0 && value <= y1,
  };
}

/** Where a record lies in the plane; by its arrival where the clock counts and where it has no time of its own. */
export function placeOfRecord(row: RecordFact, area: Area) {
  return { x: area.left + area.x(area.byClock ? row.at : (row.ts ?? row.at)), y: area.top + area.y(row.arrival) };
}

/** The record whose mark is nearest to a point of the plane's card, null where none is near. */
export function recordAt(player: Player, step: number, x: number, y: number) {
  const area = plot(player);
  if (!area || x < area.left - NEAR || x > area.left + area.width + NEAR) return null;
  let best = null;
  let nearest = NEAR;
  for (const row of player.facts.at("records", step).slice(0, MOST_CHECKED)) {
    if (!area.holdsMoment(row.arrival)) continue;
    const mark = player.plane.placeOf(row.id);
    const place = mark
      ? { x: player.canvas.offsetLeft + mark.x, y: player.canvas.offsetTop + mark.y }
      : placeOfRecord(row, area);
    const distance = Math.hypot(place.x - x, place.y - y);
    if (distance < nearest) [best, nearest] = [row, distance];
  }
  return best;
}
