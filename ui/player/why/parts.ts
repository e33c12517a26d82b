// The pieces that Why cards are made of: boxes with a number, headed sections, lines of advice, a check list.
import { el } from "../base/dom.ts";
import { say } from "../base/format.ts";
import { icon } from "../base/icons.ts";
import { isSentence } from "./offers.ts";
import type { Check, GaugeSide } from "../types/player.ts";
import type { Player } from "../player.ts";

/** Two boxes with a sign between them: what is needed and what is there. Each is {name, value, note}. */
export function gauge(needed: GaugeSide, sign: string, there: GaugeSide) {
  const row = el("div", "tm-gauge");
  row.append(gaugeBox(needed), el("span", "tm-gauge-sign", sign), gaugeBox(there));
  return row;
}

function gaugeBox({ name, value, note }: GaugeSide) {
  const box = el("div", "tm-gauge-box");
  box.append(el("span", "", name), el("b", "", value));
  if (note) box.append(el("span", "", note));
  return box;
}

/** A small heading. */
export function heading(text: string) {
  return el("h3", "tm-reason-heading", text);
}

/**
 * What would help: a line in bold and one under it that says how far; what is offered beside them does it, or says why
 * that is not possible.
 */
export function advice(title: string, note = "", offered: HTMLElement[] = []) {
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

/** A button that reads like text. */
export function linkButton(text: string, run: () => void, className = "") {
  const button = el("button", `tm-reason-link ${className}`.trim(), text, { type: "button" });
  button.addEventListener("click", run);
  return button;
}

/** A button that goes to a step. */
export function stepButton(player: Player, step: number) {
  const text = say(player.words.why.step, { step });
  const button = el("button", "tm-button tm-reason-step", text, { type: "button" });
  button.addEventListener("click", () => player.go(step));
  return button;
}

/** Rows {holds, text, has}: a mark, what is needed, what is there. Those that do not hold are tinted. */
export function checklist(rows: Check[]) {
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

/** Names in a row: `a`, `a and b`, `a, b and c`. */
export function joined(names: string[], { and, list }: { and: string; list: string }) {
  return names.length < 2
    ? names.join("")
    : say(`{before}${and}{last}`, { before: names.slice(0, -1).join(list), last: names.at(-1) });
}
