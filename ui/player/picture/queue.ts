// The rows of one key that wait for the watermark, such as the queue of an event sort: chips in the order of release,
// each tied to its time on the axis; of OVER also the frame.
import { mark, svg } from "../base/dom.ts";
import { recordId } from "../base/facts.ts";
import { chipText } from "./box_drawing.ts";
import { px, textAt } from "./svg.ts";
import { widthOf } from "./labels.ts";
import type { LaneSize, Scale } from "../types/player.ts";
import type { LaneQueue, QueueChip } from "../types/lanes.ts";
import type { QueueFact } from "#types/payload";
import type { Player } from "../player.ts";

const BETWEEN_CHIPS = 5;
const MOST_RELEASED = 150;
// Of each size of lane where the axis and the chips stand, how large marks and letters are (px), and whether chips have
// room at all.
const HEIGHTS = {
  full: { axis: 7, chip: 22, high: 26, square: 14, size: 14 },
  mid: { axis: 5, chip: 14, high: 20, square: 14, size: 13 },
  small: { axis: 4, chip: 9, high: 14, square: 8, size: 12 },
  tiny: { axis: 5, chip: null, high: 0, square: 9, size: 0 },
};
const CHIP = { pad: 8, least: 27, beside: 5, label: 12 };

/** Left edges (px) of boxes of these widths, each as near as can be to its place, in order and none over another. */
export function inOrderAlong(places: number[], widths: number[], from: number, until: number) {
  const groups: { first: number; wide: number; sum: number; count: number }[] = [];
  places.forEach((place, index) => {
    let group = { first: index, wide: widths[index], sum: place - widths[index] / 2, count: 1 };
    for (;;) {
      const before = groups.at(-1);
      if (!before || before.sum / before.count + before.wide + BETWEEN_CHIPS <= group.sum / group.count) break;
      groups.pop();
      group = {
        first: before.first,
        wide: before.wide + BETWEEN_CHIPS + group.wide,
        sum: before.sum + group.sum - group.count * (before.wide + BETWEEN_CHIPS),
        count: before.count + group.count,
      };
    }
    groups.push(group);
  });
  const lefts: number[] = [];
  for (const group of groups) {
    let left = Math.max(Math.min(group.sum / group.count, until - group.wide), from);
    for (let index = group.first; index < group.first + group.count; index += 1) {
      lefts[index] = left;
      left += widths[index] + BETWEEN_CHIPS;
    }
  }
  // A group that was moved back from an edge may touch its neighbour.
  for (let index = 1; index < lefts.length; index += 1) {
    lefts[index] = Math.max(lefts[index], lefts[index - 1] + widths[index - 1] + BETWEEN_CHIPS);
  }
  return lefts;
}

/** Records in the order in which they leave. */
function inReleaseOrder(queue: QueueFact[]) {
  return [...queue].sort((a, b) => a.ts - b.ts || a.order - b.order);
}

/** The lane of one key: what waits, what has left, and what leaves at `step`. */
export function drawQueue(
  { waiting: queue, released, frame, top: down }: LaneQueue,
  step: number,
  scale: Scale,
  size: LaneSize["name"],
  { words, times }: Pick<Player, "words" | "times">,
) {
  const heights = HEIGHTS[size];
  const node = svg("g", { class: "tm-queue", transform: `translate(${px(scale.left)} ${px(down)})` });
  node.append(svg("path", { d: `M0 ${heights.axis}H${px(scale.width)}`, class: "tm-queue-axis" }));
  if (frame.length) {
    const [from, to] = [scale.px(frame[0].ts), scale.px(frame[frame.length - 1].ts)];
    const half = heights.square / 2 + 3;
    const box = { x: px(from - half), y: px(heights.axis - half), width: px(to - from + 2 * half), height: 2 * half };
    node.append(svg("rect", { ...box, rx: 5, class: "tm-over-frame", "data-mark": "frame" }));
  }
  for (const fact of released.slice(-MOST_RELEASED)) {
    const half = heights.square / 2;
    const [x, y] = [scale.px(fact.row.ts ?? fact.row.timestamp ?? null), heights.axis];
    const now = fact.from_step === step;
    const out = svg("g", { class: `tm-released${now ? " tm-touched" : ""}`, "data-id": fact.id });
    if (now) {
      const ring = { x: px(x - half - 2), y: px(y - half - 2), width: 2 * half + 4, height: 2 * half + 4, rx: 2 };
      out.append(svg("rect", { ...ring, class: "tm-released-ring" }));
    }
    const square = mark("fired");
    const place = { x: x - half, y: y - half, width: heights.square, height: heights.square };
    for (const [name, value] of Object.entries(place)) square.setAttribute(name, px(value));
    out.append(square);
    node.append(out);
  }
  const waiting = inReleaseOrder(queue);
  const places = waiting.map((row) => scale.px(row.ts));
  node.append(...places.map((x) => svg("circle", { cx: px(x), cy: heights.axis, r: 3.5, class: "tm-queue-dot" })));
  if (heights.chip === null || !waiting.length) return node;
  const head = `${words.picture.head} ${times.short(waiting[0].ts)}`;
  node.append(...chipsOf(waiting, places, head, scale.width, heights.size).flatMap((chip) => drawChip(chip, heights)));
  return node;
}

/** The chips that have room; the first says when it leaves, unless it would push others out. */
function chipsOf(waiting: QueueFact[], places: number[], head: string, width: number, size: number): QueueChip[] {
  const plain = waiting.map((row, index) =>
    Math.max(widthOf(chipText(row), size, index ? 400 : 600) + 2 * CHIP.pad, CHIP.least),
  );
  const forHead = widthOf(head, CHIP.label, 400) + CHIP.beside;
  const all = plain.reduce((sum, wide) => sum + wide + BETWEEN_CHIPS, 0);
  const label = all + forHead <= width ? head : "";
  const widths = plain.map((wide, index) => (label && !index ? wide + forHead : wide));
  const lefts = inOrderAlong(places, widths, 0, width);
  return waiting.flatMap((row, index) =>
    lefts[index] + widths[index] > width
      ? []
      : [
          {
            row,
            place: places[index],
            left: lefts[index],
            wide: widths[index],
            size,
            head: index === 0,
            label: index ? "" : label,
          },
        ],
  );
}

function drawChip(
  { row, place, left, wide, size, head, label }: QueueChip,
  { axis, chip: top, high }: (typeof HEIGHTS)["full"],
) {
  const group = svg("g", {
    class: `tm-lane-chip tm-queued${head ? " tm-head" : ""}`,
    "data-id": row.id,
    "data-record": recordId(row.item),
  });
  const middle = top + high / 2;
  group.append(svg("rect", { x: px(left), y: top, width: px(wide), height: high, rx: 4, "data-mark": "chip" }));
  const before = label ? widthOf(label, CHIP.label, 400) + CHIP.beside : 0;
  if (label) {
    const said = { "font-size": CHIP.label, class: "tm-head-label", "data-label": "head" };
    group.append(textAt(label, left + CHIP.pad, middle + CHIP.label * 0.34, said));
  }
  const value = { "text-anchor": "middle", "font-size": size, "font-weight": head ? 600 : 400, "data-label": "chip" };
  group.append(textAt(chipText(row), left + (before + wide) / 2, middle + size * 0.34, value));
  if (top - axis <= 6) return [group];
  const tie = `M${px(place)} ${axis + 3}L${px(left + wide / 2)} ${top}`;
  return [svg("path", { d: tie, class: "tm-queue-tie" }), group];
}
