// The card of a window: why it has not fired, or when it did; what it waits for, who holds that back, what would help.
import { el, fill } from "../base/dom.ts";
import { say, timeDistance, valueText } from "../base/format.ts";
import { keyText, windowContents } from "../base/reading.ts";
import { exactly, holders, nextWatermark, remedies } from "./holders.ts";
import { advice, gauge, heading, linkButton, offers, recordOf, recordsOfWay, stepButton } from "./parts.ts";
import { sayOwn } from "./record.ts";
import type { Player } from "../player.ts";
import type { Way, WindowCard } from "../types/player.ts";

const ENDLESS = 9.2e18;

/** What the card of window `id` shows at `step`: {question, headline, parts, checks, gap}; null where there is none. */
export function explainWindow(player: Player, id: string, step: number) {
  const {
    facts,
    times,
    words: { why },
  } = player;
  const row = facts.where("windows", "id", id, step)[0];
  if (!row) return null;
  const ways = facts
    .where("conditions", "of", id, step)
    .slice()
    .sort((a, b) => a.order - b.order);
  const answers = facts.where("firings", "window", id, step);
  // Once it has given something, answers that gave nothing (an empty window, the result as before) count for nothing.
  const given = answers.filter((each) => each.gave);
  const firings = given.length ? given : answers.slice(-1);
  const about = { window: row.start === null ? why.global : times.window(row.start, row.end), key: keyText(row.key) };
  const gone = row.status === "cleared" || row.status === "merged";
  const question = say(gone ? why.ask_window_gone : firings.length ? why.ask_window_fired : why.ask_window, about);
  const now = { watermark: facts.at("watermark", step)[0] ?? null, clock: facts.at("clock", step)[0]?.value ?? null };
  const card = { player, step, row, ways, firings, now, about };
  const first = ways[0];
  const led = player.chain.ofWindow(row, step);
  // The clock is on the axis only where windows end by it.
  const drawn =
    first.kind === "watermark" ? first.needs < ENDLESS : first.kind === "clock" && player.payload.firing.by_clock;
  return {
    question,
    headline: headline(card),
    parts: gone
      ? [...history(card), ...led, ...afterwards(card)]
      : [...history(card), ...led, ...measured(card), ...held(card), ...help(card)],
    checks: gone ? null : checks(card),
    gap:
      drawn && first.phase === "waiting"
        ? { needs: first.needs, now: first.kind === "clock" ? now.clock : (now.watermark?.value ?? null) }
        : null,
  };
}

function headline(card: WindowCard) {
  const { player, firings, ways } = card;
  const {
    times,
    words: { why },
  } = player;
  const first = ways[0];
  const texts = why.headlines;
  if (first.kind === "cleared") {
    return say(player.payload.firing.by_clock ? texts.cleared_clock : texts.cleared, {
      step: first.has,
      time: times.exact(first.needs),
    });
  }
  if (first.kind === "merged") return say(texts.merged, { window: intoWindow(card), step: first.has });
  if (firings.length) return firedHeadline(card);
  const empty = first.phase === "due" || first.phase === "past" ? emptySide(card) : null;
  return empty ? say(texts.due_empty, { side: player.words.picture[empty] }) : waitHeadline(card, first);
}

/** The side without which a join gives no row, where it has no record. */
function emptySide({ player, row, step }: Pick<WindowCard, "player" | "row" | "step">) {
  const contents = windowContents(player.facts, row, step);
  return player.payload.firing.sides.find((side) => !contents.some((each) => each.input === side)) ?? null;
}

function intoWindow({ player, step, row }: WindowCard) {
  const into = player.facts.where("windows", "id", row.merged_into, step)[0];
  return into ? player.times.window(into.start, into.end) : "";
}

function firedHeadline({ player, firings, row, step }: WindowCard) {
  const { facts, times, words } = player;
  const { headlines } = words.why;
  const last = firings[firings.length - 1];
  if (firings.length > 1) {
    const many = firings.length === 2 ? headlines.fired_twice : headlines.fired_many;
    return say(many, { count: firings.length, step: last.step });
  }
  const then = facts.table("steps").row(last.step);
  if (!last.gave) {
    const empty = emptySide({ player, row, step: last.step });
    if (empty !== null && facts.where("windows", "id", row.id, last.step)[0].records) {
      return say(headlines.fired_one_side, { step: last.step, side: words.picture[empty] });
    }
    if (step > last.step) {
      return say(player.payload.firing.sides.length ? headlines.fired_no_row : headlines.fired_nothing, {
        step: last.step,
      });
    }
  }
  return say(headlines[`fired_${last.cause}`], { step: last.step, item: then.item, time: times.exact(then.watermark) });
}

function waitHeadline({ player, now, row }: WindowCard, way: Way) {
  const {
    times,
    words: {
      why: { headlines },
    },
  } = player;
  const time = times.exact(way.needs);
  switch (way.kind) {
    case "watermark": {
      if (way.phase !== "waiting") return say(headlines[`watermark_${way.phase}`], { time });
      if (way.needs >= ENDLESS) return headlines.end_of_input;
      const watermark = now.watermark?.value ?? null;
      return watermark === null
        ? headlines.no_watermark
        : say(headlines.watermark_waiting, { span: timeDistance(way.needs - watermark) });
    }
    case "clock":
      return way.phase !== "waiting"
        ? say(headlines.clock_due, { time })
        : say(headlines.clock_waiting, { span: timeDistance(way.needs - now.clock) });
    case "never":
      return way.reason === "closed"
        ? say(headlines.closed, { time: times.exact(now.watermark?.value ?? row.kept_until) })
        : headlines[`never_${way.reason}`];
    case "asking":
      return headlines[`asking_${way.reason}`];
    default:
      if (way.kind === "record" && way.phase === "due") return headlines.asking_record;
      return sayOwn(player, way, "headline") ?? headlines[way.kind];
  }
}

/** The last firings, each a way back to its step; of a window that merged, the one it became. */
function history({ player, firings, row, step }: WindowCard) {
  const into = row.merged_into && player.facts.where("windows", "id", row.merged_into, step)[0];
  const parts: HTMLElement[] = into
    ? [linkButton(player.times.window(into.start, into.end), () => player.why.open(into.id))]
    : [];
  if (firings.length) {
    const line = fill(el("div", "tm-reason-steps"), ...firings.slice(-4).map((each) => stepButton(player, each.step)));
    parts.push(line);
  }
  return parts;
}

/** What a record that still came would meet: not said of sessions, where it would be in a window of its own. */
function afterwards({ player, ways: [first], now }: WindowCard) {
  const {
    payload: { firing },
    times,
    words: { why },
  } = player;
  const closed =
    first.kind === "cleared" && !firing.by_clock && !firing.merges && (now.watermark?.value ?? -ENDLESS) >= first.needs;
  return closed ? [el("p", "tm-reason-text", say(why.closed_note, { time: times.exact(first.needs) }))] : [];
}

/** What is needed and what is there, as two numbers. */
function measured({ player, ways, now, row }: WindowCard) {
  const {
    payload,
    times,
    words: { why },
  } = player;
  const way = ways[0];
  if (way.kind === "watermark" && way.phase === "waiting") {
    const { end } = times.onAxis(row);
    const atEnd = way.reason === "end" && end !== null && end - 1 === way.needs;
    const named = { end: times.exact(end) };
    const note = atEnd
      ? say(why.window_end, named)
      : way.reason === "flush"
        ? say(why.window_flush, named)
        : (why.reasons[way.reason] ?? "");
    const since =
      now.watermark === null || now.watermark.value === null
        ? ""
        : payload.arrival_axis === "item"
          ? say(why.since_item, { time: now.watermark.arrival })
          : say(why.since_arrival, { time: times.withUnit(now.watermark.arrival) });
    return [
      gauge({ name: why.needs_at_least, value: times.exact(way.needs), note }, ">", {
        name: why.watermark_now,
        value: times.exact(now.watermark?.value),
        note: since,
      }),
    ];
  }
  if (way.kind === "clock" && way.phase === "waiting") {
    const note = way.reason === "end" ? why.window_end_clock : (why.reasons[way.reason] ?? "");
    return [
      gauge({ name: why.needs_at_least, value: times.exact(way.needs), note }, ">", {
        name: why.clock_now,
        value: times.exact(now.clock),
        note: "",
      }),
    ];
  }
  const own = player.payload.firing.ways[way.kind];
  if (own && way.has !== null) {
    return [
      gauge({ name: own.needs, value: sayOwn(player, way, "needs_value") ?? "" }, own.sign, {
        name: own.has,
        value: sayOwn(player, way, "has_value") ?? "",
      }),
    ];
  }
  return [];
}

function held({ player, step, ways }: WindowCard) {
  const way = ways[0];
  return way.kind === "watermark" && way.phase === "waiting" && way.needs < ENDLESS
    ? holders(player, step, way.needs)
    : [];
}

/** What would fire it, way by way: the watermark first, which has a heading of its own. */
function help(card: WindowCard) {
  const { player, step, row, ways, firings } = card;
  const {
    words: { why },
  } = player;
  const title = firings.length ? why.again : why.would;
  const nearest = ways.filter((way, index) => ways.findIndex((each) => each.kind === way.kind) === index);
  const first = nearest[0];
  const byWatermark =
    first.kind === "watermark" && first.phase === "waiting"
      ? remedies(player, step, first.needs, title, offers(player, row.id, step))
      : [];
  const lines = nearest.filter((way) => way !== first || !byWatermark.length).flatMap((way) => wayOut(card, way));
  if (!lines.length) return byWatermark;
  return [...byWatermark, heading(byWatermark.length ? why.or : title), ...lines];
}

function wayOut({ player, step, row, now, about }: WindowCard, way: Way) {
  const offer = offers(player, row.id, step);
  const {
    times,
    words: { why },
  } = player;
  switch (way.kind) {
    case "watermark":
      return way.phase === "past" ? [advice(why.any_next_watermark, "", offer(nextWatermark(player, step)))] : [];
    case "clock":
      return way.phase === "waiting"
        ? [
            advice(
              say(why.clock_any, { time: exactly(player, way.needs) }),
              say(why.clock_any_note, { almost: times.exact(way.needs - 1) }),
              offer([{ what: "advance", by: way.needs - now.clock }]),
            ),
          ]
        : [];
    case "record": {
      if (way.phase === "due") return [advice(why.record_due, why.headlines.asking_record)];
      if (way.reason !== "ended") {
        return [advice(say(why.record_every, about), why.record_every_note, offer(recordOf(player, row, step)))];
      }
      return [
        advice(
          row.kept_until === null ? why.late_record_ever : say(why.late_record, { time: times.exact(row.kept_until) }),
          why.late_record_note,
          offer(recordOf(player, row, step)),
        ),
      ];
    }
    case "restart":
      return [advice(why.restart, why.restart_note)];
    default: {
      const text = sayOwn(player, way, "advice", about);
      return text === null ? [] : [advice(text, "", offer(recordsOfWay(player, row, step, way)))];
    }
  }
}

// The check list on the card of a window: what a firing needs, and which of it holds.

/** What a firing needs, and which of it holds. */
function checks(card: WindowCard) {
  const { player, row, step, ways, now } = card;
  const {
    facts,
    payload,
    times,
    words: { joints, why },
  } = player;
  const texts = why.checks;
  const contents = windowContents(facts, row, step);
  const many =
    row.records === 0
      ? texts.records_none
      : row.records === 1
        ? texts.records_one
        : say(texts.records_many, { count: row.records });
  const result =
    row.result === null || row.records === 0 ? "" : `${joints.comma}= ${valueText(row.result).slice(0, 18)}`;
  const list = [{ holds: row.records > 0, text: texts.records, has: `${many}${result}` }];
  const { sides } = payload.firing;
  if (sides.length) {
    const count = (side: string) => contents.filter((each) => each.input === side).length;
    const text = sides.length === 2 ? texts.sides : texts[`side_${sides[0]}`];
    list.push({
      holds: sides.every((side) => count(side) > 0),
      text,
      has: say(texts.sides_have, { left: count("left"), right: count("right") }),
    });
  }
  list.push({
    holds: true,
    text: texts.clear,
    has: row.kept_until === null ? why.clear_never : say(why.clear_at, { time: times.exact(row.kept_until) }),
  });
  list.push({ holds: ways[0].reason !== "trigger", text: texts.trigger, has: payload.firing.trigger });
  for (const way of ways.slice(0, 2)) list.push(...check(card, way, now));
  return list;
}

function check({ player }: WindowCard, way: Way, now: WindowCard["now"]) {
  const {
    times,
    words: {
      why: { checks: texts },
    },
  } = player;
  switch (way.kind) {
    case "watermark":
      return [
        {
          holds: way.phase !== "waiting",
          text: say(texts.watermark, { time: times.exact(way.needs) }),
          has: times.exact(now.watermark?.value),
        },
      ];
    case "clock":
      return [
        {
          holds: way.phase !== "waiting",
          text: say(texts.clock, { time: times.exact(way.needs) }),
          has: times.exact(now.clock),
        },
      ];
    case "record":
      return [{ holds: way.phase === "due", text: texts.record, has: "" }];
    case "restart":
      return [{ holds: false, text: texts.timer, has: "" }];
    default: {
      const text = sayOwn(player, way, "check");
      return text === null ? [] : [{ holds: false, text, has: sayOwn(player, way, "check_has") ?? "" }];
    }
  }
}
