// How far the reader came in each scenario of the library.
import { isTable, isWhole, readKept, soundTable, writeKept } from "./kept.ts";

const KEPT_SEEN = "tidemark.seen";

type SeenScenario = { step: number; last: number; finished: boolean; when: number };

export function scenariosSeen(): { [scenario: string]: SeenScenario | undefined } {
  const sound = (each: any) =>
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

export function keepSeen(scenario: string, step: number, last: number) {
  const seen = scenariosSeen();
  const finished = Boolean(seen[scenario]?.finished) || step >= last;
  writeKept(KEPT_SEEN, { ...seen, [scenario]: { step, last, finished, when: Date.now() } });
}
