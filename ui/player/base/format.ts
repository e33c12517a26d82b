// Times and values as text, written as simulator/timeline/wording.py and ui/payload/times.py write them.
import type { Fields } from "../types/player.ts";
import type { ShownChannel, Style } from "#types/payload";

const INFINITE = 9.2e18;
// The ends of time; a number cannot hold them exactly.
const [LAST, FIRST] = ["9223372036854775807", "-9223372036854775808"];
// The years 1 to 9999 (ms): beyond them Python's calendar has no date.
const CALENDAR = [-62135596800000, 253402300799999];
const DAY = 86400000;
const MINUTE = 60000;
const MOST_SECONDS = 4096;
const DURATION_UNITS: [number, string][] = [
  [86400000, "d"],
  [3600000, "h"],
  [60000, "min"],
];
const DIGITS = new Map();
// Chinese characters, and the punctuation that is as wide as they are.
const CHINESE = /[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]/;
// Quotes and brackets may follow what ends a sentence.
const SENTENCE_END = /[.!?…:;。！？：；｡．][)\]}"'”’»›）」』】》〉］]*$/;
const WIDE_POINT = /[\u3000-\u303f\uff00-\uffef]/;

/**
 * Writes times in the scenario's style: `style` is {style: "seconds" | "clock", zone, day}. With `clocks`, those of a
 * session time zone, windows are in local time and everything else is an instant.
 */
export class Times {
  style: Style;
  words: { none_yet: string; global_window: string };
  clock: Intl.DateTimeFormat | null;
  zone: ZoneClocks;
  localClock: Intl.DateTimeFormat | null;
  seconds: Map<number, string> = new Map();
  localSeconds: Map<number, string> = new Map();
  dated: boolean;
  /** for a novice, a watermark or timer of 0.999 s is 1 s: what ends a millisecond before a time is at that time */
  rounds = false;

  constructor(style: Style, words: { none_yet: string; global_window: string }) {
    this.style = style;
    this.words = words;
    this.clock = style.style === "clock" ? clockOf(style.zone) : null;
    this.zone = new ZoneClocks(style.clocks ?? []);
    this.localClock = style.clocks?.length ? clockOf("UTC") : null;
    // Whether times have dates, and so are long.
    this.dated = this.clock !== null && !style.day;
  }

  /** A watermark or timer, to the millisecond. */
  exact(ms: number | null | undefined) {
    if (ms === null || ms === undefined || ms <= -INFINITE) return this.words.none_yet;
    return this.precise(ms);
  }

  /** A watermark or timer within a sentence, to the millisecond. */
  precise(ms: number | string) {
    if (typeof ms === "number" && Math.abs(ms) >= INFINITE) return ms < 0 ? "−∞" : "+∞";
    if (this.rounds && !this.style.milliseconds && typeof ms === "number") {
      const round = ms + (ms % 10 === 9 || ms % 10 === -1 ? 1 : 0);
      return this.clock ? this.onClock(round, 0) : decimals(round, 0);
    }
    return this.clock ? this.onClock(ms as number, 3) : decimals(ms, 3);
  }

  /** The time of a record or of the clock within a sentence, with its unit. */
  record(ms: number) {
    return this.clock ? this.onClock(ms, 0) : `${decimals(ms, 1)} s`;
  }

  /** A record's time or an arrival: one decimal, more where it needs them. */
  short(ms: number | null | undefined) {
    if (ms === null || ms === undefined) return "–";
    return this.clock ? this.onClock(ms, 0) : decimals(ms, 1);
  }

  /** The same with its unit. */
  withUnit(ms: number | null | undefined) {
    return this.clock || ms === null || ms === undefined ? this.short(ms) : `${this.short(ms)} s`;
  }

  bound(bound: number | null | undefined) {
    const ms = bound ?? 0;
    if (!this.clock) return decimals(ms, 0);
    const text = this.localClock ? this.onLocalClock(ms) : this.onClock(ms, 0);
    return ms % 60000 === 0 && text.endsWith(":00") ? text.slice(0, -3) : text;
  }

  /** `[0, 5)`, or the words for the global window. */
  window(start: number | null | undefined, end?: number | null) {
    return start === null || start === undefined
      ? this.words.global_window
      : `[${this.bound(start)}, ${this.bound(end)})`;
  }

  /** The instants between which a window lies on the axis of event time. */
  onAxis(window: { start: number | null; end: number | null }) {
    return this.zone.span(window);
  }

  /** The range of times that a join looks at, `(2, 7]`: each end is open (exclusive) or closed (inclusive). */
  range({
    low,
    high,
    low_open: lowOpen,
    high_open: highOpen,
  }: {
    low?: number | null;
    high?: number | null;
    low_open?: boolean;
    high_open?: boolean;
  }) {
    return `${lowOpen ? "(" : "["}${this.bound(low)}, ${this.bound(high)}${highOpen ? ")" : "]"}`;
  }

  /** A length of time to the millisecond. */
  span(ms: number) {
    return ms >= INFINITE ? "+∞" : decimals(ms, 3);
  }

  onClock(ms: number, least: number) {
    const second = ms >= CALENDAR[0] && ms <= CALENDAR[1] ? this.second(Math.floor(ms / 1000)) : null;
    if (second === null) return `${decimals(ms, least)} s`;
    const name = this.zone.nameAt(ms);
    return second + decimals(((ms % 1000) + 1000) % 1000, least).slice(1) + (name && ` ${name}`);
  }

  /** A bound of a window, which is local time already. */
  onLocalClock(ms: number) {
    const second = ms >= CALENDAR[0] && ms <= CALENDAR[1] ? this.localSecond(Math.floor(ms / 1000)) : null;
    if (second === null) return `${decimals(ms, 0)} s`;
    return second + decimals(((ms % 1000) + 1000) % 1000, 0).slice(1);
  }

  /** A second on the clock, null where the zone leaves the calendar; kept for a while, being slow to find. */
  second(second: number) {
    return this.kept(second, this.clock, this.seconds);
  }

  localSecond(second: number) {
    return this.kept(second, this.localClock, this.localSeconds);
  }

  kept(second: number, clock: Intl.DateTimeFormat | null, known: Map<number, string>) {
    let text = known.get(second);
    if (text !== undefined) return text;
    const parts: { [type: string]: string } = {};
    for (const { type, value } of clock?.formatToParts(new Date(second * 1000)) ?? []) parts[type] = value;
    if (Number(parts.year) > 9999 || (second * 1000 < CALENDAR[0] + DAY && parts.month === "12")) return null;
    const time = `${parts.hour}:${parts.minute}:${parts.second}`;
    const day = `${parts.year.padStart(4, "0")}-${parts.month}-${parts.day}`;
    text = day === this.style.day ? time : `${parts.month}-${parts.day} ${time}`;
    if (known.size >= MOST_SECONDS) known.clear();
    known.set(second, text);
    return text;
  }
}

function clockOf(zone: string) {
  return new Intl.DateTimeFormat("en-CA", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
}

/** A length of time by its units: `250 ms`, `2.5 s`, `1 min 30 s`, `8 h`; as in simulator/timeline/wording.py. */
export function duration(ms: number) {
  const parts = [];
  let rest = Math.abs(ms);
  for (const [size, unit] of DURATION_UNITS) {
    if (rest < size) continue;
    parts.push(`${Math.floor(rest / size)} ${unit}`);
    rest %= size;
  }
  if (rest >= 1000 || (!rest && !parts.length)) parts.push(`${decimals(rest, 0)} s`);
  else if (rest) parts.push(`${rest} ms`);
  return `${ms < 0 ? "−" : ""}${parts.join(" ")}`;
}

/**
 * How far it is to something, in a sentence: below a minute to the millisecond, `2.000 s`, as formulas have it; from
 * there by units, `23 h 29 min 59.999 s`. `+∞` for the end of time.
 */
export function timeDistance(ms: number) {
  if (ms >= INFINITE) return "+∞";
  return Math.abs(ms) < MINUTE ? `${decimals(ms, 3)} s` : duration(ms);
}

/**
 * The sum that a channel's watermark comes from: `11.000 − 2.000 − 0.001`. Of times on the clock what is subtracted,
 * `− 30 s`: the drawer has the whole. A timestamp that has not been sent stands alone; "" where there is no sum.
 */
export function channelSum(
  { max_timestamp: seen, taken }: Pick<ShownChannel, "max_timestamp" | "taken">,
  times: Times,
  words: { seen_not_sent: string },
) {
  if (!taken) return "";
  if (!taken.length) return times.clock ? "" : say(words.seen_not_sent, { time: times.exact(seen) });
  if (times.clock) return taken.map((ms) => `− ${duration(ms)}`).join(" ");
  return [times.exact(seen), ...taken.map((ms) => times.span(ms))].join(" − ");
}

/** `ms` in seconds with at least `least` decimals, and as many more as it needs. */
export function decimals(ms: number | string, least: number) {
  const text = wholeText(ms);
  const digits = text.replace("-", "").padStart(4, "0");
  const fraction = digits.slice(-3).replace(/0+$/, "").padEnd(least, "0");
  return `${text.startsWith("-") ? "−" : ""}${digits.slice(0, -3)}${fraction ? `.${fraction}` : ""}`;
}

/** The digits of a whole number. Beyond 2^53 it comes as text, but for the two ends of time. */
export function wholeText(number: number | string) {
  if (typeof number === "string" || Math.abs(number) < INFINITE) return String(number);
  return number < 0 ? FIRST : LAST;
}

/** A value as text: numbers and strings as they are, lists as JSON; of a row its columns: `total 6.00 · n 2`. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return `[${value.map(valueText).join(", ")}]`;
  if (typeof value === "object") {
    return Object.entries(value)
      .map(([name, each]) => `${name} ${valueText(each)}`)
      .join(" · ");
  }
  if (typeof value === "number" && !Number.isInteger(value)) return String(Number(value.toPrecision(6)));
  return String(value);
}

/** `text` cut to `most` characters. */
export function short(text: string, most: number) {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/**
 * A sentence of the catalogue with its {names} filled in. Beside a field a Chinese one has blanks, which go where the
 * field is Chinese itself (as in simulator/words/__init__.py).
 */
export function say(template: string, fields: Fields = {}) {
  return template.replace(/( ?)\{(\w+)\}( ?)/g, (whole, before, name, after, at) => {
    if (!(name in fields)) return whole;
    const text = String(fields[name]);
    return `${before && between(template[at - 1], text)}${text}${after && between(text, template[at + whole.length])}`;
  });
}

/** What stands between two texts: a blank, or nothing where two Chinese ones meet and beside Chinese punctuation. */
export function between(one: string | undefined, other: string | undefined) {
  const [last, first] = [one?.at(-1) ?? "", other?.[0] ?? ""];
  return WIDE_POINT.test(last) || WIDE_POINT.test(first) || (CHINESE.test(last) && CHINESE.test(first)) ? "" : " ";
}

/**
 * Texts of several authors as sentences in a row: one that ends without a full stop gets one.
 * @param texts "" for none
 */
export function sentences(...texts: string[]) {
  const said = texts.map((text) => text.trim()).filter(Boolean);
  return said.reduce((before, text) => {
    const ended = SENTENCE_END.test(before) ? before : `${before}${CHINESE.test(before) ? "。" : "."}`;
    return `${ended}${between(ended, text)}${text}`;
  }, said.shift() ?? "");
}

/** Estimates the width (px) of `text` in the interface font at `size` px; rather too wide than too narrow. */
export function textWidth(text: string, size = 14) {
  let width = 0;
  for (const letter of text) {
    if (!DIGITS.has(letter)) {
      DIGITS.set(
        letter,
        /[ilI.,:;|' ()[\]]/.test(letter) ? 0.29 : /[mwMW→↻∞]/.test(letter) ? 0.82 : CHINESE.test(letter) ? 1.1 : 0.53,
      );
    }
    width += DIGITS.get(letter) * size;
  }
  return width;
}

// The clock of a session time zone during a run: where windows, which are in local time, lie among instants. The rule
// for windows is that of simulator/engine/values/zone.py.

class ZoneClocks {
  clocks: [number, number, string][];

  /** @param clocks [from this instant on, UTC plus so many ms, what that is called] */
  constructor(clocks: [number, number, string][]) {
    this.clocks = clocks;
  }

  /**
   * The instants between which a window lies. A local time that comes twice is the earlier instant at its start and the
   * later one at its end; one that is skipped is later by what was skipped.
   */
  span({ start, end }: { start: number | null; end: number | null }): { start: number | null; end: number | null } {
    if (!this.clocks.length || start === null || end === null) return { start, end };
    return { start: this.instants(start)[0], end: (this.instants(end - 1).at(-1) as number) + 1 };
  }

  /** The instants, ascending, at which the clock shows a local time. */
  instants(local: number) {
    const found = this.clocks.flatMap(([since, offset], index) => {
      const [ms, until] = [local - offset, this.clocks[index + 1]?.[0] ?? Infinity];
      return (index === 0 || ms >= since) && ms < until ? [ms] : [];
    });
    if (found.length) return found;
    const next = this.clocks.findIndex(([since, offset]) => local - offset < since);
    return [local - this.clocks[Math.max(next - 1, 0)][1]];
  }

  /** What the zone's time is called at an instant, `PDT`; "" where the clock is not changed. */
  nameAt(ms: number) {
    if (this.clocks.length < 2) return "";
    return (this.clocks.findLast(([since]) => ms >= since) ?? this.clocks[0])[2];
  }
}

/**
 * The minutes at which each of several scenarios begins and ends, one after another; null from the first on that does
 * not say how long it takes.
 */
export function minutesAlong(minutes: (number | null | undefined)[]) {
  let from: number | null = 0;
  return minutes.map((each) => {
    if (from === null || !each) return (from = null);
    const planned = { from, to: from + each };
    from = planned.to;
    return planned;
  });
}
