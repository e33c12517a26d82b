// The Why cards of micro-batches: what a window waits for, why a record was taken or not, how long a join keeps one.
import { el, fill } from "../base/dom.ts";
import { say, valueText } from "../base/format.ts";
import { keyText } from "../base/reading.ts";
import { advice, gauge, stepButton } from "./parts.ts";
import type { JudgedFact, RecordFact, WindowFact } from "#types/payload";
import type { Player } from "../player.ts";

const MOST_JUDGED = 12;

/** What the card of window `id` shows at `step`: {question, headline, parts, checks, gap}; null where there is none. */
export function explainBatchWindow(player: Player, id: string, step: number) {
  const { facts, times } = player;
  const { why } = player.words.batches;
  const row = facts.where("windows", "id", id, step)[0];
  if (!row) return null;
  const watermark = facts.at("watermark", step)[0].value;
  const needs = row.kept_until;
  const about = {
    window: times.window(row.start, row.end),
    key: keyText(row.key),
    result: valueText(row.result),
    partial: valueText(row.partial),
  };
  const gone = row.status === "cleared" || row.status === "merged";
  const waits = !gone && needs !== null && (watermark ?? -Infinity) < needs;
  const parts = [];
  if (row.partial !== null) {
    parts.push(el("p", "tm-reason-text", say(row.result === null ? why.partial_first : why.partial, about)));
  } else if (row.result !== null) parts.push(el("p", "tm-reason-text", say(why.result, about)));
  if (!gone && needs !== null) parts.push(needsBeside(player, needs, watermark));
  const ahead = facts.at("channels", step)[0].ahead;
  if (waits && ahead !== null) {
    parts.push(advice(say(why.least, { time: times.withUnit(needs + ahead) }), why.least_note));
  }
  return {
    question: say(gone ? why.ask_gone : why.ask_window, about),
    headline: windowHeadline(player, row, waits, step),
    parts,
    checks: null,
    gap: waits ? { needs, now: watermark } : null,
  };
}

function windowHeadline(player: Player, row: WindowFact, waits: boolean, step: number) {
  const { facts, times } = player;
  const { why } = player.words.batches;
  if (row.status === "merged") {
    const into = facts.where("windows", "id", row.merged_into, step)[0];
    return say(why.merged, { window: into ? times.window(into.start, into.end) : "" });
  }
  if (row.status === "cleared") return say(why.cleared, { end: times.exact(row.end) });
  if (row.kept_until === null) return why.stays;
  return waits ? why.waits : why.closes;
}

/** What the card of record `id` shows at `step`: one line for each window that looked at it. */
export function explainBatchRecord(player: Player, id: string, step: number) {
  const { facts } = player;
  const { why } = player.words.batches;
  const row = facts.where("records", "id", id, step)[0];
  if (!row) return null;
  const said = row.fate === "ahead" ? [] : facts.where("judged", "record", id, step);
  const parts = [aboutRecord(player, row), ...said.slice(0, MOST_JUDGED).map((each) => judgedLine(player, each))];
  return {
    question: say(why.ask_record, row),
    headline: why.fates[row.fate],
    parts,
    checks: null,
    gap: null,
    record: row,
  };
}

/** What a record carries. */
function aboutRecord({ times, words }: Player, { key, ts, value }: Pick<RecordFact, "key" | "ts" | "value">) {
  const { why } = words.batches;
  const about = { key: keyText(key), time: times.withUnit(ts), value: valueText(value) };
  return el("p", "tm-reason-text", say(value === null ? why.about_bare : why.about, about));
}

/** The watermark that is needed beside the one there is. */
function needsBeside({ times, words }: Player, needs: number, watermark: number | null) {
  const { why } = words.batches;
  const sign = (watermark ?? -Infinity) < needs ? ">" : "≤";
  return gauge({ name: why.needs, value: times.exact(needs) }, sign, { name: why.has, value: times.exact(watermark) });
}

/** One window: whether it took the record, and the comparison with its numbers. */
function judgedLine(player: Player, each: JudgedFact) {
  const { times } = player;
  const { why } = player.words.batches;
  const head = el("div", "tm-judged-head");
  const name = each.end === null ? say(why.whole, { batch: each.batch }) : times.window(each.start, each.end);
  head.append(
    el("b", "", name),
    el("span", "tm-judged-verdict", each.taken ? why.taken : why.filtered),
    stepButton(player, each.step),
  );
  const box = fill(el("div", "tm-judged"), head);
  if (each.right === null) return box;
  const line = el("div", "tm-judged-rule");
  line.append(el("code", "tm-judged-formula", each.end === null ? "ts <= late_watermark" : "end <= late_watermark"));
  line.append(el("code", "", `${times.exact(each.left)} ${each.taken ? ">" : "<="} ${times.exact(each.right)}`));
  line.append(el("span", "tm-judged-note", why.late_note));
  box.append(line);
  return box;
}

/** What the card of a record that a join keeps shows at `step`. */
export function explainBatchBuffer(player: Player, id: string, step: number) {
  const { facts } = player;
  const { why } = player.words.batches;
  const row = facts.where("buffers", "id", id, step)[0];
  if (!row) return null;
  const parts = [aboutRecord(player, row)];
  if (row.kept_until !== null) {
    parts.push(needsBeside(player, row.kept_until, facts.at("watermark", step)[0].value));
  }
  return {
    question: say(why.ask_kept, row),
    headline: row.kept_until === null ? why.kept_for_ever : why.kept,
    parts,
    checks: null,
    gap: null,
  };
}
