// The pieces that Why cards are made of: boxes with a number, headed sections, lines of advice, a check list.
import { el } from "../base/dom.js";
import { say } from "../base/format.js";
import { icon } from "../base/icons.js";
import { isSentence } from "./offers.js";
/** @import { Check, GaugeSide } from "../types/player.d.ts" */
/** @import { Player } from "../player.js" */

/**
 * Two boxes with a sign between them: what is needed and what is there. Each is {name, value, note}.
 * @param {GaugeSide} needed
 * @param {string} sign
 * @param {GaugeSide} there
 */
export function gauge(needed, sign, there) {
  const row = el("div", "tm-gauge");
  row.append(gaugeBox(needed), el("span", "tm-gauge-sign", sign), gaugeBox(there));
  return row;
}

/** @param {GaugeSide} side */
function gaugeBox({ name, value, note }) {
  const box = el("div", "tm-gauge-box");
  box.append(el("span", "", name), el("b", "", value));
  if (note) box.append(el("span", "", note));
  return box;
}

/**
 * A small heading.
 * @param {string} text
 */
export function heading(text) {
  return el("h3", "tm-reason-heading", text);
}

/**
 * What would help: a line in bold and one under it that says how far; what is offered beside them does it, or says why
 * that is not possible.
 * @param {string} title
 * @param {HTMLElement[]} offered
 */
export function advice(title, note = "", offered = []) {
  const buttons = offered.filter((each) => !isSentence(each));
  const text = el("div", buttons.length ? "tm-remedy-text" : "tm-advice");
  text.append(el("b", "", title));
  if (note) text.append(el("span", "", note));
  text.append(...offered.filter(isSentence));
  if (!buttons.length) return text;
  const line = el("div", "tm-advice tm-remedy");
  line.append(text, ...buttons);
  return line;
}

/**
 * A button that reads like text.
 * @param {string} text
 * @param {() => void} run
 */
export function linkButton(text, run, className = "") {
  const button = el("button", `tm-reason-link ${className}`.trim(), text, { type: "button" });
  button.addEventListener("click", run);
  return button;
}

/**
 * A button that goes to a step.
 * @param {Player} player
 * @param {number} step
 */
export function stepButton(player, step) {
  const text = say(player.words.why.step, { step });
  const button = el("button", "tm-button tm-reason-step", text, { type: "button" });
  button.addEventListener("click", () => player.go(step));
  return button;
}

/**
 * Rows {holds, text, has}: a mark, what is needed, what is there. Those that do not hold are tinted.
 * @param {Check[]} rows
 */
export function checklist(rows) {
  const list = el("ul", "tm-checks");
  for (const { holds, text, has } of rows) {
    const item = el("li", holds ? "" : "tm-hl");
    item.append(
      icon(holds ? "check" : "remove"),
      el("span", "tm-check-text", text),
      el("span", "tm-check-has", has ?? ""),
    );
    list.append(item);
  }
  return list;
}

/**
 * Names in a row: `a`, `a and b`, `a, b and c`.
 * @param {string[]} names
 * @param {{ and: string, list: string }} joints
 */
export function joined(names, { and, list }) {
  return names.length < 2
    ? names.join("")
    : say(`{before}${and}{last}`, { before: names.slice(0, -1).join(list), last: names.at(-1) });
}
