// The line above the picture that always adds up: n arrived = counted + lost + still waiting. The numbers are those of
// the law that nothing is lost (simulator/timeline/laws.py).
import { el, fill } from "../base/dom.ts";
import { say } from "../base/format.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { LawFact } from "#types/payload";

/** The numbers of the line; counted, lost, at the side, filtered and waiting add up to what arrived. */
export function accountOf(numbers: LawFact["numbers"]) {
  const of = (...names: string[]) => names.reduce((sum, name) => sum + (numbers[name] ?? 0), 0);
  return {
    arrived: of("came"),
    counted: of("on-time", "late-accepted") - of("waiting"),
    lost: of("dropped", "skipped"),
    side: of("side"),
    filtered: of("filtered"),
    waiting: of("waiting", "arrived"),
  };
}

export class Account extends PlayerPart {
  node = el("p", "tm-account");

  show(step: number) {
    const { facts, words } = this.player;
    const law = facts.where("laws", "law", "all_come", step)[0];
    this.node.hidden = !law;
    if (!law) return;
    const { arrived, side, filtered, ...parts } = accountOf(law.numbers);
    const more = { ...(side ? { side } : {}), ...(filtered ? { filtered } : {}) };
    const shown = Object.entries({ ...parts, ...more });
    const part = ([name, count]: [string, number]) => el("span", `tm-of-${name}`, say(words.account[name], { count }));
    const sum = shown.flatMap((each, index) => [index ? " + " : " = ", part(each)]);
    fill(this.node, part(["arrived", arrived]), sum);
  }
}
