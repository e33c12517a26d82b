// The card of micro-batches, where a scenario follows Spark's rules; it stands where timers stand otherwise.
import { MOST_ROWS, card } from "./card.ts";
import { el, patch, signer, tableRow } from "../base/dom.ts";
import { say } from "../base/format.ts";
import type { BatchFact } from "#types/payload";
import type { Player } from "../player.ts";
import type { PlayerWords } from "#types/words";

/** The batches so far, the newest first: by which watermark each filters and evicts, what it read, gave and left. */
export class BatchCard {
  player: Player;
  signs;
  node: HTMLElement;
  note: HTMLSpanElement;
  table = el("table", "tm-table", null, { "data-table": "batches" });
  rows = el("tbody");
  heads = el("thead");

  constructor(player: Player) {
    this.player = player;
    this.signs = signer();
    const { words } = player;
    const { card: node, note, body } = card("timers tm-batches", words.batches.title);
    this.node = node;
    this.note = note;
    const { columns } = words.batches;
    this.heads.append(
      tableRow([columns.batch, columns.filters, columns.evicts, columns.in, columns.out, columns.state], {
        header: true,
        numeric: [1, 2, 3, 4, 5],
      }),
    );
    this.table.append(this.heads, this.rows);
    body.append(this.table);
  }

  show(step: number) {
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

  /** What is going on: a batch that runs, or records that wait for the next one. */
  now(batches: BatchFact[], step: number, words: PlayerWords["batches"]) {
    const running = batches.find((batch) => batch.status === "running");
    if (running) return say(words.running, running);
    const count = this.player.facts.at("records", step).filter((record) => record.fate === "arrived").length;
    return count === 1 ? words.waits_one : count ? say(words.waits_many, { count }) : words.waits_none;
  }

  row(batch: BatchFact, current: boolean) {
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
