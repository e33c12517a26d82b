// What the server finds out among other runs, asked once for each record.
import { ask } from "./desk.js";
/** @import { RecordFact } from "../types/payload.d.ts" */
/** @import { Remedy } from "../types/player.d.ts" */
/** @import { Player } from "../player.js" */

/** What the server found, or that it is searching, by record. */
export class Searches {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    /** @type {Map<string, Remedy[] | "searching" | "failed">} */
    this.found = new Map();
  }

  /**
   * What is known of a record's remedies so far; the first time that somebody asks, the search begins.
   * @param {RecordFact} row
   * @param {string[]} settings
   */
  of(row, settings) {
    const known = this.found.get(row.id);
    if (known !== undefined) return known;
    this.found.set(row.id, "searching");
    ask("remedies", { item: row.item, settings })
      .then(({ said }) => this.found.set(row.id, said.remedies ?? "failed"))
      .catch(() => this.found.set(row.id, "failed"))
      .then(() => this.player.why.show(this.player.step));
    return "searching";
  }
}
