// Where the reader is: the step in the address, so that it can be shared, and how far each scenario was seen.
/** @import { LinkView } from "../types/player.d.ts" */

const SEEN = "tidemark.seen";
const WAIT = 200;

/**
 * What the address says under `name`, if it is about `scenario`; null otherwise.
 * @param {string} scenario
 * @param {string} name
 */
export function valueInAddress(scenario, name) {
  const query = new URLSearchParams(window.location.search);
  const named = query.get("scenario");
  return named === null || named === scenario ? query.get(name) : null;
}

/** How the address names a scenario of the reader's own: ["s", its text] or ["own", its digest]; null for none. */
export function ownInAddress() {
  const query = new URLSearchParams(window.location.search);
  const name = query.has("scenario") ? undefined : ["s", "own"].find((each) => query.has(each));
  return name ? [name, query.get(name)] : null;
}

/** Whether the address asks for the small view of a course page. */
export function embeddedInAddress() {
  return ["true", "1"].includes(new URLSearchParams(window.location.search).get("embed"));
}

/**
 * The step that the address names for `scenario`, or null.
 * @param {string} scenario
 */
export function stepInAddress(scenario) {
  const step = valueInAddress(scenario, "step");
  return step !== null && /^\d+$/.test(step) ? Number(step) : null;
}

/**
 * The address of `scenario` at `step`; `view` holds what else belongs to the link, by name, null for what does not.
 * @param {string} scenario
 * @param {number} step
 * @param {LinkView} [view]
 */
export function addressOf(scenario, step, view = {}) {
  const url = new URL(window.location.href);
  const more = Object.entries(view).filter(([, value]) => value !== null && value !== undefined);
  const embed = embeddedInAddress() ? [["embed", "true"]] : [];
  const language = new URLSearchParams(window.location.search).get("lang");
  url.search = new URLSearchParams([
    ownInAddress() ?? ["scenario", scenario],
    ["step", String(step)],
    ...more,
    ...embed,
    ...(language ? [["lang", language]] : []),
  ])
    .toString()
    .replaceAll("%2C", ",");
  return url;
}

/** Writes the place down a little later, so that fast stepping costs nothing; nothing goes to the server. */
export class PlaceKeeper {
  /**
   * `view` is read at each writing; whoever changes it calls `at`.
   * @param {string} scenario
   * @param {number} last
   * @param {LinkView} view
   */
  constructor(scenario, last, view) {
    this.scenario = scenario;
    this.last = last;
    this.view = view;
    this.timer = null;
    this.own = String(ownInAddress());
  }

  /** The address is about to be another scenario's: from now on it is left alone. */
  leave() {
    this.close();
    this.left = true;
  }

  /** @param {number} step */
  at(step) {
    this.step = step;
    this.timer ??= setTimeout(() => this.write(), WAIT);
  }

  write() {
    clearTimeout(this.timer);
    this.timer = null;
    // An address that names another scenario by now is not this one's to write.
    if (this.left || this.step === undefined || String(ownInAddress()) !== this.own) return;
    const named = new URLSearchParams(window.location.search).get("scenario");
    if (named !== null && named !== this.scenario) return;
    try {
      window.history.replaceState(window.history.state, "", addressOf(this.scenario, this.step, this.view));
    } catch {
      // A page that lies on the disk has an address of its own.
    }
    if (ownInAddress() || embeddedInAddress()) return;
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
