// Bars of state that is kept beyond the end of a window. Those of a row give way to one another, and a label to a bar.
import { svg } from "../base/dom.ts";
import { say } from "../base/format.ts";
import { px, textAt } from "./svg.ts";
import { widthOf } from "./written.ts";
import type { KeptBar, LaneWindow } from "../types/lanes.ts";
import type { LaneSize, Scale } from "../types/player.ts";
import type { Player } from "../player.ts";

const KEPT_TEXT = 12;
const SHORTEST = 4;
const APART = 6;

/** The bars of these windows. */
export function keptBars(
  windows: LaneWindow[],
  scale: Scale,
  size: LaneSize,
  { words, times }: Pick<Player, "words" | "times">,
): KeptBar[] {
  const bars: (KeptBar & { texts: string[] })[] = [];
  for (const { row, y } of windows) {
    const { end } = times.onAxis(row);
    if (row.kept_until === null || end === null || row.kept_until <= end) continue;
    const [from, to] = [scale.px(end), scale.px(row.kept_until)];
    if (to - from <= SHORTEST) continue;
    const over = row.status === "cleared";
    const fields = { time: times.exact(row.kept_until), window: times.window(row.start, row.end) };
    const texts = size.name === "full" && !over ? [say(words.kept_of, fields), say(words.kept_to, fields)] : [];
    bars.push({ row, from, to, y: y + size.box + 3, over, lower: false, text: "", texts });
  }
  bars.sort((a, b) => a.from - b.from);
  const meet = (bar: KeptBar, y: number, from: number, to: number) => bar.y === y && bar.from < to && from < bar.to;
  bars.forEach((bar, index) => {
    bar.lower =
      size.name === "full" &&
      bars.slice(0, index).some((other) => !other.lower && meet(other, bar.y, bar.from, bar.to));
  });
  for (const bar of bars) {
    const from = bar.to + 6;
    bar.text =
      bar.texts.find((each) => {
        const until = from + widthOf(each, KEPT_TEXT, 400);
        return until <= scale.width && !bars.some((other) => other !== bar && meet(other, bar.y, from - 4, until + 4));
      }) ?? "";
  }
  return bars;
}

/** @param left of the scale */
export function drawKept(bar: KeptBar, left: number) {
  const [from, to, y] = [left + bar.from, left + bar.to, bar.y + 4.5 + (bar.lower ? APART : 0)];
  const group = svg("g", { class: `tm-kept${bar.over ? " tm-over" : ""}` });
  group.append(
    svg("path", { d: `M${px(from)} ${px(y)}H${px(to)}`, class: "tm-kept-line" }),
    svg("path", { d: `M${px(from)} ${px(y - 4.5)}v9M${px(to)} ${px(y - 4.5)}v9`, class: "tm-kept-ends" }),
  );
  if (bar.text) {
    group.append(
      textAt(bar.text, to + 6, bar.y + 8.5, { "font-size": KEPT_TEXT, "data-label": "kept", class: "tm-kept-label" }),
    );
  }
  return group;
}
