// How wide texts of the picture are, and how they are shortened where there is no room for the whole.
import { textMetrics } from "../base/measuring.ts";

const FAMILY = '"Source Sans", system-ui, sans-serif';
const MOST_KEPT = 20000;

const widths: Map<string, number> = new Map();

/**
 * The width (px) of a text.
 * @param size px
 */
export function widthOf(text: string, size: number, weight: number) {
  const name = `${size} ${weight} ${text}`;
  let wide = widths.get(name);
  if (wide === undefined) {
    if (widths.size > MOST_KEPT) widths.clear();
    // All digits are as wide as a zero: the page asks its font for that, and a canvas cannot.
    wide = textMetrics(`${weight} ${size}px ${FAMILY}`, text.replace(/\d/g, "0")).width;
    widths.set(name, wide);
  }
  return wide;
}

/** Widths measured before a font has come are another font's. */
export function forgetWidths() {
  widths.clear();
}

/** As much of `text` as `room` px hold, with an ellipsis for the rest; "" where not even two letters have room. */
export function shortenedTo(text: string, room: number, wide: (text: string) => number) {
  if (wide(text) <= room) return text;
  const letters = [...text];
  for (let count = Math.min(letters.length - 1, Math.floor(room / 2)); count > 1; count -= 1) {
    const cut = `${letters.slice(0, count).join("").trimEnd()}…`;
    if (wide(cut) <= room) return cut;
  }
  return "";
}

/**
 * A text in lines that are at most `room` px wide: broken at spaces, in Chinese between letters; a word that is wider
 * is shortened.
 */
export function brokenTo(text: string, room: number, wide: (text: string) => number) {
  const lines: string[] = [];
  // An interval such as [3, 8] stays in one piece, and a line does not begin with a comma.
  for (const part of text.match(
    /(?<!\s)\s*(?:[[(][^\])]{0,200}[\])]|[\u2e80-\u9fff][，。：；]?|[^\s\u2e80-\u9fff[(]+)/g,
  ) ?? []) {
    const last = lines.length - 1;
    if (last >= 0 && wide(lines[last] + part) <= room) lines[last] += part;
    else lines.push(part.trimStart());
  }
  return lines.map((line) => shortenedTo(line, room, wide));
}
