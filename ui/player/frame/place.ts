// Where the reader is: the step in the address, so that it can be shared, and how much of each scenario has been seen.
import {
  addressOf,
  embeddedInAddress,
  goTo,
  inAddress,
  nothingInAddress,
  ownInAddress,
  valueInAddress,
} from "../base/address.ts";
import { keepSeen, scenariosSeen } from "../base/kept.ts";
import { kindOf } from "../base/facts.ts";
import { isExplained } from "../why/subjects.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { LinkView } from "../types/player.ts";
import type { Player } from "../player.ts";

const WAIT = 200;

/** The cookie in which the server finds the scenario that was open last (ui/pages/frame.py). */
const PLACE = "tidemark_place";
const YEAR = 365 * 24 * 3600;

/** The step of `scenario` at which this visitor was last, if the address leaves it open what is shown; else null. */
export function stepLeftAt(scenario: string) {
  if (!nothingInAddress()) return null;
  const step = scenariosSeen()[scenario]?.step;
  return step ? step : null;
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
  own: string = String(ownInAddress());
  page: string = window.location.pathname;
  held = false;
  /** What a visitor without a link comes back to. */
  home: string;

  /** `view` is read at each writing; whoever changes it calls `at`. */
  constructor(scenario: string, last: number, view: LinkView) {
    this.scenario = scenario;
    this.last = last;
    this.view = view;
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
    const named = inAddress("scenario");
    return named === null || named === this.scenario;
  }

  write() {
    this.close();
    if (this.left || this.step === undefined || !this.isHere) return;
    try {
      const address = addressOf(this.scenario, this.begun ? this.step : null, this.view);
      goTo(address, false);
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
export class LinkedView extends PlayerPart {
  constructor(player: Player) {
    super(player);
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
