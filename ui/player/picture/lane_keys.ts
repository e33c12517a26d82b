// The names of keys, at the left of their lanes and strips.
import { svg } from "../base/dom.ts";
import { icon } from "../base/icons.ts";
import { keyText } from "../base/reading.ts";
import { px } from "./svg.ts";
import { shortenedTo, widthOf } from "./written.ts";
import type { LanePlace, LaneSize } from "../types/player.ts";
import type { PlainKey } from "#types/payload";

/** Room (px) between a name and the scale, and at the left edge of the picture. */
export const BESIDE_SCALE = 12;
const KEY_EDGE = 2;
const CHOICE_ARROW = 18;

/** The middle of a lane's first box, where its name stands. */
export function middleOf(place: LanePlace, size: LaneSize) {
  return place.top + Math.min(place.height, size.box) / 2;
}

/**
 * @param left of the scale
 * @param word stands before the name where there is room for both
 * @param choice whether it is a choice of all keys, which an arrow shows
 */
export function drawKey(key: PlainKey, left: number, middle: number, word: string, { name }: LaneSize, choice = false) {
  const size = name === "tiny" ? 12 : 14;
  const whole = keyText(key);
  const room = left - BESIDE_SCALE - KEY_EDGE - (choice ? CHOICE_ARROW : 0);
  const said = shortenedTo(whole, room, (text) => widthOf(text, size, 600));
  const long = widthOf(said, size, 600);
  const before = word && widthOf(`${word} `, size, 400) + long <= room ? `${word} ` : "";
  const node = svg("text", {
    x: px(left - BESIDE_SCALE),
    y: px(middle + size * 0.34),
    "text-anchor": "end",
    "font-size": size,
    class: "tm-lane-key",
    "data-label": "key",
  });
  const strong = svg("tspan", { "font-weight": 600, class: "tm-lane-key-name" });
  strong.textContent = said;
  node.append(before, strong);
  if (said === whole && !choice) return node;
  const group = svg("g");
  if (said !== whole) {
    const title = svg("title");
    title.textContent = whole;
    group.append(title);
  }
  group.append(node);
  if (!choice) return group;
  const arrow = icon("chevron");
  const place = { x: left - BESIDE_SCALE - long - CHOICE_ARROW, y: middle - 7, width: 14, height: 14 };
  for (const [attribute, value] of Object.entries(place)) arrow.setAttribute(attribute, px(value));
  group.append(arrow);
  return group;
}
