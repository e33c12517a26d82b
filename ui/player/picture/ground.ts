// The ground of an interval join's picture: its axis, its two sides, and the watermark.
import { svg } from "../base/dom.ts";
import { say } from "../base/format.ts";
import { thinned } from "./axes.ts";
import { shortenedTo, textBox, widthOf } from "./labels.ts";
import { names } from "./svg.ts";
import { JOIN_SIDES } from "./sides.ts";
import type { Attributes, Scale } from "../types/player.ts";
import type { JoinSide } from "#types/payload";
import type { Player } from "../player.ts";

export type JoinPlace = ReturnType<typeof import("./sides.ts").layoutOf>;

// Sizes (px) as in css/8-joins.css.
const TICK = 13;
const SIDE = 15;
const PILL_TEXT = 14;

export const CENTRED = { "text-anchor": "middle" };

/** The axis of event time, and the two sides. */
export function joinGround(player: Player, place: JoinPlace, scale: Scale, wide: number) {
  const { payload } = player;
  const { x_ticks: ticks, x_labels: labels } = scale.part.signals;
  const { top, bottom, lanes } = place;
  const nodes = [];
  const placed = ticks.map((tick, index) => {
    const at = scale.left + scale.px(tick);
    nodes.push(svg("path", { d: `M${at} ${top}V${bottom + 4}`, class: "tm-join-grid" }));
    return { at, text: labels[index], long: widthOf(labels[index], TICK, 400) };
  });
  for (const { at, text, long } of thinned(placed)) {
    const x = Math.min(at, wide - 2 - long / 2);
    nodes.push(svgText(text, x, bottom + 18, "tm-join-tick", CENTRED));
  }
  for (const side of JOIN_SIDES) {
    nodes.push(svg("path", { d: `M${scale.left} ${lanes[side]}H${scale.left + scale.width}`, class: "tm-join-lane" }));
    const { said, right } = sideName(player, place, side);
    nodes.push(svgText(said, right, lanes[side] + 5, "tm-join-side", { "text-anchor": "end" }));
  }
  nodes.push(svgText(payload.signals.x_title, wide - 20, bottom + 36, "tm-join-tick", { "text-anchor": "end" }));
  return nodes;
}

/** The name of a side, and the place that it takes at the left edge. */
export function sideName({ words, plane }: Player, { lanes }: JoinPlace, side: JoinSide) {
  const right = plane.padding.left - 12;
  const said = shortenedTo(words.picture[side], right - 2, (text) => widthOf(text, SIDE, 600));
  return { said, right, box: textBox(right - widthOf(said, SIDE, 600), lanes[side], widthOf(said, SIDE, 600), SIDE) };
}

/** The part of the axis that the watermark has passed. */
export function behindWatermark({ facts }: Player, place: JoinPlace, step: number, scale: Scale) {
  const value = facts.at("watermark", step)[0]?.value ?? null;
  if (value === null) return [];
  const { top, bottom } = place;
  return [
    svg("rect", { x: scale.left, y: top, width: scale.px(value), height: bottom - top, class: "tm-join-behind" }),
  ];
}

/** The vertical line, and its value, which stands above the picture: [shapes of the line, those of the value]. */
export function watermarkLine(
  { facts, words, times }: Player,
  place: JoinPlace,
  step: number,
  scale: Scale,
  wide: number,
) {
  const value = facts.at("watermark", step)[0]?.value ?? null;
  const { top, bottom } = place;
  if (value === null) return [[], [svgText(words.no_watermark, scale.left, top - 14, "tm-join-none")]];
  const x = scale.left + scale.px(value);
  const outside = value < scale.part.signals.x0;
  const said =
    value >= 9.2e18
      ? words.watermark_end
      : say(outside ? words.watermark_outside : words.watermark_mark, { value: times.exact(value) });
  const shown = shortenedTo(said, wide - 28, (text) => widthOf(text, PILL_TEXT, 600));
  const half = widthOf(shown, PILL_TEXT, 600) / 2 + 8;
  const middle = Math.min(Math.max(x, half + 2), wide - half - 2);
  return [
    outside ? [] : [svg("path", { d: `M${x} ${top - 8}V${bottom}`, class: "tm-join-watermark" })],
    [
      svg("rect", {
        x: middle - half,
        y: top - 31,
        width: half * 2,
        height: 24,
        rx: 4,
        class: "tm-join-pill",
        "data-id": "watermark",
      }),
      svgText(shown, middle, top - 14, "tm-join-pill-text", { ...CENTRED, ...names("watermark", "watermark") }),
    ],
  ];
}

export function svgText(said: string, x: number, y: number, name: string, more: Attributes = {}) {
  const node = svg("text", { x, y, class: name, ...more });
  node.textContent = said;
  return node;
}
