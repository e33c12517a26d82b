// What a mark of the picture is called when a screen reader comes to it: what it is, and what became of it.
import { between, say, short, valueText } from "../base/format.ts";
import { kindOf } from "../base/identity.ts";
import { keyText, pairValue, windowContents } from "../base/reading.ts";
import { aboutRecord } from "./record.ts";
import type { Player } from "../player.ts";
import type { OutputFact } from "../types/player.ts";

const NAME_LETTERS = 40;

/** The name of record, window, result, queued or buffered record `id` at `step`; empty where there is none. */
export function named(player: Player, id: string, step: number) {
  const { facts, words } = player;
  const { marks } = words.why;
  const record = facts.where("records", "id", id, step)[0];
  if (record) {
    const what = say(marks.record, { item: record.item, fate: words.fates[record.fate] });
    const about = aboutRecord(record, player);
    return `${what}${words.joints.stop}${between(words.joints.stop, about)}${about}`;
  }
  const output = facts.where("outputs", "id", id, step)[0];
  if (output) return resultNamed(player, output);
  if (kindOf(id) === "window") return windowNamed(player, id, step);
  const waiting = facts.where("queue", "id", id, step)[0];
  if (waiting) return say(marks.queued, waiting);
  const buffered = facts.where("buffers", "id", id, step)[0];
  return buffered ? say(marks.buffered, buffered) : "";
}

function windowNamed({ facts, times, words }: Player, id: string, step: number) {
  const row = facts.where("windows", "id", id, step)[0];
  if (!row) return "";
  const { marks, global } = words.why;
  const held = windowContents(facts, row, step).map((each) => short(valueText(each.value), NAME_LETTERS));
  const window = row.start === null ? global : times.window(row.start, row.end);
  return [
    say(marks.window, { window, key: keyText(row.key), status: words.statuses[row.status] }),
    ...(held.length ? [say(marks.holds, { values: held.join(words.joints.list) })] : []),
    ...(row.result === null ? [] : [say(marks.result, { value: short(valueText(row.result), NAME_LETTERS) })]),
  ].join(words.joints.comma);
}

function resultNamed({ times, words }: Player, { row }: OutputFact) {
  const values = row.row === "joined" ? [pairValue(row.left), pairValue(row.right)] : [row.value ?? null];
  const { marks } = words.why;
  const value = values.map((each) => short(valueText(each), NAME_LETTERS)).join(words.joints.and);
  return [
    say(marks.result_row, { value }),
    ...(row.timing ? [words.timings[row.timing]] : []),
    ...((row.start ?? null) === null ? [] : [times.window(row.start, row.end)]),
    say(marks.of_key, { key: keyText(row.key) }),
  ].join(words.joints.comma);
}
