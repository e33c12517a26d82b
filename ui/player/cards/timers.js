// The card of waiting timers.
import { MOST_ROWS, card } from "./card.js";
import { el, patch, signer, tableRow } from "../base/dom.js";
import { say, short } from "../base/format.js";
import { keyText } from "../base/reading.js";
import { openerOf } from "../drawers/state.js";
import { timerDoes, timerToGo } from "../drawers/timers.js";

/** Waiting timers, the next one first. */
export class TimersCard {
  constructor(player) {
    this.player = player;
    this.signs = signer();
    const { card: node, head: title, note, body } = card("timers", player.words.timers);
    title.append(openerOf(player, "timers", player.words.state.all_timers));
    this.node = node;
    this.note = note;
    const { columns } = player.words;
    this.table = el("table", "tm-table", null, { "data-table": "timers" });
    this.rows = el("tbody");
    const head = el("thead");
    head.append(tableRow([columns.time, columns.key, columns.window, columns.does, player.words.watermark_to_go], { header: true, numeric: [0, 4] }));
    this.table.append(head, this.rows);
    body.append(this.table);
  }

  show(step) {
    const { facts, words } = this.player;
    const timers = facts.at("timers", step).slice().sort((a, b) => a.timestamp - b.timestamp || a.order - b.order);
    const shown = Math.min(3, timers.length);
    this.note.textContent = !timers.length ? words.timers_none
      : timers.length > 3 ? say(words.timers_waiting_next, { count: timers.length, shown })
      : say(words.timers_waiting, { count: timers.length });
    const watermark = facts.at("watermark", step)[0]?.value ?? null;
    const clock = facts.at("clock", step)[0]?.value ?? null;
    const touched = new Set(facts.at("steps", step)[0].touches);
    const sign = (timer) => this.signs(timer, `${watermark} ${timer.domain === "event" ? "" : clock} ${touched.has(timer.id)}`);
    patch(this.rows, timers.slice(0, MOST_ROWS), sign, (timer) => this.row(timer, watermark, clock, touched));
  }

  row(timer, watermark, clock, touched) {
    const { times, words } = this.player;
    const reference = timer.domain === "event" ? watermark : clock;
    const to = timerToGo(timer, reference, this.player);
    const window = timer.side !== null ? say(words.state.timers.side, timer) : timer.purpose === "sort" ? "–" : times.window(timer.start, timer.end);
    const time = el("b", "", times.exact(timer.timestamp));
    return tableRow([time, short(keyText(timer.key), 12), window, timerDoes(timer.purpose, words), to], { numeric: [0, 4], className: touched.has(timer.id) ? "tm-hl" : "" });
  }
}
