// The ground of an interval join's picture: its axis, its two sides, and the watermark.
import { svg } from "../base/dom.js";
import { say, textWidth } from "../base/format.js";
import { JOIN_SIDES } from "./sides.js";
/** @import { Attributes, Scale } from "../types/player.d.ts" */
/** @import { Player } from "../player.js" */

/** @typedef {ReturnType<typeof import("./sides.js").layoutOf>} JoinPlace */

export const CENTRED = { "text-anchor": "middle" };

/**
 * The axis of event time, and the two sides.
 * @param {Player} player
 * @param {JoinPlace} place
 * @param {Scale} scale
 * @param {number} wide
 */
export function joinGround({ words, payload }, place, scale, wide) {
  const { x_ticks: ticks, x_labels: labels } = scale.part.signals;
  const { top, bottom, lanes } = place;
  const nodes = [];
  ticks.forEach((tick, index) => {
    const x = scale.left + scale.px(tick);
    nodes.push(
      svg("path", { d: `M${x} ${top}V${bottom + 4}`, class: "tm-join-grid" }),
      svgText(labels[index], x, bottom + 18, "tm-join-tick", CENTRED),
    );
  });
  for (const side of JOIN_SIDES) {
    nodes.push(svg("path", { d: `M${scale.left} ${lanes[side]}H${scale.left + scale.width}`, class: "tm-join-lane" }));
    nodes.push(
      svgText(words.picture[side], scale.left - 12, lanes[side] + 5, "tm-join-side", { "text-anchor": "end" }),
    );
  }
  nodes.push(svgText(payload.signals.x_title, wide - 20, bottom + 36, "tm-join-tick", { "text-anchor": "end" }));
  return nodes;
}

/**
 * The part of the axis that the watermark has passed.
 * @param {Player} player
 * @param {JoinPlace} place
 * @param {number} step
 * @param {Scale} scale
 */
export function behindWatermark({ facts }, place, step, scale) {
  const value = facts.at("watermark", step)[0]?.value ?? null;
  if (value === null) return [];
  const { top, bottom } = place;
  return [
    svg("rect", { x: scale.left, y: top, width: scale.px(value), height: bottom - top, class: "tm-join-behind" }),
  ];
}

/**
 * The vertical line, and its value, which stands above the picture: [shapes of the line, those of the value].
 * @param {Player} player
 * @param {JoinPlace} place
 * @param {number} step
 * @param {Scale} scale
 * @param {number} wide
 */
export function watermarkLine({ facts, words, times }, place, step, scale, wide) {
  const value = facts.at("watermark", step)[0]?.value ?? null;
  const { top, bottom } = place;
  if (value === null) return [[], [svgText(words.no_watermark, scale.left, top - 14, "tm-join-none")]];
  const x = scale.left + scale.px(value);
  const outside = value < scale.part.signals.x0;
  const said =
    value >= 9.2e18
      ? words.watermark_end
      : say(outside ? words.watermark_outside : words.watermark_mark, { value: times.exact(value) });
  const half = textWidth(said, 14) / 2 + 12;
  const middle = Math.min(Math.max(x, half + 2), wide - half - 14);
  return [
    outside ? [] : [svg("path", { d: `M${x} ${top - 8}V${bottom}`, class: "tm-join-watermark" })],
    [
      svg("rect", { x: middle - half, y: top - 31, width: half * 2, height: 24, rx: 4, class: "tm-join-pill" }),
      svgText(said, middle, top - 14, "tm-join-pill-text", CENTRED),
    ],
  ];
}

/**
 * @param {string} said
 * @param {number} x
 * @param {number} y
 * @param {string} name
 * @param {Attributes} [more]
 */
export function svgText(said, x, y, name, more = {}) {
  const node = svg("text", { x, y, class: name, ...more });
  node.textContent = said;
  return node;
}
