// The check list on the card of a window: what a firing needs, and which of it holds.
import { say, valueText } from "../base/format.ts";
import { windowContents } from "../base/reading.ts";
import { sayOwn } from "./own.ts";
import type { Way, WindowCard } from "../types/player.ts";

/** What a firing needs, and which of it holds. */
export function checks(card: WindowCard) {
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
