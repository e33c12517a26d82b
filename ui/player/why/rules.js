// A comparison as it was true: for novices in words, else the formula with its numbers, and whether it holds.
import { el } from "../base/dom.js";
import { say } from "../base/format.js";
/** @import { Player } from "../player.js" */

/** @typedef {[left: number | null, sign: string, right: number | null]} Compared a right side of null: no watermark */

/**
 * Whether the condition of `formula` is what the comparison says, and not its opposite.
 * @param {string} formula
 * @param {Compared} compared
 */
export function doesHold(formula, [, sign]) {
  return formula.split(" ").includes(sign);
}

/**
 * @param {Player} player
 * @param {{ rule: string, formula: string, compared: Compared, note: string }} of `rule` names its words, `note` what
 *   the outcome meant
 */
export function comparedLine({ telling, times, words }, { rule, formula, compared, note }) {
  const texts = words.why.rules;
  const [left, sign, right] = compared;
  const holds = doesHold(formula, compared);
  const line = el("div", "tm-judged-rule");
  /** @type {{ [rule: string]: string | undefined }} */
  const inWords = texts.novice;
  const plain = telling.level === telling.levels[0] ? inWords[holds ? rule : `${rule}_fails`] : undefined;
  if (plain !== undefined) {
    const text =
      right === null ? texts.no_watermark : say(plain, { left: times.exact(left), right: times.exact(right) });
    line.append(el("span", "tm-judged-words", text));
  } else {
    line.append(
      el("code", "tm-judged-formula", formula),
      el("code", "", `${times.exact(left)} ${sign} ${right === null ? "−∞" : times.exact(right)}`),
      el("span", `tm-judged-holds${holds ? "" : " tm-judged-fails"}`, holds ? texts.holds : texts.fails),
    );
  }
  if (note) line.append(el("span", "tm-judged-note", note));
  return line;
}
