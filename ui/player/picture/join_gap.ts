// The gap of a Why card over the two sides of a join: a dashed line at the watermark that is needed, behind all that is
// to be read, and a bracket to it from the current one, with its words, where the step leaves room for them.
import { svg } from "../base/dom.ts";
import { BOLD, QUIET, bracketOf, gapNotes, gapWords } from "../why/gap.ts";
import { FOR_TEXT } from "./labels.ts";
import { widthOf } from "./written.ts";
import type { Gap, Scale } from "../types/player.ts";
import type { JoinView } from "./join.ts";

// How far apart (px) the heights are that the bracket tries, the lowest first.
const LEVEL = 6;

/** Its lines, whose places the texts of the step then know. */
export function gapLines({ place: { top, bottom }, texts }: JoinView, gap: Gap, scale: Scale) {
  const at = (time: number) => {
    const x = scale.left + scale.px(time);
    texts.space.block({ left: x - 1, right: x + 1, top, bottom }, "ring");
    return `M${x} ${top}V${bottom}`;
  };
  const lines = [svg("path", { class: "tm-gap-needed", d: at(gap.needs) })];
  if (gap.now === null || gap.now === undefined) return lines;
  const d = at(gap.now);
  return gap.judged ? [...lines, svg("path", { class: "tm-gap-then", d })] : lines;
}

/** The bracket and its words; nothing where there is no room, for the card says the same. */
export function gapBracket({ player, place, texts }: JoinView, gap: Gap, scale: Scale) {
  const { bold, quiet } = gapWords(player, gap);
  const wide = Math.max(widthOf(bold, BOLD, 600), widthOf(quiet, QUIET, 400));
  const to = scale.left + scale.px(gap.needs);
  const from = bold ? scale.left + scale.px(gap.now ?? null) : to;
  const [a, b] = [Math.min(from, to), Math.max(from, to)];
  const places = [];
  for (let y = place.bottom - 24; y > place.top + 24; y -= LEVEL) {
    const isFree = a === b || texts.space.cost({ left: a, right: b, top: y - 6, bottom: y + 6 }, FOR_TEXT) < Infinity;
    if (!isFree) continue;
    for (const left of [b + 10, b - 10 - wide, a - 10 - wide]) {
      const over = left > a - wide && left < b;
      places.push({ y, left, over, box: { left, right: left + wide, top: y - (over ? 21 : 12), bottom: y + 21 } });
    }
  }
  const found = texts.note(places);
  if (!found) return [];
  const { y, left, over } = found;
  return [...(a === b ? [] : [bracketOf(from, to, y)]), ...gapNotes(player, gap, { x: left, y, over })];
}
