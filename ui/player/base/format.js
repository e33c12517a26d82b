// Times and values as text, written as simulator/timeline/format.py and ui/times.py write them.

const INFINITE = 9.2e18;
const DURATION_UNITS = [
  [86400000, "d"],
  [3600000, "h"],
  [60000, "min"],
];
const DIGITS = new Map();
// Chinese characters, and the punctuation that is as wide as they are.
const CHINESE = /[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]/;
const WIDE_POINT = /[\u3000-\u303f\uff00-\uffef]/;

/** Writes times in the scenario's style: `style` is {style: "seconds" | "clock", zone, day}. */
export class Times {
  constructor(style, words) {
    this.style = style;
    this.words = words;
    this.clock =
      style.style === "clock"
        ? new Intl.DateTimeFormat("en-CA", {
            timeZone: style.zone,
            hourCycle: "h23",
            year: "numeric",
            month: "2-digit",
            day: "2-digit",
            hour: "2-digit",
            minute: "2-digit",
            second: "2-digit",
          })
        : null;
    // Whether times have dates, and so are long.
    this.dated = this.clock !== null && !style.day;
  }

  /** A watermark or timer, to the millisecond. */
  exact(ms) {
    if (ms === null || ms === undefined || ms <= -INFINITE) return this.words.none_yet;
    if (ms >= INFINITE) return "+∞";
    return this.clock ? this.onClock(ms, 3) : decimals(ms, 3);
  }

  /** A record's time or an arrival: one decimal, more where it needs them. */
  short(ms) {
    if (ms === null || ms === undefined) return "–";
    return this.clock ? this.onClock(ms, 0) : decimals(ms, 1);
  }

  /** The same with its unit. */
  withUnit(ms) {
    return this.clock || ms === null ? this.short(ms) : `${this.short(ms)} s`;
  }

  bound(ms) {
    if (!this.clock) return decimals(ms, 0);
    const text = this.onClock(ms, 0);
    return ms % 60000 === 0 && text.endsWith(":00") ? text.slice(0, -3) : text;
  }

  /** `[0, 5)`, or the words for the global window. */
  window(start, end) {
    return start === null || start === undefined
      ? this.words.global_window
      : `[${this.bound(start)}, ${this.bound(end)})`;
  }

  /** The range of times that a join looks at, `(2, 7]`: each end is open (exclusive) or closed (inclusive). */
  range({ low, high, low_open: lowOpen, high_open: highOpen }) {
    return `${lowOpen ? "(" : "["}${this.bound(low)}, ${this.bound(high)}${highOpen ? ")" : "]"}`;
  }

  /** A length of time to the millisecond. */
  span(ms) {
    return ms >= INFINITE ? "+∞" : decimals(ms, 3);
  }

  onClock(ms, least) {
    if (Math.abs(ms) > 8.64e15) return `${decimals(ms, least)} s`;
    const parts = {};
    for (const { type, value } of this.clock.formatToParts(new Date(ms))) parts[type] = value;
    const rest = ((ms % 1000) + 1000) % 1000;
    const time = `${parts.hour}:${parts.minute}:${parts.second}${decimals(rest, least).slice(1)}`;
    const day = `${parts.year}-${parts.month}-${parts.day}`;
    return day === this.style.day ? time : `${parts.month}-${parts.day} ${time}`;
  }
}

/** A length of time by its units: `250 ms`, `2.5 s`, `1 min 30 s`, `8 h`; as in simulator/timeline/format.py. */
export function duration(ms) {
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

/** `ms` in seconds with at least `least` decimals, and as many more as it needs. */
export function decimals(ms, least) {
  const size = Math.abs(ms);
  const whole = Math.floor(size / 1000);
  const fraction = String(size % 1000)
    .padStart(3, "0")
    .replace(/0+$/, "")
    .padEnd(least, "0");
  return `${ms < 0 ? "−" : ""}${whole}${fraction ? `.${fraction}` : ""}`;
}

/** A value as text: numbers and strings as they are, the rest as short JSON. */
export function valueText(value) {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return `[${value.map(valueText).join(", ")}]`;
  if (typeof value === "object") {
    return Object.entries(value)
      .map(([name, each]) => `${name}: ${valueText(each)}`)
      .join(", ");
  }
  if (typeof value === "number" && !Number.isInteger(value)) return String(Number(value.toPrecision(6)));
  return String(value);
}

/** `text` cut to `most` characters. */
export function short(text, most) {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/**
 * A sentence of the catalogue with its {names} filled in. Beside a field a Chinese one has blanks, which go where the
 * field is Chinese itself (as in simulator/words/filling.py).
 */
export function say(template, fields = {}) {
  return template.replace(/( ?)\{(\w+)\}( ?)/g, (whole, before, name, after, at) => {
    if (!(name in fields)) return whole;
    const text = String(fields[name]);
    return `${before && between(template[at - 1], text)}${text}${after && between(text, template[at + whole.length])}`;
  });
}

/** What stands between two texts: a blank, or nothing where two Chinese ones meet and beside Chinese punctuation. */
export function between(one, other) {
  const [last, first] = [one?.at(-1) ?? "", other?.[0] ?? ""];
  return WIDE_POINT.test(last) || WIDE_POINT.test(first) || (CHINESE.test(last) && CHINESE.test(first)) ? "" : " ";
}

/** Estimates the width (px) of `text` in the interface font at `size` px; rather too wide than too narrow. */
export function textWidth(text, size = 14) {
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
