// The texts of the two sides of a join. What stands still for a whole run chooses its place first; what comes with a
// step is placed aroundSpot the marks, and a record's name gives way to it only where there is no other place.
import { say } from "../base/format.ts";
import { keyText } from "../base/reading.ts";
import { sideName, svgText } from "./ground.ts";
import { FOR_TEXT, Space, baseline, beside, brokenTo, textBox, widthOf } from "./labels.ts";
import { names } from "./svg.ts";
import { JOIN_SIDES } from "./sides.ts";
import type { Box, Candidate } from "../types/picture.ts";
import type { RangeFact, RecordFact, ShownBuffer } from "#types/payload";
import type { Scale } from "../types/player.ts";
type Spot = { x: number; y: number };
import type { JoinView } from "./join.ts";
import type { Player } from "../player.ts";

/** Sizes (px) as in css/8-joins.css; with what present mode adds they can be read from the last row. */
const SAID_TEXT = 14;
const SAID_LINE = 18;
// In a picture that is narrower, what is said is broken into lines that leave the lines of the matches free.
const NARROW = 480;
const NARROW_LINE = 190;
const NAME_TEXT = 13;
const BOUND_TEXT = 13;
export const BAR_TEXT = 13;
// The stroke at the end of a bar, and a little room beside it (px).
const BAR_END = 3;

// A mark without room for letters has a name only if it is at least this large.
const LEAST_NAMED = 6;
const DISPLACING_NAMES = { ...FOR_TEXT, text: 20 };
const CHINESE_LETTERS = /[\u2e80-\u9fff]/;
const JUDGED_LATE = new Set(["dropped", "side"]);

export class JoinTexts {
  view: JoinView;
  player: Player;
  /** where the names of records are, by item */
  names: Map<number, Box> = new Map();
  space = new Space({ left: 0, top: 0, right: 0, bottom: 0 });
  /** the items whose names give way at this step */
  hidden: Set<unknown> = new Set();

  constructor(view: JoinView) {
    this.view = view;
    this.player = view.player;
  }

  /** The room of the picture: from below the watermark's value down to the axis. */
  emptied(wide: number) {
    const { place } = this.view;
    const space = new Space({ left: 4, top: place.top - 4, right: wide - 4, bottom: place.bottom });
    for (const side of JOIN_SIDES) space.block(sideName(this.player, place, side).box, "mark");
    return space;
  }

  /** Gives the names of a part's records their places, which they keep. */
  prepare(records: RecordFact[], wide: number) {
    this.names.clear();
    const { place, radius } = this.view;
    if (radius < LEAST_NAMED) return;
    const space = this.emptied(wide);
    for (const [item, spot] of place.at) space.block(aroundSpot(spot, radius), "mark", String(item));
    const byItem = new Map(records.map((row) => [row.item, row]));
    for (const row of byItem.values()) {
      const spot = place.at.get(row.item);
      // The name with its key, which stands beside a cross: so that it never needs more room.
      const size = spot && {
        wide: widthOf(this.nameOf(row), NAME_TEXT, 600),
        size: NAME_TEXT,
        below: row.input === "right",
      };
      const found = size && space.place(centredFirst(spot, radius, size), FOR_TEXT, { own: String(row.item) });
      if (found) this.names.set(row.item, found.box);
    }
  }

  nameOf({ item, key }: { item: number; key: RecordFact["key"] }) {
    return `${keyText(key)} ${this.view.place.names.get(item)}`;
  }

  /**
   * Occupies the places of a step's marks; texts are placed aroundSpot them.
   * @param matches both ends of each line between the sides
   */
  begin(
    records: RecordFact[],
    buffers: ShownBuffer[],
    matches: { left: Spot; right: Spot }[],
    { scale, wide }: { scale: Scale; wide: number },
  ) {
    const { place, radius, touched } = this.view;
    this.hidden = new Set();
    this.space = this.emptied(wide);
    for (const row of records) {
      const spot = place.at.get(row.item);
      if (!spot) continue;
      this.space.block(aroundSpot(spot, radius + (touched.has(row.id) ? 7 : 0)), "mark", String(row.item));
      const name = this.names.get(row.item);
      if (name) this.space.block(name, "text", String(row.item), row.item);
    }
    for (const row of buffers) {
      const bar = this.barOf(row, scale);
      this.space.block({ ...bar, left: bar.left - BAR_END, right: bar.right + BAR_END }, "line", row.id);
    }
    // On a phone the card says what has arrived: its note need not cover what it is about.
    const kind = wide < NARROW ? "line" : "ring";
    for (const { left, right } of matches) this.space.blockSlant(left.x, left.y, right.x, right.y, kind);
  }

  barOf(row: ShownBuffer, scale: Scale): Box {
    const y = this.view.place.bar(row.side, row.item);
    const right = row.kept_until === null ? scale.width : scale.px(Math.max(row.kept_until, row.ts));
    return { left: scale.left + scale.px(row.ts), right: scale.left + right, top: y - 4, bottom: y + 4 };
  }

  /** The best of these places for a text of the step; a name of a record gives way to it if no place is free. */
  note<C extends Candidate>(candidates: C[], own?: string) {
    const free = this.space.place(candidates, FOR_TEXT, { own });
    if (free) return free;
    // Only a name can give way: a bound, or what has been said already, stays.
    const stays = ({ box }: Candidate) =>
      [...this.space.under(box)].some(({ kind, label }) => kind === "text" && label === undefined);
    const open = candidates.filter((each) => !stays(each));
    const found = this.space.place(open, DISPLACING_NAMES, { own });
    if (found) for (const { label } of this.space.under(found.box)) if (label !== undefined) this.hidden.add(label);
    return found;
  }

  /** What has arrived and what matches it, beside it and between the two sides if there is room, and both bounds. */
  range(
    row: RangeFact,
    {
      x,
      low,
      high,
      near,
      far,
      down,
      wide,
    }: { x: number; low: number; high: number; near: number; far: number; down: boolean; wide: number },
  ) {
    const { player, view } = this;
    const { words, times } = player;
    const other = row.side === "left" ? "right" : "left";
    const fields = { name: this.nameOf(row), time: times.short(row.ts) };
    const room = wide < NARROW ? NARROW_LINE : wide - 16;
    const lines = [
      { weight: 600, text: say(view.inBatches ? words.batches.join.looked_at : words.picture.just_arrived, fields) },
      { weight: 400, text: say(words.picture[`match_${other}`], { key: keyText(row.key), range: times.range(row) }) },
    ].flatMap(({ weight, text }) =>
      brokenTo(text, room, (part) => widthOf(part, SAID_TEXT, weight)).map((part) => ({ text: part, weight })),
    );
    const long = Math.max(...lines.map(({ text, weight }) => widthOf(text, SAID_TEXT, weight)));
    const { lanes } = view.place;
    const between = (lanes.left + lanes.right) / 2 + (down ? -14 : 6);
    const middles = [between, between - 16, between + 16, lanes.left - 60, lanes.right + 66, lanes.left - 90];
    const lefts = [x + 26, x - 26 - long, 6, wide - 8 - long, x + 60, x - 60 - long].map((left) =>
      Math.min(Math.max(left, 6), wide - 8 - long),
    );
    const places = middles.flatMap((middle) =>
      lefts.map((left) => ({
        box: {
          left,
          right: left + long,
          top: middle - SAID_TEXT * 0.74,
          bottom: middle + (lines.length - 1) * SAID_LINE + SAID_TEXT * 0.22,
        },
        middle,
      })),
    );
    for (const at of [low, high]) {
      this.space.block({ left: at - 1, right: at + 1, top: Math.min(near, far), bottom: Math.max(near, far) }, "thin");
    }
    const nodes = this.bounds(row, { low, high, far, down });
    const found = this.note(places);
    if (found) {
      const said = names("range", String(row.item));
      lines.forEach(({ text, weight }, index) => {
        const look = weight > 400 ? "tm-join-said tm-strong" : "tm-join-said";
        nodes.push(svgText(text, found.box.left, found.middle + index * SAID_LINE, look, said));
      });
    }
    return nodes;
  }

  bounds(row: RangeFact, { low, high, far, down }: { low: number; high: number; far: number; down: boolean }) {
    const { times } = this.player;
    const ends = [
      { at: low, text: times.bound(row.low), inner: -1 },
      { at: high, text: times.bound(row.high), inner: 0 },
    ];
    return ends.flatMap(({ at, text, inner }) => {
      const wide = widthOf(text, BOUND_TEXT, 600);
      const outside = inner < 0 ? at - wide : at;
      const middles = down ? [far + 11, far - 11, far + 27] : [far - 11, far + 11, far - 27];
      const lefts = high - low < 60 ? [outside, at - wide / 2] : [at - wide / 2, outside];
      const found = this.note(
        middles.flatMap((middle) =>
          lefts.map((left) => ({ box: textBox(Math.max(left, 4), middle, wide, BOUND_TEXT) })),
        ),
      );
      return found
        ? [svgText(text, found.box.left, baseline(found.box, BOUND_TEXT), "tm-join-bound", names("bound", ""))]
        : [];
    });
  }

  /** Until when a record is kept: at the end of its bar, or before it. */
  bar(row: ShownBuffer, said: string, scale: Scale) {
    const { left, right, top, bottom } = this.barOf(row, scale);
    const middle = (top + bottom) / 2;
    const wide = widthOf(said, BAR_TEXT, 400);
    // Rows of bars may be so near one another that the taller letters of Chinese would touch.
    const tall = CHINESE_LETTERS.test(said) ? BAR_TEXT * 1.2 : BAR_TEXT;
    const places = [right + 6, left - 6 - wide].map((at) => ({ box: textBox(at, middle, wide, tall) }));
    const found = this.space.place(places, FOR_TEXT, { own: row.id });
    if (!found) return null;
    const y = baseline(textBox(found.box.left, middle, wide, BAR_TEXT), BAR_TEXT);
    return svgText(said, found.box.left, y, "tm-join-bar-text", names("kept", row.id));
  }

  /** The name of a record, unless something more important stands there at this step. */
  name(row: RecordFact) {
    const box = this.names.get(row.item);
    const { place, radius } = this.view;
    const spot = place.at.get(row.item);
    if (!box || !spot || this.hidden.has(row.item)) return null;
    const lettered = radius > 8 && keyText(row.key).length <= 2 && !JUDGED_LATE.has(row.fate);
    const text = lettered ? (place.names.get(row.item) ?? "") : this.nameOf(row);
    const [anchor, x] =
      box.right < spot.x
        ? ["end", box.right]
        : box.left > spot.x
          ? ["start", box.left]
          : ["middle", (box.left + box.right) / 2];
    const more = { "text-anchor": anchor, ...names("record", row.id) };
    return svgText(text, x, baseline(box, NAME_TEXT), "tm-join-name", more);
  }
}

function aroundSpot({ x, y }: { x: number; y: number }, radius: number): Box {
  return { left: x - radius, right: x + radius, top: y - radius, bottom: y + radius };
}

/** Places of a name: over or under its mark, then beside it. */
function centredFirst(
  spot: { x: number; y: number },
  radius: number,
  label: { wide: number; size: number; below: boolean },
) {
  const { x, y } = spot;
  const away = radius + 9 + label.size * 0.26;
  const at = label.below ? y + away : y - away;
  return [{ box: textBox(x - label.wide / 2, at, label.wide, label.size) }, ...beside(spot, radius, label)];
}
