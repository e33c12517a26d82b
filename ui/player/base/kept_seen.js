// How far the reader came in each scenario of the library.
import { isTable, isWhole, readKept, soundTable, writeKept } from "./kept.js";

const KEPT_SEEN = "tidemark.seen";

/** @typedef {{ step: number, last: number, finished: boolean, when: number }} SeenScenario */

/** @returns {{ [scenario: string]: SeenScenario | undefined }} */
export function scenariosSeen() {
  const sound = (/** @type {any} */ each) =>
    isTable(each) && isWhole(each.step)
      ? {
          step: each.step,
          last: isWhole(each.last) ? each.last : each.step,
          finished: each.finished === true,
          when: isWhole(each.when) ? each.when : 0,
        }
      : null;
  return readKept(KEPT_SEEN, (read) => soundTable(read, sound)) ?? {};
}

/**
 * @param {string} scenario
 * @param {number} step
 * @param {number} last
 */
export function keepSeen(scenario, step, last) {
  const seen = scenariosSeen();
  const finished = Boolean(seen[scenario]?.finished) || step >= last;
  writeKept(KEPT_SEEN, { ...seen, [scenario]: { step, last, finished, when: Date.now() } });
}
