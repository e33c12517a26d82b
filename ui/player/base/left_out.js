// What a draft of a try-out leaves out of its original: the player knows it, and the Author page says it.
import { readKept, writeKept } from "./kept.js";

const LEFT_OUT = "tidemark.left_out";

/**
 * @param {[name: string, value: string]} address the part of an address that opens the draft
 * @param {string} text "" for nothing
 */
export function keepLeftOut(address, text) {
  writeKept(LEFT_OUT, text ? [address.join(":"), text] : null, "tab");
}

/**
 * What the draft that was opened from `origin` leaves out, once; "" for nothing.
 * @param {string | undefined} origin its address, as name:value
 * @returns {string}
 */
export function takeLeftOut(origin) {
  const isText = (/** @type {unknown} */ each) => typeof each === "string";
  const [address, text] =
    readKept(LEFT_OUT, (read) => (read.length === 2 && read.every(isText) ? read : null), "tab") ?? [];
  if (text === undefined || address !== origin) return "";
  writeKept(LEFT_OUT, null, "tab");
  return text;
}
