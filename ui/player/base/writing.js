// Writes the raw fields of a step: the same rules as `Writer` of simulator/timeline/wording.py, kind by kind.
import { decimals, duration, say, wholeText } from "./format.js";
/** @import { Predicate } from "../types/payload.d.ts" */
/** @import { Times } from "./format.js" */

const MOST_LETTERS = 60;
const NO_STATE = "–";
// {[AS_WRITTEN]: text} is a number that a browser would write in another way (ui/payload/telling.py).
const AS_WRITTEN = "\u0000";
/** @type {{ [side: string]: string }} */
const SIDE_NAMESPACES = { left: "CLEANUP_LEFT", right: "CLEANUP_RIGHT" };
const ENDS_OF_TIME = 9.2e18;

/** @typedef {import("../types/player.d.ts").Telling} SentTelling */

/**
 * A raw field, in the form of its kind (simulator/timeline/explain/fields.py).
 * @typedef {any} Raw
 */

/** Writes values by their kind. `telling` is the payload's part of that name. */
export class Writer {
  /**
   * @param {SentTelling} telling
   * @param {Times} times
   */
  constructor(telling, times) {
    this.telling = telling;
    this.parts = telling.parts;
    this.times = times;
    /** @type {{ [kind: string]: (raw: Raw) => string }} */
    this.kinds = {
      number: String,
      text: String,
      exact: (ms) => times.precise(ms),
      record_time: (ms) => times.record(ms),
      duration,
      span: (ms) => decimals(ms, 3),
      value: (value) => this.value(value),
      kept: (value) => (value === null ? NO_STATE : this.value(value)),
      values: (values) => this.list(values.map((/** @type {Raw} */ each) => this.value(each))),
      value_at: (raw) => this.valueAt(raw),
      value_of: (raw) => this.value(raw.value),
      length: (values) => String(values.length),
      record: (raw) => this.record(raw),
      window_of_key: (raw) => this.windowOfKey(raw),
      bounds: (raw) => this.bounds(raw),
      bounds_list: (windows) => this.list(windows.map((/** @type {Raw} */ each) => this.bounds(each))),
      windows: (windows) => this.list(windows.map((/** @type {Raw} */ each) => this.window(each))),
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

  /**
   * `value` in words.
   * @param {string} kind
   * @param {Raw} value
   */
  write(kind, value) {
    return this.kinds[kind](value);
  }

  /**
   * The sides of a comparison with the signs between them; "" for null.
   * @param {Predicate | null} raw
   */
  predicate(raw) {
    if (!raw) return "";
    const [first, ...others] = raw.sides.map((side) => this.write(raw.kind, side));
    return [first, ...others.map((side, index) => `${raw.signs[index]} ${side}`)].join(" ");
  }

  /**
   * A number of a rule. `new` is its `value`: where a window fires, its result is the value.
   * @param {{ [name: string]: Raw }} numbers
   * @param {string} name
   */
  number(numbers, name) {
    const known = this.telling.numbers;
    const counts = Object.keys(numbers).some((each) => known[each] === "value");
    return this.write(counts ? "value" : (known[name] ?? "exact"), numbers[name === "new" ? "value" : name]);
  }

  /**
   * A value as text, cut where it is long; of a mapping each field with its name.
   * @param {Raw} value
   * @returns {string}
   */
  value(value) {
    if (value === null) return this.parts.nothing;
    if (typeof value === "object" && !Array.isArray(value) && !(AS_WRITTEN in value)) {
      const members = Object.entries(value).map(([name, each]) => `${name} ${this.member(name, each)}`);
      return members.join(this.parts.comma);
    }
    return cut(typeof value === "string" ? value : jsonText(value), MOST_LETTERS);
  }

  /**
   * The gap that a record brings along is a length of time.
   * @param {string} name
   * @param {Raw} value
   * @returns {string}
   */
  member(name, value) {
    return name === this.telling.gap_field && Number.isInteger(value) ? duration(value) : this.value(value);
  }

  /** @param {string[]} texts */
  list(texts) {
    if (texts.length < 2) return texts.join("");
    const before = texts.slice(0, -1).join(this.parts.list_comma);
    return say(this.parts.list, { before, last: texts.at(-1) });
  }

  /** @param {Raw} raw */
  valueAt({ value, ts }) {
    const text = this.value(value);
    return ts === null ? text : say(this.parts.value_at, { value: text, time: this.times.record(ts) });
  }

  /** @param {Raw} raw */
  record({ key, ts, value }) {
    const texts = [say(this.parts.key, { key: this.value(key) })];
    if (ts !== null) texts.push(this.times.record(ts));
    if (value !== null) {
      const text = this.value(value);
      const named = typeof value === "object" && !Array.isArray(value) && !(AS_WRITTEN in value);
      texts.push(named ? text : say(this.parts.value, { value: text }));
    }
    return texts.join(this.parts.comma);
  }

  /** @param {Raw} raw */
  bounds({ start, end }) {
    return start === null || start === undefined ? "" : this.times.window(start, end);
  }

  /** @param {Raw} raw */
  window(raw) {
    const bounds = this.bounds(raw);
    return bounds ? say(this.parts.window, { window: bounds }) : this.parts.global_window;
  }

  /** @param {Raw} raw */
  windowOfKey(raw) {
    const key = this.value(raw.key);
    if (raw.side !== undefined) return say(this.parts.side_of_key, { side: this.side(raw.side), key });
    if (raw.start === undefined) return say(this.parts.key, { key });
    return say(this.parts.window_of_key, { window: this.window(raw), key });
  }

  /** @param {Raw[]} windows */
  firstWindow(windows) {
    const { none, and_more } = this.telling.more;
    if (!windows.length) return none;
    const first = this.bounds(windows[0]) || this.window(windows[0]);
    return windows.length === 1 ? first : say(and_more, { first, more: windows.length - 1 });
  }

  /** @param {Raw} raw */
  channel({ input, channel }) {
    const { parts } = this;
    if (input === null) return channel === null ? parts.only_channel : say(parts.channel, { channel });
    if (channel === null) return say(parts.input, { input: this.side(input) });
    return say(parts.channel_of_input, { channel, input: this.side(input) });
  }

  /** @param {string} name */
  side(name) {
    return this.parts.sides[name];
  }

  /**
   * @param {string} what
   * @param {number} count
   */
  counted(what, count) {
    return count === 1 ? this.parts[`${what}_one`] : say(this.parts[`${what}_many`], { count });
  }

  /**
   * Where the operator's watermark is, as a clause.
   * @param {number | string | null} watermark
   */
  stands(watermark) {
    if (watermark === null) return this.parts.no_watermark;
    if (typeof watermark === "number" && watermark >= ENDS_OF_TIME) return this.parts.input_ended;
    return say(this.parts.watermark_at, { watermark: this.times.precise(watermark) });
  }
}

/**
 * `text` cut to `most` letters.
 * @param {string} text
 * @param {number} most
 */
export function cut(text, most) {
  if (text.length <= most) return text;
  const letters = [...text];
  return letters.length <= most ? text : `${letters.slice(0, most - 1).join("")}…`;
}

/**
 * JSON with blanks, as Python writes it.
 * @returns {string}
 * @param {Raw} value
 */
function jsonText(value) {
  if (Array.isArray(value)) return `[${value.map(jsonText).join(", ")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (AS_WRITTEN in value) return value[AS_WRITTEN];
  const members = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${jsonText(each)}`);
  return `{${members.join(", ")}}`;
}

/**
 * A namespace as its `toString` returns it in Java.
 * @param {Raw} raw
 */
function namespaceText({ side, start, end }) {
  if (side !== undefined) return SIDE_NAMESPACES[side];
  if (start === undefined) return "VoidNamespace";
  return start === null ? "GlobalWindow" : `TimeWindow{start=${wholeText(start)}, end=${wholeText(end)}}`;
}

/**
 * A `long` as Java spells it; null, no time yet, is the least.
 * @param {number | string | null} ms
 */
function longText(ms) {
  if (ms === null) return "Long.MIN_VALUE";
  if (typeof ms === "string" || Math.abs(ms) < ENDS_OF_TIME) return String(ms);
  return ms < 0 ? "Long.MIN_VALUE" : "Long.MAX_VALUE";
}
