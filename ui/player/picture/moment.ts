// What comes and goes with a step: the rings, the watermark's value, and notes of a Why card. They take free places
// among what the step shows; only if there is none, a less important label gives way for that step.
import { FOR_TEXT, Space, around, baseline, overlap, textBox } from "./labels.ts";
import { blockBorders, lineOf } from "./layout.ts";
import { pointerBox } from "./scene.ts";
import type { Beside, Box, Candidate, Frame, Laid, Obstacle, PartRows, Ring } from "../types/picture.ts";
import type { WatermarkMark } from "#types/payload";

export const VALUE = 14;
const ARROW = 6;
const VALUE_ROWS = [24, -18, 42, -36, 60, -54, 80, 100, 124, 150, 180, 210];

// A note costs a label that it displaces; a mark is never covered.
const DISPLACING = { ...FOR_TEXT, text: 20 };
const ASIDE = 0.6;

/** The room that a step leaves. */
export class Moment {
  laid: Laid;
  frame: Frame;
  space: Space;
  /** the ids of records and results whose labels give way */
  hidden: Set<string> = new Set();
  /** Values of other watermarks below the plot. */
  below: Box[];

  /**
   * @param shown the rows of the step
   * @param others what else stands in the same picture
   */
  constructor(laid: Laid, frame: Frame, shown: PartRows, others: Beside[] = []) {
    const { width, height, y } = frame;
    this.laid = laid;
    this.frame = frame;
    this.space = new Space({ left: 0, top: 1, right: width + 16, bottom: height - 1 });
    const { space } = this;
    this.block(laid, shown, (id) => id);
    for (const { laid: there, shown: other, labelled, hidden, value } of others) {
      if (there && other) this.block(there, other, (id) => (labelled && !hidden.has(id) ? null : undefined));
      if (value) space.block(value, "mark");
      if (labelled && there?.ideal && other?.ideal.length && !hidden.has("ideal")) space.block(there.ideal.box, "mark");
    }
    this.below = others.flatMap(({ value }) => (value && value.top > height ? [value] : []));
    if (laid.ideal && shown.ideal.length) space.block(laid.ideal.box, "text", "ideal", "ideal");
    blockBorders(shown, frame, space);
    for (const row of shown.now) {
      space.block({ left: 0, right: width, top: y(row.y) - 1, bottom: y(row.y) + 1 }, "thin");
    }
  }

  /**
   * What a plane shows at this step. `labelOf` says what a record's label is called, by which it may give way: null for
   * one that stays, undefined where the record has none.
   */
  block(laid: Laid, shown: PartRows, labelOf: (id: string) => string | null | undefined) {
    const { frame, space } = this;
    const radius = laid.dot / 2;
    for (const row of [...shown.ahead, ...shown.records]) {
      const place = laid.at.get(row.id);
      if (place) space.block(around(place, radius + 1), "mark", row.id);
      const label = laid.records.get(row.id);
      const called = labelOf(row.id);
      if (label && called !== undefined) space.block(label.box, called ? "text" : "mark", row.id, called ?? undefined);
    }
    for (const row of shown.sides) {
      const place = laid.pointers.get(row.id);
      if (place) space.block(pointerBox(place), "mark", row.id);
    }
    for (const row of shown.boxes) {
      const place = laid.results.get(row.place);
      if (place) space.block(place.box, "mark", row.id);
    }
    for (const row of shown.emitted) {
      const place = laid.emitted.get(row);
      if (place) space.block(around(place, 6), "mark", row.id);
    }
    for (const row of shown.stops) {
      const label = laid.stops.get(row);
      if (label) space.block(label.box, "mark");
      const at = frame.y(row.y);
      space.block({ left: 0, right: frame.width, top: at - 2, bottom: at + 2 }, "line");
    }
    const { x, y } = frame;
    for (const row of shown.ideal) space.blockSlant(x(row.x), y(row.y), x(row.x2), y(row.y2), "thin");
    for (const row of shown.segments) space.block(lineOf(row, frame, 3), "line");
    for (const row of shown.bars) space.block(lineOf(row, frame, 1), "thin");
  }

  /** Labels of records that reach over the axis into this box give way. */
  clear(box: Box) {
    for (const other of this.space.under(box)) if (other.label !== undefined) this.giveWay(other);
  }

  /** Labels that a ring would cross, other than that of its own record, give way to it. */
  ring(rings: Ring[]) {
    for (const { id, x, y, r } of rings) {
      for (const other of this.space.under(around({ x, y }, r + 1))) {
        if (other.of !== id && other.label !== undefined && reaches(other.box, x, y, r + 1)) this.giveWay(other);
      }
      this.space.block(around({ x, y }, r), "mark", id);
    }
  }

  /** The marks and rings that reach over the arrival axis. */
  atEdge() {
    const edge = { left: -80, right: -1, top: 0, bottom: this.frame.height };
    return [...this.space.under(edge)].filter(({ kind }) => kind === "mark").map(({ box }) => box);
  }

  giveWay({ label }: Obstacle) {
    this.hidden.add(String(label));
  }

  /**
   * The place of the watermark's value: at the end of its line; where all is taken, beside the title of the axis, or
   * if there is no room, in its place; at the numbers only beside another value there (`axis`).
   * @param title how long that title is
   */
  value(row: WatermarkMark, title: number): { box: Box; left: number; baseline: number; axis: boolean } {
    const { x, y, down, width, height, wide } = this.frame;
    const long = wide(row.text, VALUE, 600);
    const [here, now] = [x(row.x), y(row.y)];
    const inside = (left: number) => Math.min(Math.max(left, 0), width - 3 - long);
    if (row.moved) this.space.block(around({ x: here, y: now }, ARROW), "mark", "watermark");
    const beside = [-long / 2, 10, -10 - long, 26, -26 - long];
    // At the right edge, as at the end of input, the line cannot be mistaken: there it may stand further from its end.
    if (here > width - long / 2) beside.push(-80 - long, -150 - long, -220 - long);
    const candidates = VALUE_ROWS.flatMap((dy, index) =>
      beside.map((dx, turn) => {
        const written = textBox(inside(here + dx), now + dy * down, long, VALUE);
        // Chinese letters are higher than Latin ones.
        const box = { ...written, top: written.top - 1, bottom: written.bottom + 1 };
        return { box, written, cost: ASIDE * (index + turn) };
      }),
    );
    const found = this.note(candidates, "watermark");
    if (found) {
      const { box, written } = found;
      return { box, left: written.left, baseline: baseline(written, VALUE), axis: false };
    }
    const at = [here - long / 2, ...this.below.flatMap((other) => [other.right + 8, other.left - 8 - long])];
    const room = width - title - 12;
    const rows = [
      { right: room < long ? width : room, middle: height + 32 },
      { right: width, middle: height + 13 },
    ];
    const boxes = rows.flatMap(({ right, middle }) =>
      at.map((each) => textBox(Math.min(Math.max(each, 0), right - long), middle, long, VALUE)),
    );
    const box = boxes.find((each) => !this.below.some((other) => overlap(each, other))) ?? boxes[0];
    return { box, left: box.left, baseline: baseline(box, VALUE), axis: true };
  }

  /**
   * The best of these places. Labels of records that are in the way give way if no place is free.
   * @template C what else it needs is `also`
   * @param own the id of what the note is about
   */
  note<C extends Candidate & { cost?: number; also?: Box[] }>(candidates: C[], own: string): C | null {
    for (const costs of [FOR_TEXT, DISPLACING]) {
      let best = null;
      let least = Infinity;
      for (const each of candidates) {
        const asked = each.cost ?? 0;
        if (least <= asked) continue;
        const cost = [each.box, ...(each.also ?? [])].reduce(
          (sum, box) => sum + this.space.cost(box, costs, own),
          asked,
        );
        if (cost < least) [best, least] = [each, cost];
      }
      if (best) {
        for (const box of [best.box, ...(best.also ?? [])]) {
          for (const other of this.space.under(box)) if (other.label !== undefined) this.giveWay(other);
          this.space.block(box, "mark", own);
        }
        return best;
      }
    }
    return null;
  }
}

/** Whether a circle reaches into a box. */
function reaches(box: Box, x: number, y: number, r: number) {
  const across = Math.max(box.left - x, 0, x - box.right);
  const along = Math.max(box.top - y, 0, y - box.bottom);
  return Math.hypot(across, along) < r;
}
