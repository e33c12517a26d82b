// The cards of records that wait: in the queue of the event sort, and in the buffers of an interval join.
import { el } from "../base/dom.ts";
import { timeDistance, say } from "../base/format.ts";
import { recordId } from "../base/identity.ts";
import { keyText } from "../base/reading.ts";
import { exactly, holders, remedies } from "./holders.ts";
import { offers } from "./offers.ts";
import { advice, gauge, heading, linkButton } from "./parts.ts";
import type { Player } from "../player.ts";
import type { QueueFact, ShownBuffer } from "#types/payload";
import type { Way } from "../types/player.ts";

/** What the card of a queued record shows at `step`, as `explainWindow` has it. */
export function explainQueued(player: Player, id: string, step: number) {
  const {
    facts,
    words: { why },
  } = player;
  const row = facts.where("queue", "id", id, step)[0];
  if (!row) return null;
  const way = facts.where("conditions", "of", id, step)[0];
  const watermark = facts.at("watermark", step)[0]?.value ?? null;
  const waits = way.phase === "waiting";
  const parts = [itsRecord(player, row), gauged(player, way, watermark)];
  if (waits) {
    const offer = offers(player, id, step, "leaves");
    parts.push(...holders(player, step, way.needs), ...remedies(player, step, way.needs, why.would_leave, offer));
  }
  return {
    question: say(why.ask_queue, row),
    headline: queueHeadline(player, way, watermark),
    parts,
    checks: null,
    gap: waits ? { needs: way.needs, now: watermark } : null,
  };
}

function queueHeadline(
  {
    times,
    words: {
      why: { headlines },
    },
  }: Player,
  way: Way,
  watermark: number | null,
) {
  if (way.phase !== "waiting") return say(headlines[`watermark_${way.phase}`], { time: times.exact(way.needs) });
  return watermark === null
    ? headlines.no_watermark
    : say(headlines.watermark_waiting, { span: timeDistance(way.needs - watermark) });
}

/** What the card of a buffered record shows at `step`: how long it stays, and what it matches meanwhile. */
export function explainBuffered(player: Player, id: string, step: number) {
  const {
    facts,
    times,
    words: { picture, why },
  } = player;
  const row = facts.where("buffers", "id", id, step)[0];
  if (!row) return null;
  const way = facts.where("conditions", "of", id, step)[0];
  const watermark = facts.at("watermark", step)[0]?.value ?? null;
  const [low, high] = way.has as unknown as [number, number];
  const side = picture[row.side === "left" ? "right" : "left"];
  const range = say(why.matches, { side, low: exactly(player, low), high: exactly(player, high) });
  const parts = [
    itsRecord(player, row),
    el("p", "tm-reason-text", range),
    gauged(player, way, watermark),
    ...partner(player, row, [low, high], step),
    ...(way.phase === "waiting" ? holders(player, step, way.needs) : []),
    ...(way.phase === "waiting"
      ? remedies(player, step, way.needs, why.would_forget, offers(player, id, step, "leaves"))
      : []),
  ];
  const headline = why.headlines[way.phase === "waiting" ? "kept" : `kept_${way.phase}`];
  return {
    question: say(why.ask_buffer, row),
    headline: say(headline, { needs: times.exact(way.needs) }),
    parts,
    checks: null,
    gap: way.phase === "waiting" ? { needs: way.needs, now: watermark } : null,
  };
}

/**
 * The record of the other side that it would be joined with.
 * @param matching the times (ms) that it matches
 */
function partner(player: Player, row: ShownBuffer, [low, high]: [number, number], step: number) {
  const { picture, why } = player.words;
  const side = row.side === "left" ? "right" : "left";
  const on = player.facts.at("channels", step).find((each) => each.input === side);
  if (!on) return [];
  // The latest time that it matches: that one is the last to be late.
  const record = { what: "record", input: side, channel: on.channel, ts: high, key: row.key };
  const range = { low: exactly(player, low), high: exactly(player, high) };
  const text = say(why.match_record, { side: picture[side], key: keyText(row.key), ...range });
  return [heading(why.would_match), advice(text, "", offers(player, row.id, step, "matches")([record]))];
}

function itsRecord(player: Player, row: QueueFact | ShownBuffer) {
  return linkButton(say(player.words.why.ask_record, row), () => player.why.open(recordId(row.item)));
}

function gauged({ times, words: { why } }: Player, way: Way, watermark: number | null) {
  const sign = watermark !== null && watermark >= way.needs ? "≤" : ">";
  return gauge({ name: why.needs_at_least, value: times.exact(way.needs), note: why.reasons[way.reason] ?? "" }, sign, {
    name: why.watermark_now,
    value: times.exact(watermark),
    note: "",
  });
}
