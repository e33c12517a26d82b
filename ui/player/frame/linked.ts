// Beside the step, the link holds what is open: the level of words, the drawer, and the subject of the Why card.
import { kindOf } from "../base/identity.ts";
import { isExplained } from "../why/subjects.ts";
import { valueInAddress } from "./place.ts";
import type { Player } from "../player.ts";

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
