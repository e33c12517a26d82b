// The rows above both sides: the title with the link, and the choices of what is compared.
import { el } from "../player/base/dom.js";
import { say } from "../player/base/format.js";
import { icon } from "../player/base/icons.js";
import { linkOf } from "./place.js";
/** @import { CompareData, Compared } from "./types.d.ts" */

/**
 * Title, what is compared, the two views, and the link.
 * @param {Compared} comparison
 * @param {HTMLElement[]} views
 */
export function titleRow(comparison, views) {
  const { words, data } = comparison;
  const row = el("header", "tm-title-row");
  const copy = el("button", "tm-button tm-plain", null, { type: "button" });
  const label = el("span", "tm-label", words.copy_link);
  copy.append(icon("link"), label);
  copy.addEventListener("click", async () => {
    const link = linkOf(comparison);
    // eslint-disable-next-line no-alert -- where the clipboard is forbidden, a prompt lets the reader copy by hand
    await navigator.clipboard.writeText(link).catch(() => window.prompt(words.copy_link, link));
    label.textContent = words.copied;
    setTimeout(() => {
      label.textContent = words.copy_link;
    }, 2500);
  });
  const canLay = data.sides.every((side) => side.plane);
  row.append(
    el("h1", "tm-compare-title", data.title),
    about(comparison),
    el("span", "tm-spring"),
    ...(canLay ? views : []),
    copy,
  );
  return row;
}

/**
 * What is compared; where the address asks for what cannot be had, that.
 * @param {Compared} comparison
 */
function about({ words, data }) {
  if (!data.refused.length) return el("span", "tm-about", data.about);
  const text = `${data.refused.join(" ")} ${words.refused.left_out}`;
  return el("span", "tm-about tm-compare-refused", text, { role: "alert", title: text });
}

/**
 * Which scenario, and what stands on the other side; `lead` says what differs up to the cursor.
 * @param {Compared} comparison
 * @param {HTMLElement} lead
 */
export function choices(comparison, lead) {
  const { words, data } = comparison;
  const row = el("div", "tm-compare-choices");
  /**
   * @param {string} name
   * @param {[string, [string, string][]][]} groups titles with values and their texts
   * @param {string} value
   * @param {(value: string) => void} pick
   */
  const list = (name, groups, value, pick) => {
    const label = el("label", "tm-compare-choice", name);
    const select = el("select");
    for (const [title, options] of groups) {
      const parent = title ? el("optgroup", "", null, { label: title }) : select;
      for (const [key, text] of options) parent.append(el("option", "", text, { value: key }));
      if (title) select.append(parent);
    }
    select.value = value;
    select.addEventListener("change", () => pick(select.value));
    label.append(select);
    return label;
  };
  const own = data.open.scenario === undefined;
  /** @type {[string, string][]} */
  const scenarios = data.scenarios.map(({ name, title }) => [name, title]);
  const sizes = [...new Set([1, 3, 5, data.spark ?? 3])].sort((one, other) => one - other);
  /** @type {[string, [string, string][]][]} */
  const others = [
    ["", [["settings", words.against_settings]]],
    [words.against_spark_group, sizes.map((size) => [`spark ${size}`, say(words.against_spark, { size })])],
    [words.against_belief, data.beliefs.map(({ name, claim }) => [`belief ${name}`, claim])],
    [
      words.against_scenario,
      scenarios.filter(([name]) => own || name !== data.name).map(([name, title]) => [`with ${name}`, title]),
    ],
  ];
  const now = data.spark
    ? `spark ${data.spark}`
    : data.belief
      ? `belief ${data.belief}`
      : data.other
        ? `with ${data.other}`
        : "settings";
  row.append(
    list(words.scenario, [["", own ? [["", data.title], ...scenarios] : scenarios]], own ? "" : data.name, (name) =>
      comparison.choose({ scenario: name, ...otherSide(data) }),
    ),
    list(words.against, others, now, (value) => {
      const [kind, name] = value.split(" ");
      comparison.choose({ ...data.open, ...(kind === "settings" ? {} : { [kind]: name }) });
    }),
  );
  row.append(lead);
  return row;
}

/**
 * What side B keeps when side A becomes another scenario.
 * @param {CompareData} data
 */
function otherSide({ address }) {
  return Object.fromEntries(["belief", "spark"].filter((name) => address[name]).map((name) => [name, address[name]]));
}
