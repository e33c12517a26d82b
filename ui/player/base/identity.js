// The identity of things, as simulator/timeline/ids.py makes it: ids are compared, never taken apart. Only the kind of
// thing, which stands before the first colon, is read.
/** @import { Json, PlainKey } from "../types/payload.d.ts" */

/**
 * A key as JSON, so that `1`, `"1"` and `true` are three keys.
 * @param {PlainKey | undefined} key
 */
export function keyId(key) {
  return JSON.stringify(key);
}

/**
 * The record that is stream item `item`.
 * @param {number} item
 */
export function recordId(item) {
  return `record:${item}`;
}

/**
 * A record of a join as its pairs show it, which say nothing of its item.
 * @param {string} side
 * @param {PlainKey | undefined} key
 * @param {{ ts: number | null, value: Json }} record
 */
export function pairedId(side, key, { ts, value }) {
  return JSON.stringify([side, key, ts, value]);
}

/**
 * The kind of thing that an id names: `window`, `record`, `queue`, `buffer`, …
 * @param {string} id
 */
export function kindOf(id) {
  return id.slice(0, id.indexOf(":"));
}
