// The identity of things, as simulator/timeline/ids.py makes it: ids are compared, never taken apart. Only the kind of
// thing, which stands before the first colon, is read.
import type { Json, PlainKey } from "#types/payload";

/** A key as JSON, so that `1`, `"1"` and `true` are three keys. */
export function keyId(key: PlainKey | undefined) {
  return JSON.stringify(key);
}

/** The record that is stream item `item`. */
export function recordId(item: number) {
  return `record:${item}`;
}

/** A record of a join as its pairs show it, which say nothing of its item. */
export function pairedId(side: string, key: PlainKey | undefined, { ts, value }: { ts: number | null; value: Json }) {
  return JSON.stringify([side, key, ts, value]);
}

/** The kind of thing that an id names: `window`, `record`, `queue`, `buffer`, … */
export function kindOf(id: string) {
  return id.slice(0, id.indexOf(":"));
}
