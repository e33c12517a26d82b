// What the server finds out by other runs, asked once for each record, and once for each advice of a card.
import { ask } from "./desk.ts";
import type { RecordFact } from "#types/payload";
import type { Effect, Insert, Remedy } from "../types/player.ts";
import type { FiresSaid } from "../types/share.ts";
import type { Player } from "../player.ts";

/** How long (ms) a card must stay open at a step before the server is asked: no run for each step of playing. */
const STAYS = 250;

/** What the server found, or that it is searching, by record. */
export class Searches {
  player: Player;
  found: Map<string, Remedy[] | "searching" | "failed"> = new Map();
  fired: Map<string, FiresSaid | null> = new Map();

  constructor(player: Player) {
    this.player = player;
  }

  /** What is known of a record's remedies so far; the first time that somebody asks, the search begins. */
  of(row: RecordFact, settings: string[]) {
    const known = this.found.get(row.id);
    if (known !== undefined) return known;
    this.found.set(row.id, "searching");
    ask("remedies", { item: row.item, settings })
      .then(({ said }) => this.found.set(row.id, said.remedies ?? "failed"))
      .catch(() => this.found.set(row.id, "failed"))
      .then(() => this.player.why.show(this.player.step));
    return "searching";
  }

  /**
   * The address of the scenario with `edit`, if that has the effect on `window` (a window, or a record that waits), or
   * why it has not; null while nobody knows.
   */
  fires(window: string, effect: Effect, edit: Insert, step: number) {
    const { player } = this;
    const name = JSON.stringify([window, effect, edit]);
    const known = this.fired.get(name);
    if (known !== undefined) return known;
    this.fired.set(name, null);
    setTimeout(() => {
      if (player.closed || player.step !== step) {
        this.fired.delete(name);
        return;
      }
      ask("fires", { ...player.tryouts.asking(), window, effect, edit, step })
        .then(({ said }) => {
          this.fired.set(name, said);
          if (!player.closed) player.why.show(player.step);
        })
        .catch(() => this.fired.delete(name));
    }, STAYS);
    return null;
  }
}
