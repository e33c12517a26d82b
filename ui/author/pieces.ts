// A file in pieces that end at line ends: of a large table only what is looked at leaves the browser.

const NEWLINE = 10;
const RETURN = 13;
const QUOTE = 34;

/**
 * How the lines of a table end and where they do not: `wide` is 2 for UTF-16, whose line ends take two bytes, and
 * `first` says at which of the two the sign stands; `quotes`: a line end between quotes ends no row.
 */
type Lines = { wide: 1 | 2; first: 0 | 1; quotes: boolean };

/** @param encoding by Python's name */
export function linesOf(encoding: string, form: string): Lines {
  const wide = encoding.startsWith("utf-16") ? 2 : 1;
  return { wide, first: encoding.endsWith("be") ? 1 : 0, quotes: form === "csv" };
}

/**
 * Where the last whole row in the first `most` lines of `bytes` ends, and how many lines there are up to it; an end of
 * 0 where no row ends. `full`: whether there are so many lines.
 */
export function cut(bytes: Uint8Array, { wide, first, quotes }: Lines, most: number) {
  const end = isSign(bytes, NEWLINE, wide, first) ? NEWLINE : RETURN;
  let inside = false;
  let seen = 0;
  const last = { end: 0, lines: 0 };
  const any = { end: 0, lines: 0 };
  for (let at = first; at < bytes.length; at += wide) {
    if (wide === 2 && bytes[first ? at - 1 : at + 1] !== 0) continue;
    if (bytes[at] === QUOTE && quotes) inside = !inside;
    if (bytes[at] !== end) continue;
    seen += 1;
    const place = first ? at + 1 : at + wide;
    if (place > bytes.length) break;
    Object.assign(any, { end: place, lines: seen });
    if (!inside) Object.assign(last, any);
    if (seen === most) break;
  }
  // A quote that is never closed must not hold up everything behind it.
  return { ...(last.end ? last : any), full: seen >= most };
}

function isSign(bytes: Uint8Array, sign: number, wide: 1 | 2, first: 0 | 1) {
  for (let at = bytes.indexOf(sign, first); at >= 0; at = bytes.indexOf(sign, at + 1)) {
    if (wide === 1 || (at % 2 === first && bytes[first ? at - 1 : at + 1] === 0)) return true;
  }
  return false;
}

/**
 * The pieces of a file, in order: whole rows, the number of their first line (from 1), and how much was read so far.
 * @param size the most bytes of a piece
 * @param most the most lines of a piece
 * @returns Throws a RangeError where no line ends within `size` bytes.
 */
export async function* pieces(
  file: Blob,
  size: number,
  most: number,
  lines: Lines,
): AsyncGenerator<{ bytes: Uint8Array; line: number; lines: number; done: number }> {
  let at = 0;
  let line = 1;
  while (at < file.size) {
    const bytes = new Uint8Array(await file.slice(at, at + size).arrayBuffer());
    const whole = cut(bytes, lines, most);
    const rest = at + bytes.length >= file.size && !whole.full;
    const found = rest ? { end: bytes.length, lines: 0 } : whole;
    if (!found.end) throw new RangeError("no line ends");
    at += found.end;
    yield { bytes: bytes.subarray(0, found.end), line, lines: found.lines, done: at };
    line += found.lines;
  }
}

/**
 * The beginning of a file, cut after a whole row unless it is the whole file.
 * @param size the most bytes of it
 * @param most the most lines of it
 */
export async function beginning(file: Blob, size: number, most: number) {
  const bytes = new Uint8Array(await file.slice(0, size).arrayBuffer());
  const wide = bytes[0] >= 254 && bytes[1] >= 254;
  const lines: Lines = { wide: wide ? 2 : 1, first: bytes[0] === 254 && wide ? 1 : 0, quotes: true };
  const { end, full } = cut(bytes, lines, most);
  return (bytes.length >= file.size && !full) || !end ? bytes : bytes.subarray(0, end);
}

/** @param text what `base64` made */
export function unbase64(text: string) {
  return Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
}
