// What has room in a window's box, and where: results at the right, the newest first; at the left what the window
// holds. Nothing is drawn here; all lengths are px, from the left edge of the box.
import { say, short, valueText } from "../base/format.ts";
import { recordId } from "../base/facts.ts";
import { timingMark } from "../base/reading.ts";
import { chipText, isRow, resultText } from "./box_drawing.ts";
import { shortenedTo, widthOf } from "./labels.ts";
import type { BoxFacts } from "../types/player.ts";
import type { BoxLook, Chip, LaidBox, Piece } from "../types/lanes.ts";
import type { WindowFact } from "#types/payload";
import type { PlayerWords } from "#types/words";

const BOX_GAP = 4;

/** Beside the text of a result: its mark, and the room at both ends of its frame. */
export const RESULT_FRAME = { mark: 13, left: 7, gap: 5, right: 9 };

/** Between the edge of a box and its text, where the text would otherwise have no room. */
export const TIGHT_PAD = 3;

// What a text may be shortened to, and no further: less than that says nothing.
const LEAST_TEXT = 22;
const LONG_TEXT = 8;

export const BOX_LOOKS: { [size: string]: BoxLook } = {
  full: { pad: 9, text: 14, small: 13, chip: { high: 26, least: 27, pad: 8, text: 14 }, frame: { high: 24, text: 14 } },
  mid: { pad: 9, text: 14, small: 13, chip: { high: 20, least: 22, pad: 6, text: 13 }, frame: { high: 21, text: 13 } },
  small: {
    pad: 5,
    text: 13,
    small: 12,
    chip: { high: 16, least: 18, pad: 4, text: 12 },
    frame: { high: 16, text: 12 },
  },
};

/**
 * Everything in a box of this width, from left to right. What has no room is left out or shortened, and `cut` says so.
 */
export function layBox(
  row: WindowFact,
  found: BoxFacts,
  width: number,
  {
    words,
    look,
    inputs,
    name,
    wide = widthOf,
  }: { words: PlayerWords; look: BoxLook; inputs: boolean; name: string; wide?: typeof widthOf },
): LaidBox {
  const results = resultsIn(found, width, look, wide);
  const until = results.pieces.length ? results.from - BOX_GAP : width - look.pad;
  const cleared = row.status === "cleared" && !found.contents.length;
  const value = row.result === null ? "" : short(valueText(row.result), isRow(row.result) ? 24 : 14);
  const ways = cleared ? waysToClear(words, look) : value ? waysToEqual(value, look) : [];
  let left = new LeftSide(look.pad, until, wide);
  let main = ways.find((each) => left.widthOf(each) <= left.room);
  if (ways.length && !main && !results.pieces.length) {
    const tight = new LeftSide(TIGHT_PAD, width - TIGHT_PAD, wide);
    main = ways.find((each) => tight.widthOf(each) <= tight.room);
    if (main) left = tight;
  }
  const tail = [
    ...(ways.length ? [main ?? ways[0]] : []),
    ...(found.count ? [pieceOf("count", say(words.picture.count_of, found.count), look.small, 400, 7)] : []),
  ];
  const forTail = tail.reduce((sum, each) => sum + left.widthOf(each) + BOX_GAP, 0);
  if (name) left.take(pieceOf("name", name, look.small, 400, 2), false, main ? left.widthOf(main) + BOX_GAP : 0);
  const groups = cleared ? [[]] : chipsIn(found, inputs, words, look, wide);
  if (!left.takeChips(groups, forTail) && found.contents.length) {
    left.cut = true;
    const counts = ["left", "right"].map((side) => found.contents.filter((each) => each.input === side).length);
    const many = inputs ? `${counts[0]} · ${counts[1]}` : say(words.chips_more, { count: found.contents.length });
    left.take(pieceOf("many", many, look.text, 400, 1), false, forTail);
  }
  for (const each of tail) left.take(each, each.kind === "equals" && each.text.length >= LONG_TEXT);
  if (row.status === "open" && look !== BOX_LOOKS.small) {
    left.take(pieceOf("open", words.open, look.text, 400, 4), false);
  }
  return { pieces: [...left.pieces, ...results.pieces], cut: left.cut || results.cut };
}

/** How a box says what its records come to, the roomiest way first. */
function waysToEqual(value: string, look: BoxLook) {
  return [
    pieceOf("equals", `= ${value}`, look.text, 600, 3),
    pieceOf("equals", value, look.text, 600, 3),
    pieceOf("equals", value, look.small, 600, 0),
  ];
}

/** How a box says that its state is gone, the roomiest way first. */
function waysToClear(words: PlayerWords, look: BoxLook) {
  return [
    pieceOf("cleared", words.state_cleared, look.text, 400, 8),
    pieceOf("cleared", words.state_cleared_short, look.text, 400, 8),
    pieceOf("cleared", words.state_cleared_short, look.small, 400, 2),
  ];
}

function pieceOf(kind: Piece["kind"], text: string, size: number, weight: number, pad: number) {
  return { kind, text, size, weight, pad };
}

/** The left side of a box, which is filled from the left. */
class LeftSide {
  at: number;
  until: number;
  wide: typeof widthOf;
  cut = false;
  pieces: Piece[] = [];

  constructor(from: number, until: number, wide: typeof widthOf) {
    this.at = from;
    this.until = until;
    this.wide = wide;
  }

  get room() {
    return this.until - this.at;
  }

  widthOf({ text, size, weight, pad }: ReturnType<typeof pieceOf>) {
    return this.wide(text, size, weight) + 2 * pad;
  }

  /** Takes a text if there is room beside `besides` px; `shortly`: else as much of it as has room. */
  take(each: ReturnType<typeof pieceOf>, shortly: boolean, besides = 0) {
    const { text, size, weight, pad } = each;
    const room = this.room - besides;
    const whole = this.widthOf(each);
    if (whole <= room) this.add(each, text, whole);
    else {
      if (each.kind !== "open") this.cut = true;
      const said =
        shortly && room >= LEAST_TEXT ? shortenedTo(text, room - 2 * pad, (cut) => this.wide(cut, size, weight)) : "";
      if (said) this.add(each, said, this.wide(said, size, weight) + 2 * pad);
    }
  }

  add(each: ReturnType<typeof pieceOf>, text: string, wide: number) {
    this.pieces.push({ ...each, text, x: this.at, wide });
    this.at += wide + BOX_GAP;
  }

  /**
   * Takes the chips of all records, or none; true if there was room.
   * @param groups of two inputs one for each
   */
  takeChips(groups: Chip[][], besides: number) {
    const long = groups.flat().reduce((sum, each) => sum + each.wide + BOX_GAP, 0) + (groups.length - 1) * 12;
    if (long + besides > this.room + BOX_GAP) return false;
    groups.forEach((chips, index) => {
      if (index) {
        this.pieces.push({ kind: "rule", text: "", x: this.at + 4, wide: 0, size: 0, weight: 0, pad: 0 });
        this.at += 12;
      }
      for (const chip of chips) {
        this.pieces.push({ ...chip, kind: "chip", x: this.at, weight: 400, pad: 0 });
        this.at += chip.wide + BOX_GAP;
      }
    });
    return true;
  }
}

/** The chips of the records; of two inputs those of either, and where one is empty, a chip that says so. */
function chipsIn(
  { contents, evicted }: BoxFacts,
  inputs: boolean,
  words: PlayerWords,
  { chip, small }: BoxLook,
  wide: typeof widthOf,
): Chip[][] {
  const chipOf = (record: BoxFacts["contents"][number], side = "") => {
    const text = chipText(record);
    return {
      text,
      size: chip.text,
      wide: Math.max(wide(text, chip.text, 400) + 2 * chip.pad, chip.least),
      id: recordId(record.item),
      side,
      late: record.late,
      struck: evicted.has(record.id),
    };
  };
  if (!inputs) return [contents.map((each) => chipOf(each))];
  return ["left", "right"].map((side) => {
    const own = contents.filter((each) => each.input === side).map((each) => chipOf(each, side));
    if (own.length) return own;
    const text = words.picture[`no_${side}`];
    return [
      { text, size: small, wide: wide(text, small, 400) + 2 * chip.pad, side: "none", late: false, struck: false },
    ];
  });
}

/** The results that have room, each with its mark; `from` is where the first of them begins. */
function resultsIn(found: BoxFacts, width: number, look: BoxLook, wide: typeof widthOf) {
  const all = [
    ...found.gone.map((fact) => ({ fact, struck: true, gone: true })),
    ...found.outputs.map((fact) => ({ fact, struck: found.struck.has(fact.id), gone: false })),
  ];
  const ends = RESULT_FRAME.left + RESULT_FRAME.mark + RESULT_FRAME.gap + RESULT_FRAME.right;
  const size = look.frame.text;
  let from = width - look.pad;
  let cut = false;
  const pieces: Piece[] = [];
  for (const { fact, struck, gone } of all.reverse()) {
    const text = resultText(fact.row);
    const weight = struck ? 400 : 600;
    const room = from - look.pad - (pieces.length ? BOX_GAP : 0);
    const measure = (said: string) => wide(said, size, weight);
    const of = { id: fact.id, mark: timingMark(fact.row.timing), struck, gone };
    let said = text;
    if (measure(text) + ends > room) {
      cut = true;
      if (pieces.length) break;
      // Its mark says that it is late; the number of the update goes first.
      const value = text.replace(/ ↻\d+$/, "");
      const frame = [look.pad, TIGHT_PAD].find((pad) => measure(value) + ends <= width - 2 * pad);
      const bare = [look.text, look.small].find((each) => wide(value, each, weight) <= width - 2 * TIGHT_PAD);
      if (frame !== undefined) {
        from = width - frame;
        said = value;
      } else if (bare !== undefined) {
        const long = wide(value, bare, weight);
        from = (width - long) / 2;
        pieces.push({ kind: "value", text: value, x: from, wide: long, size: bare, weight, pad: 0, ...of });
        break;
      } else {
        said = shortenedTo(value, room - ends, measure);
        if (!said && room < RESULT_FRAME.mark) break;
      }
    }
    const long = said ? measure(said) + ends : RESULT_FRAME.mark;
    from -= long + (pieces.length ? BOX_GAP : 0);
    pieces.unshift({
      kind: said ? "frame" : "mark",
      text: said,
      x: from,
      wide: long,
      size,
      weight,
      pad: 0,
      ...of,
    });
    if (!said) break;
  }
  return { pieces, from, cut };
}
