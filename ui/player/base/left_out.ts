// What a draft of a try-out leaves out of its original: the player knows it, and the Author page says it.
import { readKept, writeKept } from "./kept.ts";

const LEFT_OUT = "tidemark.left_out";

/**
 * @param address the part of an address that opens the draft
 * @param text "" for nothing
 */
export function keepLeftOut(address: [name: string, value: string], text: string) {
  writeKept(LEFT_OUT, text ? [address.join(":"), text] : null, "tab");
}

/**
 * What the draft that was opened from `origin` leaves out, once; "" for nothing.
 * @param origin its address, as name:value
 */
export function takeLeftOut(origin: string | undefined): string {
  const isText = (each: unknown) => typeof each === "string";
  const [address, text] =
    readKept(LEFT_OUT, (read) => (read.length === 2 && read.every(isText) ? read : null), "tab") ?? [];
  if (text === undefined || address !== origin) return "";
  writeKept(LEFT_OUT, null, "tab");
  return text;
}
