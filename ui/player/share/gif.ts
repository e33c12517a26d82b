// An animated GIF (GIF89a), written frame by frame: one palette for all frames, and of each only what has changed.

/** The colours of the plane on paper, as ui/pages/theme/tokens.css has them, and the light backgrounds of the page. */
const COLOURS = [
  ...["#161B26", "#465063", "#5E687A", "#FFFFFF", "#F3F5F9", "#E9ECF2", "#E1E5EB", "#C3CAD5", "#1F5FBF", "#B26A00"],
  ...["#8C1C13", "#2E8B57", "#8A8A8A", "#E8F0FB", "#FBF1E2", "#E6F3EC", "#EEF1F5", "#FFF4CC"],
];

/** The shares of a colour in the pixels at the edge of a letter or a line. */
const STRENGTHS = [1, 0.87, 0.74, 0.61, 0.48, 0.36, 0.24, 0.13];

/** Red, green and blue of these and their blends with white: a rare colour counts as much as a common one. */
export const PALETTE = [
  [255, 255, 255],
  ...COLOURS.flatMap((colour) => {
    const parts = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
    return STRENGTHS.map((strength) => parts.map((part) => Math.round(255 - (255 - part) * strength)));
  }),
];

/** Up to 255 colours; the last entry of the table of 256 stands for what stays as it was. */
const UNCHANGED = 255;
const BITS = 8;
const MOST_CODES = 4096;
const LONGEST_BLOCK = 255;

/** Bytes that grow. */
class Bytes {
  held: Uint8Array<ArrayBuffer> = new Uint8Array(1 << 16);
  length = 0;

  put(byte: number) {
    if (this.length === this.held.length) {
      const larger = new Uint8Array(2 * this.length);
      larger.set(this.held);
      this.held = larger;
    }
    this.held[this.length++] = byte;
  }

  /** @param numbers of 16 bits, the low byte first */
  words(...numbers: number[]) {
    for (const each of numbers) {
      this.put(each & 255);
      this.put(each >> 8);
    }
  }

  /** @param text in ASCII */
  text(text: string) {
    for (const sign of text) this.put(sign.charCodeAt(0));
  }
}

/** The codes of one frame, packed into blocks of at most 255 bytes. */
class Packer {
  out: Bytes;
  bits = 0;
  count = 0;
  block: number[] = [];

  constructor(out: Bytes) {
    this.out = out;
  }

  /** @param size in bits */
  put(code: number, size: number) {
    this.bits |= code << this.count;
    this.count += size;
    for (; this.count >= 8; this.count -= 8) {
      this.byte(this.bits & 255);
      this.bits >>>= 8;
    }
  }

  byte(byte: number) {
    this.block.push(byte);
    if (this.block.length === LONGEST_BLOCK) this.flush();
  }

  flush() {
    if (!this.block.length) return;
    this.out.put(this.block.length);
    for (const each of this.block) this.out.put(each);
    this.block = [];
  }

  end() {
    if (this.count) this.byte(this.bits & 255);
    this.flush();
    this.out.put(0);
  }
}

/** Compresses pixels as GIF does (LZW with codes of growing length). */
function compress(pixels: Uint8Array, out: Bytes) {
  const clear = 1 << BITS;
  const packer = new Packer(out);
  /** The code of what `prefix` and a pixel make, by both; 0 for none. */
  const known = new Uint16Array(MOST_CODES << BITS);
  let [size, next] = [BITS + 1, clear + 2];
  out.put(BITS);
  packer.put(clear, size);
  let prefix = pixels[0];
  for (let at = 1; at < pixels.length; at += 1) {
    const place = (prefix << BITS) | pixels[at];
    if (known[place]) {
      prefix = known[place];
      continue;
    }
    packer.put(prefix, size);
    if (next < MOST_CODES) {
      if (next === 1 << size) size += 1;
      known[place] = next++;
    } else {
      packer.put(clear, size);
      known.fill(0);
      [size, next] = [BITS + 1, clear + 2];
    }
    prefix = pixels[at];
  }
  packer.put(prefix, size);
  // A reader adds a code after the last one too, which may be the one that makes codes longer.
  packer.put(clear + 1, next === 1 << size && size < 12 ? size + 1 : size);
  packer.end();
}

export class Gif {
  wide: number;
  high: number;
  out = new Bytes();
  /** the nearest of the palette, by colour */
  nearest: Map<number, number> = new Map();
  shown: Uint8Array | null = null;

  constructor(wide: number, high: number) {
    this.wide = wide;
    this.high = high;
    this.begin();
  }

  begin() {
    const { out } = this;
    out.text("GIF89a");
    out.words(this.wide, this.high);
    for (const byte of [0xf7, 0, 0]) out.put(byte);
    for (let index = 0; index <= UNCHANGED; index += 1) {
      for (let part = 0; part < 3; part += 1) out.put(PALETTE[index]?.[part] ?? 0);
    }
    // It begins again when it is over.
    for (const byte of [0x21, 0xff, 11]) out.put(byte);
    out.text("NETSCAPE2.0");
    for (const byte of [3, 1, 0, 0, 0]) out.put(byte);
  }

  /**
   * @param rgba the whole picture
   * @param pause how long (ms) it is shown
   */
  add(rgba: Uint8ClampedArray, pause: number) {
    const pixels = this.inPalette(rgba);
    const { left, top, wide, high } = this.changed(pixels);
    const part = new Uint8Array(wide * high);
    for (let row = 0; row < high; row += 1) {
      for (let column = 0; column < wide; column += 1) {
        const at = (top + row) * this.wide + left + column;
        part[row * wide + column] = this.shown && this.shown[at] === pixels[at] ? UNCHANGED : pixels[at];
      }
    }
    const { out } = this;
    // Drawn over what is there; the colour UNCHANGED is transparent.
    for (const byte of [0x21, 0xf9, 4, 0b101]) out.put(byte);
    out.words(Math.round(pause / 10));
    for (const byte of [UNCHANGED, 0, 0x2c]) out.put(byte);
    out.words(left, top, wide, high);
    out.put(0);
    compress(part, out);
    this.shown = pixels;
  }

  end() {
    this.out.put(0x3b);
    return this.out.held.slice(0, this.out.length);
  }

  /** The least rectangle with everything that differs from the picture before: one pixel where nothing does. */
  changed(pixels: Uint8Array) {
    const { shown, wide, high } = this;
    if (!shown) return { left: 0, top: 0, wide, high };
    let [left, right, top, bottom] = [wide, -1, high, -1];
    for (let at = 0; at < pixels.length; at += 1) {
      if (pixels[at] === shown[at]) continue;
      const [row, column] = [Math.floor(at / wide), at % wide];
      if (column < left) left = column;
      if (column > right) right = column;
      if (row < top) top = row;
      bottom = row;
    }
    return right < 0
      ? { left: 0, top: 0, wide: 1, high: 1 }
      : { left, top, wide: right - left + 1, high: bottom - top + 1 };
  }

  inPalette(rgba: Uint8ClampedArray) {
    const pixels = new Uint8Array(this.wide * this.high);
    let [last, index] = [-1, 0];
    for (let at = 0; at < pixels.length; at += 1) {
      const colour = (rgba[4 * at] << 16) | (rgba[4 * at + 1] << 8) | rgba[4 * at + 2];
      if (colour !== last) {
        last = colour;
        index = this.indexOf(colour);
      }
      pixels[at] = index;
    }
    return pixels;
  }

  indexOf(colour: number) {
    const known = this.nearest.get(colour);
    if (known !== undefined) return known;
    const parts = [colour >> 16, (colour >> 8) & 255, colour & 255];
    let [best, least] = [0, Infinity];
    for (const [index, each] of PALETTE.entries()) {
      const distance = each.reduce((sum, part, place) => sum + (part - parts[place]) ** 2, 0);
      if (distance < least) [best, least] = [index, distance];
    }
    this.nearest.set(colour, best);
    return best;
  }
}
