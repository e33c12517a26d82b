// How long a presentation has gone on. Its beginning is kept in this tab, so that a reload does not lose it.

const KEPT_CLOCK = "tidemark.clock";

export class Clock {
  /**
   * `of`: the lecture or scenario that is timed; another one begins anew.
   * @param {string} of
   */
  constructor(of) {
    this.of = of;
    try {
      const kept = JSON.parse(window.sessionStorage.getItem(KEPT_CLOCK) ?? "null");
      this.started = kept?.of === of && Number.isFinite(kept.started) ? kept.started : null;
    } catch {
      this.started = null;
    }
  }

  /**
   * From now on, or from where it began if it `goes` on.
   * @param {{ goesOn?: boolean }} [options]
   */
  start({ goesOn = false } = {}) {
    if (goesOn && this.started !== null) return;
    this.started = Date.now();
    try {
      window.sessionStorage.setItem(KEPT_CLOCK, JSON.stringify({ of: this.of, started: this.started }));
    } catch {
      // Where nothing is kept, a reload starts it again.
    }
  }
}
