// One number swept: completeness, latency and state over its values, each with an axis of its own. The dot is side B's,
// and can be moved. A line runs only where all is known: level between two values that give the same, upright where one
// millisecond makes the change. A value that stands alone is a mark, and nothing runs to the next.
import { el } from "../player/base/dom.ts";
import { Curve, type Choice } from "./curves.ts";
import type { Compared, SweepData } from "./types.ts";

export class Sweep {
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
    const { words, ask } = this.comparison;
    this.start.disabled = true;
    this.start.textContent = words.sweep_running;
    this.status.textContent = words.sweep_running;
    ask({ what: "sweep", setting: this.select.value, at: Date.now() });
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
