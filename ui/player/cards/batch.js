// The card of micro-batches, where a scenario follows Spark's rules; it stands where timers stand otherwise.
import { MOST_ROWS, card } from "./card.js";
import { el, patch, signer, tableRow } from "../base/dom.js";
import { say } from "../base/format.js";
/** @import { BatchFact } from "../types/payload.d.ts" */
/** @import { Player } from "../player.js" */
/** @import { PlayerWords } from "../types/words.d.ts" */

/** The batches so far, the newest first: by which watermark each filters and evicts, what it read, gave and left. */
export class BatchCard {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    this.signs = signer();
    const { words } = player;
    const { card: node, note, body } = card("timers tm-batches", words.batches.title);
    this.node = node;
    this.note = note;
    this.table = el("table", "tm-table", null, { "data-table": "batches" });
    this.rows = el("tbody");
    const { columns } = words.batches;
    this.heads = el("thead");
    this.heads.append(
      tableRow([columns.batch, columns.filters, columns.evicts, columns.in, columns.out, columns.state], {
        header: true,
        numeric: [1, 2, 3, 4, 5],
      }),
    );
    this.table.append(this.heads, this.rows);
    body.append(this.table);
  }

  /** @param {number} step */
  show(step) {
    const { facts, words } = this.player;
    const batches = facts
      .at("batches", step)
      .slice()
      .sort((a, b) => b.number - a.number);
    const touched = new Set(facts.at("steps", step)[0].touches);
    this.heads.hidden = !batches.length;
    this.note.textContent = this.now(batches, step, words.batches);
    patch(
      this.rows,
      batches.slice(0, MOST_ROWS),
      (batch) => this.signs(batch, String(touched.has(batch.id))),
      (batch) => this.row(batch, touched.has(batch.id)),
    );
  }

  /**
   * What is going on: a batch that runs, or records that wait for the next one.
   * @param {BatchFact[]} batches
   * @param {number} step
   * @param {PlayerWords["batches"]} words
   */
  now(batches, step, words) {
    const running = batches.find((batch) => batch.status === "running");
    if (running) return say(words.running, running);
    const count = this.player.facts.at("records", step).filter((record) => record.fate === "arrived").length;
    return count === 1 ? words.waits_one : count ? say(words.waits_many, { count }) : words.waits_none;
  }

  /**
   * @param {BatchFact} batch
   * @param {boolean} current
   */
  row(batch, current) {
    const { times, words } = this.player;
    const name = el("b", "", `${batch.number}`);
    const state = batch.status === "failed" ? words.batches.failed : String(batch.state_rows ?? "…");
    const cells = [
      name,
      times.exact(batch.late_watermark),
      times.exact(batch.watermark),
      String(batch.rows_in),
      String(batch.rows_out ?? "…"),
      state,
    ];
    return tableRow(cells, {
      numeric: [1, 2, 3, 4, 5],
      className: current || batch.status === "running" ? "tm-hl" : "",
    });
  }
}
