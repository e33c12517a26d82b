// One number swept: completeness, latency and state over its values; the dot is side B's, and can be moved. A line runs
// only where all is known: level between two values that give the same, upright where one millisecond makes the change.
// A value that stands alone is a mark of its curve, and nothing runs to the next.
import { el, svg } from "../player/base/dom.js";
import { decimals, duration, say } from "../player/base/format.js";
/** @import { Compared, SweepData, SweepPoint } from "./types.d.ts" */

/** @type {{ [key: string]: number | undefined }} */
export const ARROWS = { ArrowRight: 1, ArrowLeft: -1 };
const CURVE_WIDE = 1320;
// The card is lower in a small window, and the whole picture must be visible there too.
const CURVE_HIGH = 178;
const CURVE_HIGH_SMALL = 100;
const SMALL_WINDOW = "(max-height: 800px), (max-width: 1360px)";
const CURVE_PAD = { left: 48, right: 24, top: 14, bottom: 26 };
// A mark around the place 0,0 for each curve, so that all of them are seen where they meet.
/** @type {{ [curve: string]: string }} */
const MARKS = {
  complete: "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0Z",
  counted: "M0-8.500L7.500 5H-7.500Z",
  latency: "M-6-6H6V6H-6Z",
  state: "M-8 0H8M0-8V8",
};

/**
 * A curve: its name, its words, its height (0 to 1) at a point, and its largest number where the axis does not tell.
 * @typedef {[name: string, text: string, share: (point: SweepPoint) => number, largest?: string]} Curve
 */

/**
 * What the dot needs of the picture: the points that can be chosen with their values, and the scales (px).
 *
 * @typedef {object} Scales
 * @property {string} setting
 * @property {SweepPoint[]} points
 * @property {number[]} values
 * @property {(value: number) => number} x
 * @property {(share: number) => number} y
 */

export class Sweep {
  /** @param {Compared} comparison */
  constructor(comparison) {
    this.comparison = comparison;
    const { words, data } = comparison;
    this.name = "sweep";
    this.title = words.tab_sweep;
    this.node = el("div", "tm-compare-sweep");
    const row = el("div", "tm-compare-row");
    const numbers = data.sides[1].settings.length ? data.sides[1].settings : data.sides[0].settings;
    const select = el("select", "", null, { "aria-label": words.sweep_of });
    for (const { name } of numbers) select.append(el("option", "", words.setting[name], { value: name }));
    if (data.sweep) select.value = data.sweep.setting;
    const start = el("button", "tm-button", words.sweep_start, { type: "button" });
    start.disabled = !numbers.length;
    start.addEventListener("click", () => {
      start.disabled = true;
      start.textContent = words.sweep_running;
      comparison.ask({ what: "sweep", setting: select.value, at: Date.now() });
    });
    row.append(select, start);
    this.node.append(row);
    /** @type {Element[]} */
    this.drawn = [];
    this.small = window.matchMedia(SMALL_WINDOW);
    /** @type {number | undefined} */
    this.waiting = undefined;
    const { sweep } = data;
    this.onSize = sweep ? () => this.draw(sweep, row) : () => {};
    if (!sweep) return;
    this.small.addEventListener("change", this.onSize);
    this.onSize();
  }

  close() {
    this.small.removeEventListener("change", this.onSize);
  }

  /**
   * Draws in the place of what was drawn for a window of another size.
   * @param {SweepData} sweep
   * @param {HTMLElement} row
   */
  draw({ setting, points, latency, exact }, row) {
    const { comparison } = this;
    const { words, data } = comparison;
    for (const node of this.drawn) node.remove();
    const high = this.small.matches ? CURVE_HIGH_SMALL : CURVE_HIGH;
    const tried = points.filter((point) => point.tried);
    const values = tried.map((point) => point.value);
    const x = (/** @type {number} */ value) =>
      CURVE_PAD.left +
      ((value - values[0]) / Math.max(values[values.length - 1] - values[0], 1)) *
        (CURVE_WIDE - CURVE_PAD.left - CURVE_PAD.right);
    const y = (/** @type {number} */ share) => CURVE_PAD.top + (1 - share) * (high - CURVE_PAD.top - CURVE_PAD.bottom);
    const most = (/** @type {(point: SweepPoint) => number} */ of) => Math.max(...points.map(of), 1e-9);
    const root = svg("svg", {
      viewBox: `0 0 ${CURVE_WIDE} ${high}`,
      class: "tm-compare-curves",
      role: "img",
      "aria-label": words.tab_sweep,
    });
    for (const share of [0, 0.5, 1]) {
      const label = svg("text", { x: CURVE_PAD.left - 13, y: y(share) + 4, "text-anchor": "end" });
      label.textContent = `${share * 100}`;
      root.append(
        svg("path", { d: `M${CURVE_PAD.left} ${y(share)}H${CURVE_WIDE - CURVE_PAD.right}`, class: "tm-compare-grid" }),
        label,
      );
    }
    for (const value of values.filter((_, index) => index % Math.ceil(values.length / 12) === 0)) {
      const label = svg("text", { x: x(value), y: high - 6, "text-anchor": "middle" });
      label.textContent = duration(value);
      root.append(label);
    }
    /** @type {Curve[]} */
    const curves = [
      ["complete", words.sweep_complete, (point) => point.on_time / Math.max(point.records, 1)],
      ["counted", words.sweep_counted, (point) => point.counted / Math.max(point.records, 1)],
    ];
    if (latency) {
      const largest = most((point) => point.latency ?? 0);
      curves.push([
        "latency",
        words.sweep_latency,
        (point) => (point.latency ?? 0) / largest,
        decimals(Math.round(largest), 1),
      ]);
    }
    const held = most((point) => point.state);
    curves.push(["state", words.sweep_state, (point) => point.state / held, held.toFixed(1)]);
    const legend = el("ul", "tm-compare-legend");
    for (const [name, text, share, largest] of curves) {
      const d = points
        .map((point, index) =>
          index && point.joined ? `H${x(point.value)}V${y(share(point))}` : `M${x(point.value)} ${y(share(point))}`,
        )
        .join("");
      root.append(svg("path", { d, class: `tm-compare-curve tm-curve-${name}` }));
      points.forEach((point, index) => {
        if (point.joined || points[index + 1]?.joined) return;
        root.append(
          svg("path", {
            d: MARKS[name],
            transform: `translate(${x(point.value)} ${y(share(point))})`,
            class: `tm-compare-alone tm-curve-${name}`,
          }),
        );
      });
      const item = el("li");
      const line = svg("svg", { viewBox: "0 0 26 18", width: 26, height: 18, "aria-hidden": "true" });
      line.append(
        exact
          ? svg("path", { d: "M0 9H26", class: `tm-compare-curve tm-curve-${name}` })
          : svg("path", { d: MARKS[name], transform: "translate(13 9)", class: `tm-compare-alone tm-curve-${name}` }),
      );
      item.append(line, largest === undefined ? text : `${text}, ${say(words.sweep_most, { most: largest })}`);
      legend.append(item);
    }
    const other = data.sides[1].settings.find(({ name }) => name === setting);
    const said = exact ? words.sweep_exact : words.sweep_alone;
    if (other) this.dot(root, { setting, points: tried, values, x, y }, other.value ?? 0);
    const note = el("p", "tm-quiet", other ? `${words.sweep_take} · ${said}` : said);
    row.append(legend);
    this.node.append(root, note);
    this.drawn = [legend, root, note];
  }

  /**
   * Side B's value as a dot on the first curve: drag it, or move it with the arrow keys.
   * @param {SVGSVGElement} root
   * @param {Scales} scales
   * @param {number} now
   */
  dot(root, { setting, points, values, x, y }, now) {
    const { comparison } = this;
    const nearest = (/** @type {number} */ value) =>
      values.reduce((best, each) => (Math.abs(each - value) < Math.abs(best - value) ? each : best));
    let index = values.indexOf(nearest(now));
    const node = svg("circle", {
      r: 8,
      class: "tm-compare-dot",
      tabindex: 0,
      role: "slider",
      "aria-label": comparison.words.sweep_take,
      "aria-valuemin": values[0],
      "aria-valuemax": values[values.length - 1],
    });
    const place = () => {
      const point = points[index];
      node.setAttribute("cx", String(x(point.value)));
      node.setAttribute("cy", String(y(point.on_time / Math.max(point.records, 1))));
      node.setAttribute("aria-valuenow", String(point.value));
      node.setAttribute("aria-valuetext", duration(point.value));
    };
    const take = () => comparison.set("b", setting, values[index]);
    node.addEventListener("pointerdown", (event) => {
      node.setPointerCapture(event.pointerId);
      node.onpointermove = (moved) => {
        const box = root.getBoundingClientRect();
        const at = ((moved.clientX - box.left) / box.width) * CURVE_WIDE;
        index = values.indexOf(
          values.reduce((best, each) => (Math.abs(x(each) - at) < Math.abs(x(best) - at) ? each : best)),
        );
        place();
      };
    });
    node.addEventListener("pointerup", () => {
      node.onpointermove = null;
      take();
    });
    node.addEventListener("keydown", (event) => {
      const by = ARROWS[event.key];
      if (by) {
        event.preventDefault();
        event.stopPropagation();
        index = Math.min(Math.max(index + by, 0), values.length - 1);
        place();
        clearTimeout(this.waiting);
        this.waiting = setTimeout(take, 500);
      }
    });
    place();
    root.append(node);
  }
}
