// Where the reader is: the step in the address, so that it can be shared, and how much of each scenario has been seen.
import { keepSeen, scenariosSeen } from "../base/kept.ts";
import { kindOf } from "../base/facts.ts";
import { isExplained } from "../why/subjects.ts";
import type { LinkView } from "../types/player.ts";
import type { Player } from "../player.ts";

const WAIT = 200;

/** The cookie in which the server finds the scenario that was open last (ui/pages/frame.py). */
const PLACE = "tidemark_place";
const YEAR = 365 * 24 * 3600;

/** What the address says under `name`, if it is about `scenario`; null otherwise. */
export function valueInAddress(scenario: string, name: string) {
  const query = new URLSearchParams(window.location.search);
  const named = query.get("scenario");
  return named === null || named === scenario ? query.get(name) : null;
}

/** How the address names a scenario of the reader's own: ["s", its text] or ["own", its digest]; null for none. */
export function ownInAddress(): [name: string, value: string] | null {
  const query = new URLSearchParams(window.location.search);
  if (query.has("scenario")) return null;
  for (const name of ["s", "own"]) {
    const value = query.get(name);
    if (value !== null) return [name, value];
  }
  return null;
}

/** Whether the address leaves it open what is shown: then it is what this visitor saw last, or the first visit. */
export function nothingInAddress() {
  const query = new URLSearchParams(window.location.search);
  return !["scenario", "s", "own"].some((name) => query.has(name));
}

/** The step of `scenario` at which this visitor was last, if the address leaves it open what is shown; else null. */
export function stepLeftAt(scenario: string) {
  if (!nothingInAddress()) return null;
  const step = scenariosSeen()[scenario]?.step;
  return step ? step : null;
}

/**
 * Opens another page of the app without loading it again, where that is possible.
 * @param address relative to any page
 */
export function openPage(address: string) {
  if (globalThis.tidemarkPlaces) globalThis.tidemarkPlaces.open(address);
  else window.location.assign(address);
}

/** Whether the address asks for the small view of a course page, or the page is made for a frame (ui/share/page.py). */
export function embeddedInAddress() {
  if (document.body.dataset.frame) return true;
  return ["true", "1"].includes(new URLSearchParams(window.location.search).get("embed") ?? "");
}

/** Whether a reader is offered a copy to edit: `copy=off` in a link takes the offer away. */
export function copyAllowed() {
  return new URLSearchParams(window.location.search).get("copy") !== "off";
}

/** The step that the address names for `scenario`, or null. */
export function stepInAddress(scenario: string) {
  const step = valueInAddress(scenario, "step");
  return step !== null && /^\d+$/.test(step) ? Number(step) : null;
}

/**
 * The address of `scenario` at `step`.
 * @param step null: before the first step
 * @param view what else the link holds
 * @param named what opens it
 */
export function addressOf(
  scenario: string,
  step: number | null,
  view: LinkView = {},
  named: [name: string, value: string] = ownInAddress() ?? ["scenario", scenario],
) {
  const url = new URL(window.location.href);
  const query = new URLSearchParams([named]);
  if (step !== null) query.append("step", String(step));
  for (const [name, value] of Object.entries(view)) {
    if (value !== null && value !== undefined) query.append(name, value);
  }
  if (embeddedInAddress()) query.append("embed", "true");
  if (!copyAllowed()) query.append("copy", "off");
  const language = new URLSearchParams(window.location.search).get("lang");
  if (language) query.append("lang", language);
  url.search = query.toString().replaceAll("%2C", ",");
  return url;
}

/** The address of the page Compare with `scenario` as side A, and what `more` says. */
export function compareAddress(scenario: string, more: { [part: string]: string }) {
  return `./compare?${new URLSearchParams([ownInAddress() ?? ["scenario", scenario], ...Object.entries(more)])}`;
}

/** Stores the place after a short wait, so that fast stepping costs nothing; nothing goes to the server. */
export class PlaceKeeper {
  scenario: string;
  last: number;
  view: LinkView;
  timer: ReturnType<typeof setTimeout> | null = null;
  /** The address when the wait began. */
  from = "";
  step?: number;
  left = false;
  /** False before the first step: then the address names none. */
  begun = true;
  own: string;
  page: string;
  held = false;
  /** What a visitor without a link comes back to. */
  home: string;

  /** `view` is read at each writing; whoever changes it calls `at`. */
  constructor(scenario: string, last: number, view: LinkView) {
    this.scenario = scenario;
    this.last = last;
    this.view = view;
    this.own = String(ownInAddress());
    this.page = window.location.pathname;
    this.home = scenario;
  }

  /** The address is about to become another scenario's: from now on it is left alone. */
  leave() {
    this.close();
    this.left = true;
  }

  /** Stays at a step of a run with `steps`, whatever is shown from now on. */
  hold(step: number, steps: number) {
    this.step = step;
    this.last = steps - 1;
    this.held = true;
  }

  at(step: number) {
    if (!this.held) this.step = step;
    const here = window.location.href;
    if (this.from !== here) this.close();
    this.from = here;
    // Who goes Back or Forward meanwhile is at another place of the history, which keeps its own address.
    this.timer ??= setTimeout(() => (this.from === window.location.href ? this.write() : this.close()), WAIT);
  }

  /** Whether the address is still about what is shown: another scenario, or another page, has come into it else. */
  get isHere() {
    if (window.location.pathname !== this.page || String(ownInAddress()) !== this.own) return false;
    const named = new URLSearchParams(window.location.search).get("scenario");
    return named === null || named === this.scenario;
  }

  write() {
    this.close();
    if (this.left || this.step === undefined || !this.isHere) return;
    try {
      const address = addressOf(this.scenario, this.begun ? this.step : null, this.view);
      window.history.replaceState(window.history.state, "", address);
      window.dispatchEvent(new CustomEvent("tidemark:placed"));
    } catch {
      // A page opened from a file cannot change its address.
    }
    if (ownInAddress() || embeddedInAddress()) return;
    keepSeen(this.scenario, this.step, this.last);
    try {
      document.cookie = `${PLACE}=${this.home}; path=/; max-age=${YEAR}; SameSite=Lax`;
    } catch {
      // Cookies may be forbidden; then the server does not know where this visitor was.
    }
  }

  /** Nothing more is stored until the next `at`. */
  close() {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }
}

// Beside the step, the link holds what is open: the level of words, the drawer, and the subject of the Why card.

const FACTS_OF: { [kind: string]: "windows" | "records" | "queue" | "buffers" } = {
  window: "windows",
  record: "records",
  queue: "queue",
  buffer: "buffers",
};

/** Adds to `player.view` what is read from the parts themselves whenever the address is written. */
export class LinkedView {
  player: Player;

  constructor(player: Player) {
    this.player = player;
    const { telling, drawers, why } = player;
    const parts = {
      words: () => (telling.level === telling.levels[0] ? null : telling.level),
      open: () => drawers.open,
      why: () => why.subject,
    };
    for (const [name, get] of Object.entries(parts)) {
      Object.defineProperty(player.view, name, { get, enumerable: true });
    }
    player.root.addEventListener("click", () => player.place.at(player.step));
  }

  /** Opens what the link names, unless this run does not have it at the step. */
  openAsLinked() {
    const { player } = this;
    const [words, open, why] = ["words", "open", "why"].map((name) => valueInAddress(player.payload.name, name));
    if (words) player.telling.take(words);
    if (open && player.drawers.drawers.has(open)) player.drawers.toggle(open);
    if (why && isExplained(why) && player.facts.where(FACTS_OF[kindOf(why)], "id", why, player.step).length) {
      player.why.open(why);
    }
    // From now on at once: a reload of the page must show the words that were chosen last.
    player.telling.onChange(() => {
      player.place.at(player.step);
      player.place.write();
    });
  }
}
