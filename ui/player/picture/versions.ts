// The versions of one key of a temporal join: each a bar from its beginning to that of the next, on the x scale of the
// plane. The left rows wait right below, so the version above a row is the one that it meets.
import { svg } from "../base/dom.ts";
import { short, valueText } from "../base/format.ts";
import { px, textAt } from "./svg.ts";
import { widthOf } from "./written.ts";
import type { LaneSize, Scale } from "../types/player.ts";
import type { LaneVersions } from "../types/lanes.ts";

// Of each size of lane where the bars stand, how high they are, and their letters (px); 0 for none.
const VERSION_HEIGHTS = {
  full: { top: 22, high: 28, size: 14 },
  mid: { top: 14, high: 22, size: 13 },
  small: { top: 5, high: 17, size: 12 },
  tiny: { top: 1, high: 9, size: 0 },
};
const VERSION_PAD = 7;
const VERSION_GAP = 2;

export function drawVersions({ rows, met, top: down, below }: LaneVersions, scale: Scale, size: LaneSize["name"]) {
  const { top, high, size: letters } = VERSION_HEIGHTS[size];
  const node = svg("g", { class: "tm-versions", transform: `translate(${px(scale.left)} ${px(down)})` });
  for (const row of rows) {
    const from = scale.px(row.ts);
    const to = row.until === null ? scale.width : scale.px(row.until);
    const ended = row.op === "delete";
    const bar = svg("g", {
      class: `tm-version${ended ? " tm-ended" : ""}${row.id === met?.version ? " tm-met" : ""}`,
      "data-id": row.id,
    });
    const wide = Math.max(to - from - VERSION_GAP, 3);
    bar.append(svg("rect", { x: px(from), y: top, width: px(wide), height: high, rx: 4, "data-mark": "version" }));
    const text = ended ? "∅" : short(valueText(row.value), 16);
    if (letters && widthOf(text, letters, 600) + 2 * VERSION_PAD <= wide) {
      const place = { "font-size": letters, "font-weight": 600, "data-label": "version" };
      bar.append(textAt(text, from + VERSION_PAD, top + high / 2 + letters * 0.34, place));
    }
    node.append(bar);
  }
  if (met) node.append(svg("path", { d: `M${px(scale.px(met.ts))} ${top}V${below - down}`, class: "tm-version-tie" }));
  return node;
}
