// The priority queue of an event sort, for one key: chips in the order of release, each tied to its time on the axis.
import { el, svg } from "../base/dom.js";
import { textWidth } from "../base/format.js";
import { mark } from "../base/icons.js";
import { recordId } from "../base/identity.js";
import { chipText } from "./box.js";
/** @import { LanePlace, LaneSize, OutputFact, Scale } from "../types/player.d.ts" */
/** @import { PlayerWords } from "../types/words.d.ts" */
/** @import { QueueFact } from "../types/payload.d.ts" */
/** @import { Times } from "../base/format.js" */

const GAP = 5;
const MOST_RELEASED = 150;
// Of each size of lane where the axis and the chips stand (px), and whether chips have room at all.
const HEIGHTS = {
  full: { axis: 7, chip: 22, high: 26 },
  mid: { axis: 5, chip: 14, high: 20 },
  small: { axis: 2, chip: 5, high: 16 },
  tiny: { axis: 5, chip: null, high: 0 },
};

/**
 * Left edges (px) of boxes of these widths, each as near as can be to its place, in order and none over another.
 * @param {number[]} places
 * @param {number[]} widths
 * @param {number} from
 * @param {number} until
 */
export function spread(places, widths, from, until) {
  /** @type {{ first: number, wide: number, sum: number, count: number }[]} */
  const groups = [];
  places.forEach((place, index) => {
    let group = { first: index, wide: widths[index], sum: place - widths[index] / 2, count: 1 };
    for (;;) {
      const before = groups.at(-1);
      if (!before || before.sum / before.count + before.wide + GAP <= group.sum / group.count) break;
      groups.pop();
      group = {
        first: before.first,
        wide: before.wide + GAP + group.wide,
        sum: before.sum + group.sum - group.count * (before.wide + GAP),
        count: before.count + group.count,
      };
    }
    groups.push(group);
  });
  /** @type {number[]} */
  const lefts = [];
  for (const group of groups) {
    let left = Math.max(Math.min(group.sum / group.count, until - group.wide), from);
    for (let index = group.first; index < group.first + group.count; index += 1) {
      lefts[index] = left;
      left += widths[index] + GAP;
    }
  }
  // A group that was moved back from an edge may touch its neighbour.
  for (let index = 1; index < lefts.length; index += 1) {
    lefts[index] = Math.max(lefts[index], lefts[index - 1] + widths[index - 1] + GAP);
  }
  return lefts;
}

/**
 * Records in the order in which they leave.
 * @param {QueueFact[]} queue
 */
function inReleaseOrder(queue) {
  return [...queue].sort((a, b) => a.ts - b.ts || a.order - b.order);
}

/**
 * The lane of one key: what waits (`queue`), what has left (`released`, output facts), and what leaves at `step`.
 * @param {QueueFact[]} queue
 * @param {OutputFact[]} released
 * @param {number} step
 * @param {{ scale: Scale, place: LanePlace, size: LaneSize["name"], words: PlayerWords, times: Times }} options
 */
export function queueLane(queue, released, step, { scale, place, size, words, times }) {
  const node = el("div", "tm-queue");
  Object.assign(node.style, {
    top: `${place.top}px`,
    height: `${place.height}px`,
    left: `${scale.left}px`,
    width: `${scale.width}px`,
  });
  const { axis, chip: top, high } = HEIGHTS[size];
  const lines = svg("svg", {
    class: "tm-queue-lines",
    width: scale.width,
    height: place.height,
    "aria-hidden": "true",
  });
  lines.append(svg("path", { d: `M0 ${axis}H${scale.width}`, class: "tm-queue-axis" }));
  node.append(lines);
  for (const fact of released.slice(-MOST_RELEASED)) {
    const out = el("span", `tm-released${fact.from_step === step ? " tm-touched" : ""}`, null, { "data-id": fact.id });
    out.append(mark("fired"));
    Object.assign(out.style, { left: `${scale.px(fact.row.ts ?? null)}px`, top: `${axis}px` });
    node.append(out);
  }
  const waiting = inReleaseOrder(queue);
  const places = waiting.map((row) => scale.px(row.ts));
  places.forEach((x) => lines.append(svg("circle", { cx: x, cy: axis, r: 3.5, class: "tm-queue-dot" })));
  if (top === null || !waiting.length) return node;
  const labels = waiting.map((row, index) => (index ? "" : `${words.picture.head} ${times.short(row.ts)}`));
  const widths = waiting.map(
    (row, index) =>
      Math.max(textWidth(chipText(row)) + 18, 27) + (labels[index] ? textWidth(labels[index], 12) + 8 : 0),
  );
  const lefts = spread(places, widths, 0, scale.width);
  waiting.forEach((row, index) => {
    if (lefts[index] + widths[index] > scale.width) return;
    const chip = el("span", `tm-chip tm-queued${index ? "" : " tm-head"}`, null, {
      "data-id": row.id,
      "data-record": recordId(row.item),
    });
    if (labels[index]) chip.append(el("small", "", labels[index]));
    chip.append(chipText(row));
    Object.assign(chip.style, {
      left: `${lefts[index]}px`,
      top: `${top}px`,
      width: `${widths[index]}px`,
      height: `${high}px`,
    });
    if (top - axis > 6) {
      lines.append(
        svg("path", {
          d: `M${places[index].toFixed(1)} ${axis + 3}L${(lefts[index] + widths[index] / 2).toFixed(1)} ${top}`,
          class: "tm-queue-tie",
        }),
      );
    }
    node.append(chip);
  });
  return node;
}
