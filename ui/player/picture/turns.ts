// Whose turn it is to lie open: of all keys the few that the steps touched last, each in a place that it keeps.
import { lastUpTo, type Facts } from "../base/facts.ts";
import { keyId } from "../base/identity.ts";

/** For every step the lanes in the open places, from the facts alone: going back shows what going forward did. */
export class Turns {
  steps: number[] = [0];
  open: number[][];

  /** `index` tells the lane of a key's JSON; `chosen` is a lane that has the first place for good, or null. */
  constructor(facts: Facts, index: Map<string, number>, count: number, chosen: number | null) {
    // Of both only columns are read that either has.
    const name = facts.table("windows").length ? "windows" : "queue";
    const table = facts.table(name as "windows");
    const free = [...index.values()].filter((lane) => lane !== chosen);
    const fixed = chosen === null ? [] : [chosen];
    const places = free.slice(0, count - fixed.length);
    const used = places.map((_, place) => -places.length + place);
    this.open = [[...fixed, ...places]];
    for (let row = 0; row < table.length && places.length; row += 1) {
      const lane = index.get(keyId(table.value("key", row)));
      if (lane === undefined || lane === chosen) continue;
      const there = places.indexOf(lane);
      const place = there >= 0 ? there : used.indexOf(Math.min(...used));
      used[place] = row;
      if (there >= 0) continue;
      places[place] = lane;
      const step = table.value("from_step", row);
      const now = [...fixed, ...places];
      if (this.steps.at(-1) === step) this.open[this.open.length - 1] = now;
      else {
        this.steps.push(step);
        this.open.push(now);
      }
    }
  }

  /** The lanes that lie open at `step`, by place. */
  at(step: number) {
    return this.open[
      Math.max(
        lastUpTo(this.steps.length, (place) => this.steps[place], step),
        0,
      )
    ];
  }
}
