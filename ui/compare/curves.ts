// One measure of a sweep: the Vega view of its curves, and side B's value as a dot on it that can be moved.
import { el } from "../player/base/dom.ts";
import { duration } from "../player/base/format.ts";
import type { SweepData, SweepMeasure } from "./types.ts";

export const ARROWS: { [key: string]: number | undefined } = { ArrowRight: 1, ArrowLeft: -1 };
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
export interface Choice {
  /** (ms) */
  values: number[];
  index: number;
  /** what the dot is called for assistive technology */
  label: string;
  move: (index: number) => void;
  take: () => void;
}

export class Curve {
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
