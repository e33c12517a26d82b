// The two axes of the plane: ticks with as many labels as have room, titles, and the pill of the present moment.
import { svg } from "../base/dom.ts";
import { put, px, written } from "./svg.ts";
import type { Box, Frame, TickLabel } from "../types/picture.ts";
import type { PartSignals } from "#types/payload";

/** How far (px) a label may reach beyond the right border: less than the picture's own padding. */
const BEYOND = 18;
const TICK_TEXT = 13;
// The labels of the arrival axis are as small as they must be to have room beside it.
const BESIDE_AXIS = 63;
const LEAST_APART = { x: 8, y: 17 };
/** The title of the other axis is at its left, if the bold label of the moment leaves room for it. */
const BESIDE_TITLE = 44;
const PILL = { room: 56, high: 20, clear: 11 };

/** Draws both axes of a plane; what depends on the step is only which of their labels give way. */
export class Axes {
  lines = svg("path", { class: "tm-pic-axis" });
  ticks = svg("g", { class: "tm-pic-ticks" });
  titles = svg("g", { class: "tm-pic-titles" });
  /** Labels of ticks and the title of the axis of event time, which give way. */
  labels: TickLabel[] = [];
  /** How long the title of the axis of event time is. */
  title = 0;

  constructor(parent: SVGElement) {
    parent.append(this.lines, this.ticks, this.titles);
  }

  lay(signals: PartSignals, frame: Frame, titles: { x: string; y: string }) {
    const { width, height, x, y, wide } = frame;
    const down = signals.x_ticks.map((tick) => `M${px(x(tick))} ${px(height)}v4`);
    const left = signals.y_ticks.map((tick) => `M0 ${px(y(tick))}h-4`);
    put(this.lines, "d", `M0 0V${px(height)}H${px(width)}V0H0${down.join("")}${left.join("")}`);
    const across = signals.x_ticks.map((tick, index) => {
      const long = wide(signals.x_labels[index], TICK_TEXT, 400);
      // A date at the right border would leave the picture: it stands a little before its tick.
      return { text: signals.x_labels[index], at: Math.min(x(tick), width + BEYOND - long / 2), long };
    });
    const along = signals.y_ticks.map((tick, index) => ({
      text: signals.y_labels[index],
      at: y(tick),
      long: LEAST_APART.y - LEAST_APART.x,
    }));
    const widest = Math.max(0, ...along.map((each) => wide(each.text, TICK_TEXT, 400)));
    const size = Math.min(TICK_TEXT, (TICK_TEXT * BESIDE_AXIS) / Math.max(widest, 1));
    this.ticks.replaceChildren();
    this.labels = [
      ...thinned(across).map(({ text, at, long }) => ({
        node: this.label(text, { x: px(at), y: px(height + 17), "text-anchor": "middle" }),
        box: { left: at - long / 2, right: at + long / 2, top: height + 6, bottom: height + 21 },
      })),
      ...thinned(along).map(({ text, at }) => ({
        node: this.label(text, { x: -8, y: px(at + size * 0.34), "text-anchor": "end", "font-size": px(size) }),
        box: { left: -8 - wide(text, TICK_TEXT, 400), right: -8, top: at - 6, bottom: at + 6 },
      })),
    ];
    this.title = wide(titles.x, TICK_TEXT, 400);
    const title = written(titles.x, { x: px(width), y: px(height + 36), "text-anchor": "end", "data-label": "title" });
    this.titles.replaceChildren(title);
    this.labels.push({
      node: title,
      box: { left: width - this.title, right: width, top: height + 24, bottom: height + 40 },
    });
    const bold = Math.max(0, ...along.map((each) => wide(each.text, TICK_TEXT, 600)));
    if (bold <= BESIDE_TITLE && wide(titles.y, TICK_TEXT, 400) <= height) {
      const turned = `translate(-60 ${px(height / 2)}) rotate(-90)`;
      this.titles.append(written(titles.y, { transform: turned, "text-anchor": "middle", "data-label": "title" }));
    }
  }

  label(said: string, place: { [name: string]: string | number }) {
    const node = written(said, { ...place, "data-label": "tick" });
    this.ticks.append(node);
    return node;
  }

  /** Hides the labels that lie where something more important stands. */
  giveWay(taken: (box: Box) => boolean) {
    for (const { node, box } of this.labels) put(node, "visibility", taken(box) ? "hidden" : "inherit");
  }
}

/**
 * Every label, or every second, third, … of them: as many as have room beside one another.
 * @param labels in the order of their places, which may run either way
 */
export function thinned<Label extends { at: number; long: number }>(labels: Label[]) {
  for (let each = 1; each < labels.length; each += 1) {
    const kept = labels.filter((_, index) => index % each === 0);
    const fits = kept.every((label, index) => {
      if (!index) return true;
      const before = kept[index - 1];
      return Math.abs(label.at - before.at) >= (label.long + before.long) / 2 + LEAST_APART.x;
    });
    if (fits) return kept;
  }
  return labels.slice(0, 1);
}

/** The pill at the arrival axis that says when it is now. */
export class NowPill {
  node = svg("g", { class: "tm-pic-now" });
  ground = svg("rect", { rx: 3 });
  text = svg("text", { "text-anchor": "end", "data-label": "now", "data-names": "now" });

  constructor(parent: SVGElement) {
    this.node.append(this.ground, this.text);
    parent.append(this.node);
  }

  /**
   * @param said "" for none
   * @param place `atEdge`: marks that it must not cover
   * @returns the place that it takes
   */
  show(said: string, { middle, atEdge, wide }: { middle: number; atEdge: Box[]; wide: Frame["wide"] }): Box | null {
    put(this.node, "visibility", said ? "inherit" : "hidden");
    if (!said) return null;
    const full = wide(said, TICK_TEXT, 600);
    const size = full > PILL.room ? (TICK_TEXT * PILL.room) / full : TICK_TEXT;
    const long = Math.min(full, PILL.room) + 11;
    const half = PILL.high / 2;
    const beside = atEdge.filter(({ top, bottom }) => top < middle + half && bottom > middle - half);
    const right = Math.min(-1, ...beside.map(({ left }) => left - 1));
    for (const [name, value] of Object.entries({ x: right - long, y: middle - half, width: long, height: PILL.high })) {
      put(this.ground, name, px(value));
    }
    put(this.text, "x", px(right - 5));
    put(this.text, "y", px(middle + size * 0.34));
    put(this.text, "font-size", px(size));
    if (this.text.textContent !== said) this.text.textContent = said;
    return { left: right - long, right, top: middle - PILL.clear, bottom: middle + PILL.clear };
  }
}
