// The card under the planes: the results, and the searches: a sweep, the smallest change, the fewest records.
import { el } from "../player/base/dom.ts";
import { Fewest, Smallest, Stream } from "./searches.ts";
import { duration } from "../player/base/format.ts";
import type { Compared, KeptPlace, Panel, SweepData, SweepMeasure } from "./types.ts";

export class Tools {
  kept: KeptPlace;
  comparison: Compared;
  node = el("section", "tm-card tm-compare-tools");
  note: HTMLSpanElement;
  buttons: HTMLButtonElement[];
  panels: Panel[];
  /** The place of the sweep among them. */
  sweep: number;
  onUnanswered;

  /** @param first the tabs before the searches */
  constructor(comparison: Compared, first: Panel[]) {
    const { words, data, kept } = comparison;
    this.kept = kept;
    this.comparison = comparison;
    const tabs = el("div", "tm-compare-tabs", null, { role: "tablist", "aria-label": words.results });
    this.note = el("span", "tm-quiet tm-compare-summary", data.summary);
    const head = el("div", "tm-compare-tools-head");
    head.append(tabs, this.note);
    const searches = [Sweep, Stream, Smallest, Fewest].map((Search) => new Search(comparison));
    const panels: Panel[] = [...first, ...searches];
    this.node.append(head, ...panels.map((panel) => panel.node));
    this.buttons = panels.map((panel, index) => {
      const button = el("button", "tm-compare-tab", panel.title, {
        type: "button",
        role: "tab",
        id: `tm-compare-${panel.name}`,
      });
      panel.node.setAttribute("role", "tabpanel");
      panel.node.setAttribute("aria-labelledby", button.id);
      button.addEventListener("click", () => this.turn(index));
      button.addEventListener("keydown", (event) => {
        const by = ARROWS[event.key];
        if (!by) return;
        event.preventDefault();
        event.stopPropagation();
        const to = (index + by + panels.length) % panels.length;
        this.turn(to);
        this.buttons[to].focus();
      });
      return button;
    });
    tabs.append(...this.buttons);
    this.panels = panels;
    this.sweep = first.length;
    this.open(kept.tab ?? 0);
    this.onUnanswered = () => panels.forEach((panel) => panel.unanswered?.());
    window.addEventListener("tidemark:unanswered", this.onUnanswered);
  }

  /** Shows the answer to the question that was asked. */
  reveal(what: KeptPlace["asked"]) {
    if (what === "fires") this.panels[this.kept.tab ?? 0].reveal?.();
  }

  close() {
    window.removeEventListener("tidemark:unanswered", this.onUnanswered);
    for (const panel of this.panels) panel.close?.();
  }

  /** Shows a panel on the reader's request; what it needs from the server is asked for. */
  turn(index: number) {
    this.open(index);
    this.comparison.settle();
    this.panels[index].shown?.();
  }

  /** Once the page is drawn, the panel that the address names asks for what it needs. */
  start() {
    this.panels[this.kept.tab ?? 0].shown?.();
  }

  open(index: number) {
    this.kept.tab = index;
    this.note.hidden = index !== 0;
    this.panels.forEach((panel, each) => {
      panel.node.hidden = each !== index;
    });
    this.buttons.forEach((button, each) => {
      button.setAttribute("aria-selected", String(each === index));
      button.tabIndex = each === index ? 0 : -1;
    });
  }
}

// One number swept: completeness, latency and state over its values, each with an axis of its own. The dot is side B's,
// and can be moved. A line runs only where all is known: level between two values that give the same, upright where one
// millisecond makes the change. A value that stands alone is a mark, and nothing runs to the next.

class Sweep {
  comparison: Compared;
  name = "sweep";
  title: string;
  node = el("div", "tm-compare-sweep");
  row = el("div", "tm-compare-row");
  select: HTMLSelectElement;
  start: HTMLButtonElement;
  status = el("span", "tm-quiet", "", { role: "status" });
  curves: Curve[] = [];
  resizing: ResizeObserver | null = null;

  constructor(comparison: Compared) {
    this.comparison = comparison;
    const { words, data } = comparison;
    this.title = words.tab_sweep;
    const [own, other] = data.sides.map((side) => side.settings.filter(({ sweeps }) => sweeps));
    const numbers = other.length ? other : own;
    this.select = el("select", "", null, { "aria-label": words.sweep_of });
    for (const { name } of numbers) this.select.append(el("option", "", words.setting[name], { value: name }));
    if (data.sweep) this.select.value = data.sweep.setting;
    this.start = el("button", "tm-button", words.sweep_start, { type: "button" });
    this.start.disabled = !numbers.length;
    this.start.addEventListener("click", () => this.run());
    if (data.quick) this.select.addEventListener("change", () => this.run());
    this.row.append(this.select, data.quick ? this.status : this.start);
    if (!numbers.length) this.status.textContent = words.sweep_nothing;
    this.node.append(this.row);
    if (data.sweep) this.draw(data.sweep);
  }

  run() {
    const { words } = this.comparison;
    if (!this.comparison.search({ what: "sweep", setting: this.select.value })) return;
    this.start.disabled = true;
    this.start.textContent = words.sweep_running;
    this.status.textContent = words.sweep_running;
  }

  unanswered() {
    if (!this.status.textContent && !this.start.disabled) return;
    const { words } = this.comparison;
    this.start.disabled = false;
    this.start.textContent = words.sweep_start;
    this.status.textContent = words.stopped;
    this.select.after(this.start);
  }

  /** A sweep that takes little time begins when its panel is looked at. */
  shown() {
    const { data } = this.comparison;
    if (data.quick && !data.sweep && this.select.value) this.run();
  }

  draw(sweep: SweepData) {
    const { comparison } = this;
    const { words, data } = comparison;
    const { setting, values } = sweep;
    const other = data.sides[1].settings.find(({ name }) => name === setting);
    const choice = other ? this.choice(setting, values, other.value ?? values[0]) : null;
    const grid = el("div", "tm-compare-curves", null, { "data-setting": setting });
    for (const measure of sweep.measures) {
      const title = words.sweep_measures[measure.name];
      const curve = new Curve(measure, sweep, choice, title);
      const head = el("h3", "", title);
      if (measure.name === "complete") {
        const keys = [words.sweep_first, words.sweep_any].map((text, index) =>
          el("span", "tm-compare-key", text, { "data-second": String(Boolean(index)) }),
        );
        head.append(...keys);
      }
      curve.node.prepend(head);
      this.curves.push(curve);
      grid.append(curve.node);
    }
    const said = sweep.exact ? words.sweep_exact : words.sweep_alone;
    this.row.append(el("span", "tm-quiet", choice ? `${words.sweep_take} · ${said}` : said));
    this.node.append(grid);
    this.resizing = new ResizeObserver(() => this.curves.forEach((curve) => curve.resize()));
    this.resizing.observe(grid);
    Promise.resolve().then(() => this.curves.forEach((curve) => curve.open()));
  }

  /** Side B's value, which all dots show and move. */
  choice(setting: string, values: number[], now: number): Choice {
    const { comparison } = this;
    const choice = {
      values,
      index: Math.max(values.indexOf(now), 0),
      label: comparison.words.sweep_take,
      move: (index: number) => {
        choice.index = index;
        for (const curve of this.curves) curve.show();
      },
      take: () => comparison.set("b", setting, values[choice.index]),
    };
    return choice;
  }

  close() {
    this.resizing?.disconnect();
    for (const curve of this.curves) curve.close();
  }
}

// One measure of a sweep: the Vega view of its curves, and side B's value as a dot on it that can be moved.

const ARROWS: { [key: string]: number | undefined } = { ArrowRight: 1, ArrowLeft: -1 };
const TAKING_MS = 500;

/** Vega, brought by whoever shows the page (ui/payload/charts/mounting.py; ui/site/computed.ts). */
function vega() {
  const ready = (globalThis.tidemarkVega ??= {});
  ready.promise ??= new Promise((resolve) => {
    ready.resolve = resolve;
  });
  return ready.promise;
}

/** Where the dots of all measures are, and where the reader puts them: an index of `values`. */
interface Choice {
  /** (ms) */
  values: number[];
  index: number;
  /** what the dot is called for assistive technology */
  label: string;
  move: (index: number) => void;
  take: () => void;
}

class Curve {
  measure: SweepMeasure;
  title: string;
  sweep: SweepData;
  choice: Choice | null;
  node: HTMLDivElement;
  canvas: HTMLDivElement;
  /** the Vega view, once it is there */
  view: any = null;
  dot: HTMLElement | null;
  changeset?: any;
  waiting?: number;

  /** @param choice null where side B has no such number */
  constructor(measure: SweepMeasure, sweep: SweepData, choice: Choice | null, title: string) {
    this.measure = measure;
    this.title = title;
    this.sweep = sweep;
    this.choice = choice;
    this.node = el("div", "tm-compare-curve", null, { "data-measure": measure.name });
    this.canvas = el("div", "tm-compare-curve-picture", null, { role: "img", "aria-label": title });
    this.node.append(this.canvas);
    this.dot = choice && this.handle(choice);
    if (this.dot) this.node.append(this.dot);
  }

  /** Draws once Vega is there. */
  async open() {
    const { View, changeset, expressionInterpreter, parse } = await vega();
    if (!this.canvas.isConnected) return;
    const { values, spec } = this.sweep;
    this.changeset = changeset;
    // Interpreted, because the pages of a site forbid functions that are made from text.
    const runtime = parse(spec, undefined, { ast: true });
    this.view = new View(runtime, {
      renderer: "svg",
      container: this.canvas,
      hover: false,
      expr: expressionInterpreter,
    });
    this.view
      .description(this.title)
      .signal("x0", values[0] / 1000)
      .signal("x1", Math.max(values[values.length - 1], values[0] + 1) / 1000)
      .signal("least", this.measure.least)
      .signal("most", this.measure.most || (this.measure.least ? 0 : 1))
      .data("lines", this.measure.lines)
      .data("alone", this.measure.alone);
    this.canvas.setAttribute("role", "img");
    await this.resize();
  }

  async resize() {
    if (!this.view || !this.canvas.clientWidth) return;
    const { left, right, top, bottom } = this.sweep.spec.padding;
    await this.view
      .width(Math.max(this.canvas.clientWidth - left - right, 40))
      .height(Math.max(this.canvas.clientHeight - top - bottom, 30))
      .runAsync();
    await this.show();
  }

  /** Puts the dot and its line where the choice is. */
  async show() {
    const { choice, dot, view } = this;
    if (!choice || !dot || !view) return;
    const value = choice.values[choice.index] / 1000;
    const rows = [...this.measure.lines, ...this.measure.alone];
    const point = rows.find((row) => !row.second && row.value === value);
    dot.hidden = !point;
    if (point) {
      const { left, top } = this.sweep.spec.padding;
      dot.style.left = `${left + view.scale("x")(value)}px`;
      dot.style.top = `${this.canvas.offsetTop + top + view.scale("y")(point.y)}px`;
      dot.setAttribute("aria-valuenow", String(choice.values[choice.index]));
      dot.setAttribute("aria-valuetext", duration(choice.values[choice.index]));
    }
    await view
      .change(
        "now",
        this.changeset()
          .remove(() => true)
          .insert([{ value }]),
      )
      .runAsync();
  }

  handle(choice: Choice) {
    const { values } = choice;
    const dot = el("div", "tm-compare-dot", null, {
      role: "slider",
      tabindex: "0",
      "aria-label": choice.label,
      "aria-valuemin": values[0],
      "aria-valuemax": values[values.length - 1],
    });
    dot.addEventListener("pointerdown", (event) => {
      dot.setPointerCapture(event.pointerId);
      dot.onpointermove = (moved) => choice.move(this.indexAt(moved.clientX));
    });
    dot.addEventListener("pointerup", () => {
      dot.onpointermove = null;
      choice.take();
    });
    dot.addEventListener("keydown", (event) => {
      const by = ARROWS[event.key];
      if (!by) return;
      event.preventDefault();
      event.stopPropagation();
      choice.move(Math.min(Math.max(choice.index + by, 0), values.length - 1));
      clearTimeout(this.waiting);
      this.waiting = setTimeout(choice.take, TAKING_MS);
    });
    return dot;
  }

  /** The index of the value nearest to a place on the screen (px). */
  indexAt(clientX: number) {
    const { values } = this.sweep;
    const px = clientX - this.canvas.getBoundingClientRect().left - this.sweep.spec.padding.left;
    const away = values.map((value) => Math.abs(this.view.scale("x")(value / 1000) - px));
    return away.indexOf(Math.min(...away));
  }

  close() {
    clearTimeout(this.waiting);
    this.view?.finalize();
  }
}
