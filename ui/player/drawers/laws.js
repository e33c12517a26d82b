// What holds at every step, with its numbers. Which laws there are, and whether they hold, was computed in Python.
import { el, fill } from "../base/dom.js";
import { between, say } from "../base/format.js";
import { icon, mark } from "../base/icons.js";
/** @import { LawFact } from "../types/payload.d.ts" */
/** @import { Player } from "../player.js" */

/** In the order in which they are read. */
const LAWS = ["all_come", "all_sorted", "all_lost", "forward", "lowest"];

/** A line that says how many laws hold at the step; opened, each with its numbers; and the switch of the strip. */
export class Laws {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    this.node = el("div", "tm-laws");
    this.details = el("details");
    this.summary = el("summary");
    this.list = el("ul");
    this.details.append(this.summary, this.list);
    this.node.append(this.details, player.lawStrip.button);
  }

  /** @param {number} step */
  show(step) {
    const { words } = this.player;
    const laws = lawsAt(this.player, step);
    this.node.hidden = laws.length === 0;
    fill(this.summary, tickOf(laws.every((row) => row.holds)), el("span", "", say(words.laws.summary, countsOf(laws))));
    fill(
      this.list,
      laws.map((row) => lawItem(this.player, row, words.laws[row.law])),
    );
  }
}

/**
 * The laws of a step in the order in which they are read.
 * @param {Player} player
 * @param {number} step
 */
export function lawsAt({ facts }, step) {
  return facts
    .at("laws", step)
    .slice()
    .sort((a, b) => LAWS.indexOf(a.law) - LAWS.indexOf(b.law));
}

/** @param {LawFact[]} laws */
export function countsOf(laws) {
  return { holding: laws.filter((row) => row.holds).length, count: laws.length };
}

/**
 * A law with its numbers, `named` in a sentence or in a word.
 * @param {Player} player
 * @param {LawFact} row
 * @param {string} named
 */
export function lawItem(player, row, named) {
  const item = el("li", "", null, { "data-law": row.law, "data-holds": String(row.holds) });
  const numbers = lawNumbers(player, row);
  const text = el("span", "", `${named}${between(named, numbers)}`);
  text.append(el("b", "", numbers));
  item.append(tickOf(row.holds), text);
  return item;
}

/**
 * The numbers that a law compares: `9 = 7 in time + 2 dropped`.
 * @param {Pick<Player, "times" | "words">} player
 * @param {Pick<LawFact, "law" | "numbers">} law
 */
export function lawNumbers({ times, words }, { law, numbers }) {
  if (law === "forward" || law === "lowest") {
    const shown = Object.fromEntries(["before", "now", "lowest"].map((name) => [name, times.exact(numbers[name])]));
    return numbers.now === null ? words.none_yet : say(words.laws.numbers[law], { ...numbers, ...shown });
  }
  if (law !== "all_come") return say(words.laws.numbers[law], numbers);
  const parts = Object.entries(words.laws.fates)
    .filter(([fate]) => numbers[fate])
    .map(([fate, text]) => `${numbers[fate]} ${text}`);
  return `${say(words.laws.numbers.all_come, numbers)} = ${parts.join(" + ") || "0"}`;
}

/** @param {boolean} good */
export function tickOf(good) {
  return good ? icon("check") : mark("dropped");
}
