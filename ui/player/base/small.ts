// The plane of a scenario in small, for cards: made from the numbers of ui/library/cards.py.
import { svg } from "./dom.ts";

const SMALL = { wide: 212, high: 104 };

/**
 * What ui/library/cards.py sends: places from 0 to 1 of bands, of the watermark's steps, of bars of windows, of
 * results with their look, and of records with their fate.
 */
export interface SmallPicture {
  bands: [number, number][];
  steps: [number, number, number, number][];
  bars: [number, number, number][];
  results: [number, number, string][];
  records: [number, number, string][];
}

/** The plane of a scenario in small; everything in it is numbers. */
export function smallPlane({ bands, steps, bars, results, records }: SmallPicture) {
  const root = svg("svg", {
    viewBox: `0 0 ${SMALL.wide} ${SMALL.high}`,
    class: "tm-picture",
    "aria-hidden": "true",
    preserveAspectRatio: "none",
  });
  const x = (value: number) => Number((value * (SMALL.wide - 16) + 8).toFixed(1));
  const y = (value: number) => Number((value * (SMALL.high - 14) + 7).toFixed(1));
  for (const [from, to] of bands) {
    root.append(
      svg("rect", { x: x(from), y: 0, width: Math.max(x(to) - x(from), 0), height: SMALL.high, class: "tm-pic-band" }),
    );
  }
  for (const [from, to, top] of bars) {
    root.append(svg("path", { d: `M${x(from)} ${y(top)}H${x(to)}`, class: "tm-pic-bar" }));
  }
  const line = steps.map(([from, to, top, bottom]) => `M${x(from)} ${y(top)}L${x(to)} ${y(bottom)}`).join("");
  root.append(svg("path", { d: line, class: "tm-pic-watermark" }));
  for (const [left, top, fate] of records) root.append(smallDot(x(left), y(top), fate));
  for (const [left, top, look] of results.slice(0, 24)) {
    const from = x(left) + 1;
    root.append(
      svg("rect", {
        x: from,
        y: y(top) - 4,
        width: 8,
        height: 8,
        class: look === "solid" ? "tm-pic-fired" : "tm-pic-hollow",
      }),
    );
    // So small the turning arrow of a late result is a dot.
    if (look === "late") root.append(svg("circle", { cx: from + 4, cy: y(top), r: 1.8, class: "tm-pic-fired" }));
  }
  return root;
}

function smallDot(left: number, top: number, fate: string) {
  if (fate === "late-accepted") return svg("path", { d: `M${left} ${top - 5}l5 9h-10z`, class: "tm-pic-late" });
  if (fate === "on-time" || fate === "arrived") {
    return svg("circle", { cx: left, cy: top, r: 4, class: "tm-pic-on-time" });
  }
  return svg("path", { d: `M${left - 4} ${top - 4}l8 8m0-8l-8 8`, class: "tm-pic-dropped" });
}
