// The card of waiting timers.
import { MOST_ROWS, card } from "./now.ts";
import { dataNodes, el, fill, patch, signer, tableRow } from "../base/dom.ts";
import { say, short, textWidth } from "../base/format.ts";
import { keyText } from "../base/reading.ts";
import { openerOf } from "../drawers/state.ts";
import { timerDoes, timerToGo, timersByKey } from "../drawers/timers.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { Player } from "../player.ts";
import type { BatchFact, TimerFact } from "#types/payload";
import type { PlayerWords } from "#types/words";

// How many timers of a run the widths of the columns are made for.
const MOST_MEASURED = 500;

/** Waiting timers, the next one first. */
export class TimersCard extends PlayerPart {
  signs = signer();
  node: HTMLElement;
  note: HTMLSpanElement;
  table = el("table", "tm-table", null, { "data-table": "timers" });
  rows = el("tbody");
  heads: HTMLTableSectionElement;

  constructor(player: Player) {
    super(player);
    const { card: node, head: title, note, body } = card("timers", player.words.timers);
    title.append(openerOf(player, "timers", player.words.state.all_timers));
    this.node = node;
    this.note = note;
    this.heads = this.head();
    this.table.append(this.heads, this.rows);
    // On a narrow page it scrolls, which makes it a stop of the Tab key.
    body.setAttribute("role", "group");
    body.setAttribute("aria-label", player.words.timers);
    body.append(this.table);
  }

  /** The column heads: after what the timers of this run belong to, and as wide as the run ever needs them. */
  head() {
    const {
      facts,
      times: { dated },
      words,
    } = this.player;
    const { columns } = words;
    const all = facts.all("timers").slice(0, MOST_MEASURED);
    const domains = new Set(all.map((timer) => timer.domain));
    const of = all.some((timer) => timer.side !== null)
      ? words.state.timers.buffer
      : all.some((timer) => timer.purpose === "sort")
        ? ""
        : columns.window;
    const toGo =
      domains.size > 1
        ? words.state.timers.to_go
        : domains.has("processing")
          ? words.clock_to_go
          : words.watermark_to_go;
    const row = tableRow([columns.time, columns.key, of, columns.does, toGo], { header: true, numeric: [0, 4] });
    for (const [index, th] of [...dataNodes(row, "th")].slice(0, 4).entries()) {
      const widest = Math.max(0, ...all.map((timer) => textWidth(this.cells(timer)[index], dated ? 12 : 14)));
      th.style.width = `${Math.ceil(widest) + (dated ? 0 : 30)}px`;
    }
    return fill(el("thead"), row);
  }

  /** Time, key, what it belongs to, and what it does. */
  cells(timer: TimerFact) {
    const { times, words } = this.player;
    const of =
      timer.side !== null
        ? words.picture[timer.side]
        : timersByKey(this.player.facts)
          ? ""
          : times.window(timer.start, timer.end);
    return [times.exact(timer.timestamp), short(keyText(timer.key), 12), of, timerDoes(timer.purpose, words)];
  }

  show(step: number) {
    const { facts, words } = this.player;
    const timers = facts
      .at("timers", step)
      .slice()
      .sort((a, b) => a.timestamp - b.timestamp || a.order - b.order);
    const shown = Math.min(3, timers.length);
    this.heads.hidden = !timers.length;
    this.note.textContent = !timers.length
      ? words.timers_none
      : timers.length > 3
        ? say(words.timers_waiting_next, { count: timers.length, shown })
        : say(words.timers_waiting, { count: timers.length });
    const watermark = facts.at("watermark", step)[0]?.value ?? null;
    const clock = facts.at("clock", step)[0]?.value ?? null;
    const touched = new Set(facts.at("steps", step)[0].touches);
    const sign = (timer: TimerFact) =>
      this.signs(timer, `${watermark} ${timer.domain === "event" ? "" : clock} ${touched.has(timer.id)}`);
    patch(this.rows, timers.slice(0, MOST_ROWS), sign, (timer) => this.row(timer, watermark, clock, touched));
  }

  row(timer: TimerFact, watermark: number | null, clock: number, touched: Set<string>) {
    const reference = timer.domain === "event" ? watermark : clock;
    const [time, ...cells] = this.cells(timer);
    const to = timerToGo(timer, reference, this.player);
    return tableRow([el("b", "", time), ...cells, to], {
      numeric: [0, 4],
      className: touched.has(timer.id) ? "tm-hl" : "",
    });
  }
}

// The card of micro-batches, where a scenario follows Spark's rules; it stands where timers stand otherwise.

/** The batches so far, the newest first: by which watermark each filters and evicts, what it read, gave and left. */
export class BatchCard extends PlayerPart {
  signs = signer();
  node: HTMLElement;
  note: HTMLSpanElement;
  table = el("table", "tm-table", null, { "data-table": "batches" });
  rows = el("tbody");
  heads = el("thead");

  constructor(player: Player) {
    super(player);
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
