// SQL as a reader types it: the bytes of its files, and places in its text.
import { base64 } from "../player/base/dom.ts";

/** The bytes of a file, and not its text: which encoding that has is found where the file is read. */
export async function recordsOf(file: File) {
  return { file: file.name, content: base64(new Uint8Array(await file.arrayBuffer())) };
}

// The place in a text field at which something is refused: chosen, and scrolled into view.

/** What is marked: a quoted name, a word, or else one character. */
const MARKED = /^`[^`\n]+`|^[\p{L}\p{N}_$]+|^./u;

/** Lines and columns that stay in view before the place. */
const BEFORE = { lines: 3, columns: 8 };

/**
 * Where what stands at `place` begins and ends in `text`.
 * @param place line and column, from 1; a column counts characters, as Python does
 */
export function markedAt(text: string, [line, column]: [number, number]): [number, number] {
  const lines = text.split("\n");
  const before = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  const start = before + [...(lines[line - 1] ?? "")].slice(0, column - 1).join("").length;
  return [start, start + (MARKED.exec(text.slice(start))?.[0].length ?? 0)];
}

/**
 * Marks what stands at `place`, so that it is seen at once.
 * @param text whose lines do not wrap
 * @param place line and column, from 1
 */
export function choosePlace(text: HTMLTextAreaElement, [line, column]: [number, number]) {
  const [start, end] = markedAt(text.value, [line, column]);
  const lines = text.value.split("\n");
  text.focus();
  text.setSelectionRange(start, end);
  text.scrollTop = (text.scrollHeight / Math.max(lines.length, 1)) * Math.max(line - 1 - BEFORE.lines, 0);
  text.scrollLeft = widthOf(text, [...(lines[line - 1] ?? "")].slice(0, Math.max(column - 1 - BEFORE.columns, 0)));
}

/** How wide `characters` are in the font of `text`, in CSS pixels. */
function widthOf(text: HTMLTextAreaElement, characters: string[]) {
  const style = getComputedStyle(text);
  const context = document.createElement("canvas").getContext("2d");
  if (!context) return 0;
  context.font = style.font;
  return context.measureText(characters.join("").replaceAll("\t", " ".repeat(Number(style.tabSize) || 8))).width;
}
