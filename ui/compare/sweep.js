// One number swept: completeness, latency and state over its values; the dot is side B's, and can be moved.
import { el, svg } from "../player/base/dom.js";
import { decimals, say } from "../player/base/format.js";

const CURVE_HIGH = 178;
const CURVE_WIDE = 1320;
const CURVE_PAD = { left: 44, right: 24, top: 14, bottom: 26 };

export class Sweep {
  constructor(comparison) {
    this.comparison = comparison;
    const { words, data } = comparison;
    this.name = "sweep";
    this.title = words.tab_sweep;
    this.node = el("div", "tm-compare-sweep");
    const row = el("div", "tm-compare-row");
    const numbers = data.sides[0].settings;
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
    if (data.sweep) this.draw(data.sweep, row);
  }

  draw({ setting, points, latency }, row) {
    const { comparison } = this;
    const { words, data } = comparison;
    const values = points.map((point) => point.value);
    const x = (value) => CURVE_PAD.left + ((value - values[0]) / Math.max(values.at(-1) - values[0], 1)) * (CURVE_WIDE - CURVE_PAD.left - CURVE_PAD.right);
    const y = (share) => CURVE_PAD.top + (1 - share) * (CURVE_HIGH - CURVE_PAD.top - CURVE_PAD.bottom);
    const most = (of) => Math.max(...points.map(of), 1e-9);
    const root = svg("svg", { viewBox: `0 0 ${CURVE_WIDE} ${CURVE_HIGH}`, class: "tm-compare-curves", role: "img", "aria-label": words.tab_sweep });
    for (const share of [0, 0.5, 1]) {
      const label = svg("text", { x: CURVE_PAD.left - 8, y: y(share) + 4, "text-anchor": "end" });
      label.textContent = `${share * 100}`;
      root.append(svg("path", { d: `M${CURVE_PAD.left} ${y(share)}H${CURVE_WIDE - CURVE_PAD.right}`, class: "tm-compare-grid" }), label);
    }
    for (const value of values.filter((_, index) => index % Math.ceil(values.length / 12) === 0)) {
      const label = svg("text", { x: x(value), y: CURVE_HIGH - 6, "text-anchor": "middle" });
      label.textContent = `${decimals(value, 0)} s`;
      root.append(label);
    }
    const curves = [
      ["complete", words.sweep_complete, (point) => point.on_time / Math.max(point.records, 1)],
      ["counted", words.sweep_counted, (point) => point.counted / Math.max(point.records, 1)],
      ...(latency ? [["latency", words.sweep_latency, (point) => (point.latency ?? 0) / most((each) => each.latency ?? 0), decimals(Math.round(most((each) => each.latency ?? 0)), 1)]] : []),
      ["state", words.sweep_state, (point) => point.state / most((each) => each.state), most((each) => each.state).toFixed(1)],
    ];
    const legend = el("ul", "tm-compare-legend");
    for (const [name, text, share, largest] of curves) {
      root.append(svg("path", { d: points.map((point, index) => `${index ? "L" : "M"}${x(point.value)} ${y(share(point))}`).join(""), class: `tm-compare-curve tm-curve-${name}` }));
      const item = el("li");
      const line = svg("svg", { viewBox: "0 0 26 8", width: 26, height: 8, "aria-hidden": "true" });
      line.append(svg("path", { d: "M0 4H26", class: `tm-compare-curve tm-curve-${name}` }));
      item.append(line, largest === undefined ? text : `${text}, ${say(words.sweep_most, { most: largest })}`);
      legend.append(item);
    }
    row.append(legend);
    this.node.append(root);
    const other = data.sides[1].settings.find(({ name }) => name === setting);
    if (other) this.dot(root, { setting, points, values, x, y }, other.value);
  }

  /** Side B's value as a dot on the first curve: drag it, or move it with the arrow keys. */
  dot(root, { setting, points, values, x, y }, now) {
    const { comparison } = this;
    const nearest = (value) => values.reduce((best, each) => (Math.abs(each - value) < Math.abs(best - value) ? each : best));
    let index = values.indexOf(nearest(now));
    const node = svg("circle", { r: 8, class: "tm-compare-dot", tabindex: 0, role: "slider", "aria-label": comparison.words.sweep_take, "aria-valuemin": values[0], "aria-valuemax": values.at(-1) });
    const place = () => {
      const point = points[index];
      node.setAttribute("cx", x(point.value));
      node.setAttribute("cy", y(point.on_time / Math.max(point.records, 1)));
      node.setAttribute("aria-valuenow", point.value);
      node.setAttribute("aria-valuetext", `${decimals(point.value, 0)} s`);
    };
    const take = () => comparison.set("b", setting, values[index]);
    node.addEventListener("pointerdown", (event) => {
      node.setPointerCapture(event.pointerId);
      node.onpointermove = (moved) => {
        const box = root.getBoundingClientRect();
        const at = ((moved.clientX - box.left) / box.width) * CURVE_WIDE;
        index = values.indexOf(values.reduce((best, each) => (Math.abs(x(each) - at) < Math.abs(x(best) - at) ? each : best)));
        place();
      };
    });
    node.addEventListener("pointerup", () => { node.onpointermove = null; take(); });
    node.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
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
    this.node.append(el("p", "tm-quiet", comparison.words.sweep_take));
  }
}
