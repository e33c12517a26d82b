// Writes the raw fields of a step: the same rules as `Writer` of simulator/timeline/wording.py, kind by kind.
import { decimals, duration, say, wholeText, type Times } from "./format.ts";
import type { Predicate } from "#types/payload";

const MOST_LETTERS = 60;
const NO_STATE = "–";
// {[AS_WRITTEN]: text} is a number that a browser would write in another way (ui/payload/columns.py).
const AS_WRITTEN = "\u0000";
const SIDE_NAMESPACES: { [side: string]: string } = { left: "CLEANUP_LEFT", right: "CLEANUP_RIGHT" };
const ENDS_OF_TIME = 9.2e18;

type SentTelling = import("../types/player.ts").Telling;

/** A raw field, in the form of its kind (simulator/timeline/explain/fields.py). */
type Raw = any;

/** Writes values by their kind. `telling` is the payload's part of that name. */
export class Writer {
  telling: SentTelling;
  parts;
  times: Times;
  kinds: { [kind: string]: (raw: Raw) => string };

  constructor(telling: SentTelling, times: Times) {
    this.telling = telling;
    this.parts = telling.parts;
    this.times = times;
    this.kinds = {
      number: String,
      text: String,
      exact: (ms) => times.precise(ms),
      record_time: (ms) => times.record(ms),
      duration,
      span: (ms) => decimals(ms, 3),
      value: (value) => this.value(value),
      kept: (value) => (value === null ? NO_STATE : this.value(value)),
      values: (values) => this.list(values.map((each: Raw) => this.value(each))),
      value_at: (raw) => this.valueAt(raw),
      value_of: (raw) => this.value(raw.value),
      length: (values) => String(values.length),
      record: (raw) => this.record(raw),
      window_of_key: (raw) => this.windowOfKey(raw),
      bounds: (raw) => this.bounds(raw),
      bounds_list: (windows) => this.list(windows.map((each: Raw) => this.bounds(each))),
      windows: (windows) => this.list(windows.map((each: Raw) => this.window(each))),
      first_window: (windows) => this.firstWindow(windows),
      channel: (raw) => this.channel(raw),
      side: (name) => this.side(name),
      join_side: (name) => say(this.parts.join_side, { side: this.side(name) }),
      compute: (name) => this.parts[`compute_${name}`],
      given: (name) => this.parts.given[name],
      memory: (name) => this.parts.memories[name],
      records: (count) => this.counted("records", count),
      results: (count) => this.counted("results", count),
      stands: (watermark) => this.stands(watermark),
      java_place: (place) => telling.places[place],
      java_namespace: namespaceText,
      java_time: longText,
      java_result: (text) => (text === "true" || text === "false" ? text : `TriggerResult.${text}`),
    };
  }

  /** `value` in words. */
  write(kind: string, value: Raw) {
    return this.kinds[kind](value);
  }

  /** The sides of a comparison with the signs between them; "" for null. */
  predicate(raw: Predicate | null) {
    if (!raw) return "";
    const [first, ...others] = raw.sides.map((side) => this.write(raw.kind, side));
    return [first, ...others.map((side, index) => `${raw.signs[index]} ${side}`)].join(" ");
  }

  /** A number of a rule. `new` is its `value`: where a window fires, its result is the value. */
  number(numbers: { [name: string]: Raw }, name: string) {
    const known = this.telling.numbers;
    const counts = Object.keys(numbers).some((each) => known[each] === "value");
    return this.write(counts ? "value" : (known[name] ?? "exact"), numbers[name === "new" ? "value" : name]);
  }

  /** A value as text, cut where it is long; of a mapping each field with its name. */
  value(value: Raw): string {
    if (value === null) return this.parts.nothing;
    if (typeof value === "object" && !Array.isArray(value) && !(AS_WRITTEN in value)) {
      const members = Object.entries(value).map(([name, each]) => `${name} ${this.member(name, each)}`);
      return members.join(this.parts.comma);
    }
    return cut(typeof value === "string" ? value : jsonText(value), MOST_LETTERS);
  }

  /** The gap that a record brings along is a length of time. */
  member(name: string, value: Raw): string {
    return name === this.telling.gap_field && Number.isInteger(value) ? duration(value) : this.value(value);
  }

  list(texts: string[]) {
    if (texts.length < 2) return texts.join("");
    const before = texts.slice(0, -1).join(this.parts.list_comma);
    return say(this.parts.list, { before, last: texts.at(-1) });
  }

  valueAt({ value, ts }: Raw) {
    const text = this.value(value);
    return ts === null ? text : say(this.parts.value_at, { value: text, time: this.times.record(ts) });
  }

  record({ key, ts, value }: Raw) {
    const texts = [say(this.parts.key, { key: this.value(key) })];
    if (ts !== null) texts.push(this.times.record(ts));
    if (value !== null) {
      const text = this.value(value);
      const named = typeof value === "object" && !Array.isArray(value) && !(AS_WRITTEN in value);
      texts.push(named ? text : say(this.parts.value, { value: text }));
    }
    return texts.join(this.parts.comma);
  }

  bounds({ start, end }: Raw) {
    return start === null || start === undefined ? "" : this.times.window(start, end);
  }

  window(raw: Raw) {
    const bounds = this.bounds(raw);
    return bounds ? say(this.parts.window, { window: bounds }) : this.parts.global_window;
  }

  windowOfKey(raw: Raw) {
    const key = this.value(raw.key);
    if (raw.side !== undefined) return say(this.parts.side_of_key, { side: this.side(raw.side), key });
    if (raw.start === undefined) return say(this.parts.key, { key });
    return say(this.parts.window_of_key, { window: this.window(raw), key });
  }

  firstWindow(windows: Raw[]) {
    const { none, and_more } = this.telling.more;
    if (!windows.length) return none;
    const first = this.bounds(windows[0]) || this.window(windows[0]);
    return windows.length === 1 ? first : say(and_more, { first, more: windows.length - 1 });
  }

  channel({ input, channel }: Raw) {
    const { parts } = this;
    if (input === null) return channel === null ? parts.only_channel : say(parts.channel, { channel });
    if (channel === null) return say(parts.input, { input: this.side(input) });
    return say(parts.channel_of_input, { channel, input: this.side(input) });
  }

  side(name: string) {
    return this.parts.sides[name];
  }

  counted(what: string, count: number) {
    return count === 1 ? this.parts[`${what}_one`] : say(this.parts[`${what}_many`], { count });
  }

  /** Where the operator's watermark is, as a clause. */
  stands(watermark: number | string | null) {
    if (watermark === null) return this.parts.no_watermark;
    if (typeof watermark === "number" && watermark >= ENDS_OF_TIME) return this.parts.input_ended;
    return say(this.parts.watermark_at, { watermark: this.times.precise(watermark) });
  }
}

/** `text` cut to `most` letters. */
export function cut(text: string, most: number) {
  if (text.length <= most) return text;
  const letters = [...text];
  return letters.length <= most ? text : `${letters.slice(0, most - 1).join("")}…`;
}

/** JSON with blanks, as Python writes it. */
function jsonText(value: Raw): string {
  if (Array.isArray(value)) return `[${value.map(jsonText).join(", ")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (AS_WRITTEN in value) return value[AS_WRITTEN];
  const members = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${jsonText(each)}`);
  return `{${members.join(", ")}}`;
}

/** A namespace as its `toString` returns it in Java. */
function namespaceText({ side, start, end }: Raw) {
  if (side !== undefined) return SIDE_NAMESPACES[side];
  if (start === undefined) return "VoidNamespace";
  return start === null ? "GlobalWindow" : `TimeWindow{start=${wholeText(start)}, end=${wholeText(end)}}`;
}

/** A `long` as Java spells it; null, no time yet, is the least. */
function longText(ms: number | string | null) {
  if (ms === null) return "Long.MIN_VALUE";
  if (typeof ms === "string" || Math.abs(ms) < ENDS_OF_TIME) return String(ms);
  return ms < 0 ? "Long.MIN_VALUE" : "Long.MAX_VALUE";
}
