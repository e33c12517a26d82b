// A scenario file that the library could not open: the Author page opens what is wrong, and marks it.
import { readKept, writeKept } from "./kept.ts";

const HANDED = "tidemark.handed";

type HandedFile = { name: string; text: string };

/** Keeps the file for the Author page of this tab. False where the browser keeps nothing. */
export function handFile({ name, text }: HandedFile) {
  return writeKept(HANDED, { name, text }, "tab");
}

/** The file that was handed over, once; null for none. */
export function takeHanded(): HandedFile | null {
  const isFile = (read: any) => typeof read.name === "string" && typeof read.text === "string";
  const file = readKept(HANDED, (read) => (isFile(read) ? read : null), "tab");
  if (file) writeKept(HANDED, null, "tab");
  return file;
}
