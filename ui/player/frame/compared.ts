// What a query compares facts with: numbers, times and texts as a reader types them.
import { valueText, type Times } from "../base/format.ts";

const ENDS = 9.2e18;
const UNITS: { [unit: string]: number } = { ms: 1, s: 1000, sec: 1000, m: 60000, min: 60000, h: 3600000, d: 86400000 };

/** The words for a value that is not there. */
export const NOTHING = new Set(["none", "null"]);

/**
 * Reads a time (ms): `9s`, `250ms`, a bare number of seconds, or `08:00:05` where the screen shows a clock; null where
 * it is none.
 */
export function timeOf(text: string, { clock, style }: Times) {
  const plain = text.replace("−", "-");
  if (/^\+?(∞|inf)$/i.test(plain)) return ENDS;
  const span = numberOf(plain);
  if (span !== null) return /[a-z]$/i.test(plain) ? span : span * 1000;
  const parts = /^(?:(\d{4}-\d\d-\d\d)t?_?)?(\d\d?):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?$/i.exec(plain);
  if (!clock || !parts) return null;
  const [, day, hour, minute, second, fraction] = parts;
  const written = Date.parse(`${day ?? style.day}T${hour.padStart(2, "0")}:${minute}:${second ?? "00"}Z`);
  const shown = Object.fromEntries(clock.formatToParts(new Date(written)).map(({ type, value }) => [type, value]));
  const asIfUtc = Date.parse(
    `${shown.year}-${shown.month}-${shown.day}T${shown.hour}:${shown.minute}:${shown.second}Z`,
  );
  return 2 * written - asIfUtc + Number((fraction ?? "0").padEnd(3, "0"));
}

/** Reads a number; one with a unit is a length of time and returned in ms. Null where it is none. */
export function numberOf(text: string) {
  const parts = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+))([a-z]*)$/i.exec(text.replace("−", "-"));
  if (!parts || (parts[2] && !Object.hasOwn(UNITS, parts[2].toLowerCase()))) return null;
  return Math.round(Number(parts[1]) * (parts[2] ? UNITS[parts[2].toLowerCase()] : 1) * 1e6) / 1e6;
}

/** A test of a fact's value against what the query asks for. An order needs a number: without one it never holds. */
export function comparison(
  operator: string,
  { text, number }: { text: string; number: number | null },
): (value: unknown) => boolean {
  const limit = number ?? NaN;
  const equal = (value: unknown) => {
    if (value === null || value === undefined) return NOTHING.has(text);
    if (typeof value === "number" && number !== null) return value === number || (number >= ENDS && value >= ENDS);
    return valueText(value).toLowerCase() === text;
  };
  switch (operator) {
    case "=":
      return equal;
    case "!=":
      return (value: unknown) => !equal(value);
    case "~":
      return (value: unknown) => value !== null && value !== undefined && valueText(value).toLowerCase().includes(text);
    case "<":
      return (value: unknown) => typeof value === "number" && value < limit;
    case "<=":
      return (value: unknown) => typeof value === "number" && value <= limit;
    case ">":
      return (value: unknown) => typeof value === "number" && value > limit;
    default:
      return (value: unknown) => typeof value === "number" && value >= limit;
  }
}
