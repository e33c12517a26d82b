// One side of a comparison: its settings as choices, and its plane.
import { el } from "../player/base/dom.ts";
import { say } from "../player/base/format.ts";
import { OverlaidPlane, looks } from "./overlay.ts";
import type { Compared, SettingData, SideData } from "./types.ts";

const OTHER_VALUE = "other";
// The server reads it (ui/compare/choice.py); without a unit nobody knows what is meant.
const WITH_UNIT = /^\s*\d.*[a-z]\s*$/i;

export class Side {
  comparison: Compared;
  data: SideData;
  index: number;
  step = 0;
  plane: OverlaidPlane | null;
  node: HTMLElement;
  canvas = el("div", "tm-plane");

  constructor(comparison: Compared, data: SideData, index: number) {
    this.comparison = comparison;
    this.data = data;
    this.index = index;
    this.plane = null;
    this.node = el("section", "tm-card tm-compare-side", null, { "data-side": data.label });
    this.named();
    this.node.append(this.head());
    if (data.plane) {
      this.node.append(this.canvas);
      this.plane = new OverlaidPlane(this.canvas, data.plane);
    } else {
      this.node.append(el("p", "tm-quiet tm-compare-none", comparison.words.in_parts));
    }
  }

  head() {
    const { comparison, data } = this;
    const { words } = comparison;
    const row = el("div", "tm-compare-head");
    row.append(el("b", "tm-compare-label", data.label));
    if (this.index === 1 && comparison.data.belief_words) {
      row.append(el("span", "tm-compare-claim", say(words.believed, { claim: comparison.data.belief_words.claim })));
      return row;
    }
    if (comparison.data.belief_words) {
      row.append(el("span", "tm-compare-claim", say(words.true, { truth: comparison.data.belief_words.truth })));
      row.title = comparison.data.belief_words.truth;
      return row;
    }
    if (comparison.data.spark) row.append(el("b", "", this.index ? words.spark_side : words.flink_side));
    const version = comparison.data.versions?.names[this.index];
    if (version) row.append(el("b", "", say(words.version_side, { version })));
    if (data.batch) {
      const label = el("label", "tm-compare-setting", words.records_a_batch);
      const select = el("select", "", null, { "data-setting": "spark" });
      for (const size of data.batch.choices) select.append(el("option", "", size, { value: size }));
      select.value = String(data.batch.value);
      select.addEventListener("change", () => comparison.choose({ ...comparison.data.address, spark: select.value }));
      label.append(select);
      row.append(label);
    }
    row.append(...data.settings.map((setting) => this.setting(setting)));
    if (this.index === 1 && Object.keys(comparison.data.open_other).length) {
      const { other_title: title } = comparison.data;
      row.append(el("span", "tm-compare-claim tm-compare-other", title));
    }
    return row;
  }

  /** One number as a list of values; its last entry takes any other, typed with its unit. */
  setting({ name, value: now, choices }: SettingData) {
    const { comparison, data } = this;
    const { words } = comparison;
    const label = el("label", "tm-compare-setting", words.setting[name]);
    const select = el("select", "", null, { "data-setting": name });
    for (const { value, text } of choices) select.append(el("option", "", text, { value }));
    select.append(el("option", "", words.setting_other, { value: OTHER_VALUE }));
    select.value = String(now);
    const take = (text: string) => comparison.set(data.label.toLowerCase(), name, text);
    const typed = el("input", "tm-compare-typed", null, {
      type: "text",
      placeholder: words.setting_typed,
      "aria-label": `${words.setting[name]}: ${words.setting_typed}`,
    });
    const back = () => {
      select.value = String(now);
      typed.replaceWith(select);
    };
    typed.addEventListener("keydown", (event) => {
      if (event.key === "Escape") back();
      else if (event.key !== "Enter") return;
      else if (WITH_UNIT.test(typed.value)) take(typed.value.trim());
      else typed.setAttribute("aria-invalid", "true");
      event.stopPropagation();
    });
    typed.addEventListener("blur", () => typed.isConnected && back());
    select.addEventListener("change", () => {
      if (select.value !== OTHER_VALUE) {
        take(select.value);
        return;
      }
      select.replaceWith(typed);
      typed.focus();
    });
    label.append(select);
    return label;
  }

  /** Names the picture for assistive technology. */
  named() {
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", say(this.comparison.words.side, { label: this.data.label }));
  }

  async open() {
    await this.plane?.open();
  }

  layout() {
    if (!this.plane) return;
    this.plane.leaves = null;
    this.plane.resize(this.canvas.clientWidth, this.canvas.clientHeight);
  }

  /** Draws the plane at the step of this side. */
  show() {
    this.plane?.turn(this.step);
    this.plane?.show(this.step);
  }

  /** The marks at the step that is shown, by what they look like. */
  marks() {
    const found: Set<string> = new Set();
    for (const source of this.plane?.sources ?? []) {
      for (const row of source.table.at(this.step)) found.add(looks(source.name, row));
    }
    return found;
  }

  close() {
    this.plane?.close();
  }
}
