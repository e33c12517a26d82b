// Where the reader is: the step in the address, so that it can be shared, and how far each scenario was seen.

const SEEN = "tidemark.seen";
const WAIT = 200;

/** The step that the address names for `scenario`, or null. */
export function stepInAddress(scenario) {
  const query = new URLSearchParams(window.location.search);
  const named = query.get("scenario");
  const step = query.get("step");
  return (named === null || named === scenario) && step !== null && /^\d+$/.test(step) ? Number(step) : null;
}

/** The address of `scenario` at `step`. */
export function addressOf(scenario, step) {
  const url = new URL(window.location.href);
  url.search = new URLSearchParams({ scenario, step }).toString();
  return url;
}

/** Writes the place down a little later, so that fast stepping costs nothing; nothing goes to the server. */
export class PlaceKeeper {
  constructor(scenario, last) {
    this.scenario = scenario;
    this.last = last;
    this.timer = null;
  }

  at(step) {
    this.step = step;
    this.timer ??= setTimeout(() => this.write(), WAIT);
  }

  write() {
    clearTimeout(this.timer);
    this.timer = null;
    if (this.step === undefined) return;
    window.history.replaceState(window.history.state, "", addressOf(this.scenario, this.step));
    try {
      const seen = JSON.parse(window.localStorage.getItem(SEEN) ?? "{}");
      const finished = Boolean(seen[this.scenario]?.finished) || this.step >= this.last;
      seen[this.scenario] = { step: this.step, last: this.last, finished, when: Date.now() };
      window.localStorage.setItem(SEEN, JSON.stringify(seen));
    } catch {
      // Storage may be forbidden; then progress is not kept.
    }
  }

  close() {
    clearTimeout(this.timer);
    this.timer = null;
  }
}
