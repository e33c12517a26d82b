// A comparison as it was true: for novices in words, else the formula with its numbers, and whether it holds.
import { el } from "../base/dom.ts";
import { say } from "../base/format.ts";
import type { Player } from "../player.ts";

/** a right side of null: no watermark */
type Compared = [left: number | null, sign: string, right: number | null];

/** Whether the condition of `formula` is what the comparison says, and not its opposite. */
export function doesHold(formula: string, [, sign]: Compared) {
  return formula.split(" ").includes(sign);
}

/**
 * @param of `rule` names its words, `note` what
 *   the outcome meant
 */
export function comparedLine(
  { telling, times, words }: Player,
  { rule, formula, compared, note }: { rule: string; formula: string; compared: Compared; note: string },
) {
  const texts = words.why.rules;
  const [left, sign, right] = compared;
  const holds = doesHold(formula, compared);
  const line = el("div", "tm-judged-rule");
  const inWords: { [rule: string]: string | undefined } = texts.novice;
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
