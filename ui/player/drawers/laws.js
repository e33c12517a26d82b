// What holds at every step, with its numbers. Which laws there are, and whether they hold, was computed in Python.
import { el, fill } from "../base/dom.js";
import { between, say } from "../base/format.js";
import { icon, mark } from "../base/icons.js";
/** @import { LawFact } from "../types/payload.d.ts" */
/** @import { Player } from "../player.js" */

/** In the order in which they are read. */
const LAWS = ["all_come", "all_sorted", "all_lost", "forward", "lowest"];

/** A line that says how many laws hold at the step; opened, each with its numbers. */
export class Laws {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    this.node = el("details", "tm-laws");
    this.summary = el("summary");
    this.list = el("ul");
    this.node.append(this.summary, this.list);
  }

  /** @param {number} step */
  show(step) {
    const { facts, words } = this.player;
    const laws = facts
      .at("laws", step)
      .slice()
      .sort((a, b) => LAWS.indexOf(a.law) - LAWS.indexOf(b.law));
    const holding = laws.filter((row) => row.holds).length;
    this.node.hidden = laws.length === 0;
    fill(
      this.summary,
      tickOf(holding === laws.length),
      el("span", "", say(words.laws.summary, { holding, count: laws.length })),
    );
    fill(
      this.list,
      laws.map((row) => {
        const item = el("li", "", null, { "data-law": row.law, "data-holds": String(row.holds) });
        const [law, numbers] = [words.laws[row.law], this.numbers(row)];
        const text = el("span", "", `${law}${between(law, numbers)}`);
        text.append(el("b", "", numbers));
        item.append(tickOf(row.holds), text);
        return item;
      }),
    );
  }

  /** @param {LawFact} law */
  numbers({ law, numbers }) {
    const { times, words } = this.player;
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
}

/** @param {boolean} good */
function tickOf(good) {
  return good ? icon("check") : mark("dropped");
}
