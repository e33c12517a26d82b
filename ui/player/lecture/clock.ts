// How long a presentation has been going on. Its start is kept in this tab, so that a reload does not lose it.
import { isWhole, readKept, writeKept } from "../base/kept.ts";
import type { LectureOrder } from "../types/lecture.ts";

const KEPT_CLOCK = "tidemark.clock";

export class Clock {
  of: string;
  /** ms since 1970 */
  started: number | null;

  /** @param of the lecture or scenario that is timed; another one starts from zero */
  constructor(of: string) {
    this.of = of;
    const kept = readKept(KEPT_CLOCK, (read) => (isWhole(read.started) ? read : null), "tab");
    this.started = kept?.of === of ? kept.started : null;
  }

  /** Starts from now, or if it `goesOn`, from where it started before. */
  start({ goesOn = false }: { goesOn?: boolean } = {}) {
    if (goesOn && this.started !== null) return;
    this.started = Date.now();
    writeKept(KEPT_CLOCK, { of: this.of, started: this.started }, "tab");
  }
}

/**
 * The minutes planned for a scenario, from the start of the lecture; null where it or one before it does not say.
 * @param index of the scenario
 */
export function plannedMinutes({ scenarios, minutes }: LectureOrder, index: number) {
  const until = scenarios.slice(0, index + 1);
  if (!until.length || until.some((each) => !each.minutes)) return null;
  const to = until.reduce((sum, each) => sum + each.minutes, 0);
  return { from: to - until[index].minutes, to, minutes };
}
