// One plane laid over the other: on the same axes, with what looks the same left out of both, and with texts of either
// side that keep clear of what the other shows.
import { Plane } from "../player/picture/chart.ts";
import { put } from "../player/picture/svg.ts";
import type { Beside, PartRows, PlaneRow, PlaneSource } from "../player/types/picture.ts";
import type { PartSignals, PlaneRecord } from "#types/payload";
import type { Side } from "./side.ts";

const FRAME = new Set(["bands", "borders", "ideal", "now", "behind"]);

const NOT_THE_MARK = new Set(["from_step", "until_step", "id", "place", "quiet", "moved"]);

/** The identity of a mark by what it shows, whenever it appeared. */
export function looks(source: string, row: PlaneRow) {
  const shown = Object.fromEntries(Object.entries(row).filter(([name]) => !NOT_THE_MARK.has(name)));
  return `${source} ${JSON.stringify(shown)}`;
}

/** A plane that can lie under or over another one. */
export class OverlaidPlane extends Plane {
  /** whether a mark is left out */
  leaves: ((source: string, row: PlaneRow) => boolean) | null = null;
  /** the plane below this one, whose axes both have */
  under: OverlaidPlane | null = null;
  over: OverlaidPlane | null = null;
  /** The step that the plane above is about to show. */
  stepAbove = 0;

  rowsAt(source: PlaneSource, step: number) {
    const rows = super.rowsAt(source, step);
    const { leaves } = this;
    return leaves ? rows.filter((row) => !leaves(source.name, row)) : rows;
  }

  axes() {
    const other = this.under ?? this.over;
    return other ? joint(this.part.signals, other.part.signals) : this.part.signals;
  }

  /** The plane below is laid out and drawn first; the one above finds its place around that. */
  others(step?: number): Beside[] {
    const other = this.under ?? this.over;
    if (!other) return [];
    const { laid, shown, moment, valueBox } = other.scene;
    const rows = other.each((source) => other.rowsOfPart(source.table));
    const labelled = other === this.under;
    const own = { rows, labelled, hidden: moment?.hidden ?? new Set() };
    if (labelled) return [{ ...own, laid, shown, value: valueBox }];
    const at = this.stepAbove;
    if (step === undefined) return [{ ...own, laid: null, shown: null, value: null }];
    return [{ ...own, laid, shown: other.each((source) => other.rowsAt(source, at)), value: null }];
  }

  /** Lays this plane over `under`, or over none. */
  layOver(under: OverlaidPlane | null) {
    if (this.under === under) return;
    if (this.under) this.under.over = null;
    for (const each of [this, this.under, under]) if (each) each.drawn = null;
    this.under = under;
    if (under) under.over = this;
  }
}

/** Axes that hold what either side shows. */
function joint(a: PartSignals, b: PartSignals): PartSignals {
  const both: (ticks: "x_ticks" | "y_ticks", labels: "x_labels" | "y_labels") => [number, string][] = (
    ticks,
    labels,
  ) => {
    const found = [b, a].flatMap((each) => each[ticks].map((tick, index) => [tick, each[labels][index]] as const));
    return [...new Map(found)].sort(([one], [other]) => one - other);
  };
  const [across, along] = [both("x_ticks", "x_labels"), both("y_ticks", "y_labels")];
  return {
    ...a,
    x0: Math.min(a.x0, b.x0),
    x1: Math.max(a.x1, b.x1),
    y0: Math.min(a.y0, b.y0),
    y1: Math.max(a.y1, b.y1),
    x_ticks: across.map(([tick]) => tick),
    x_labels: across.map(([, label]) => label),
    y_ticks: along.map(([tick]) => tick),
    y_labels: along.map(([, label]) => label),
  };
}

/** Whether two sides have axes of one kind: event time, and either the arrival or the number of the stream item. */
export function canOverlay([a, b]: Pick<Side, "data">[]) {
  return Boolean(a.data.plane && b.data.plane && a.data.plane.arrival_axis === b.data.plane.arrival_axis);
}

/**
 * Shows the steps of both sides over each other, without what looks the same; the frame stays on the first.
 * @returns whether nothing but the frame is left
 */
export function showOverlaid(sides: Side[]): boolean {
  const [left, right] = sides.map((side) => side.marks());
  const same = new Set([...left].filter((mark) => right.has(mark)));
  const differing = [...left, ...right].filter((mark) => !same.has(mark));
  const [below, above] = sides.map(({ plane }) => plane);
  if (!below || !above) return false;
  [below, above].forEach((plane, index) => {
    plane.turn(sides[index].step);
    plane.leaves = (name, row) => {
      if (FRAME.has(name)) return index === 1;
      return same.has(looks(name, row));
    };
  });
  const anew = [below, above].some((plane) => plane.drawn?.part !== plane.part);
  if (anew) for (const plane of [below, above]) plane.drawn = null;
  below.stepAbove = sides[1].step;
  below.lay();
  above.lay();
  below.show(sides[0].step);
  above.show(sides[1].step);
  uncoverLetters(below, above);
  below.scene.giveWay([...below.scene.taken, ...above.scene.taken]);
  return differing.every((mark) => FRAME.has(mark.slice(0, mark.indexOf(" "))));
}

/** A letter in a mark that a mark of another record lies on is left out. */
function uncoverLetters(below: OverlaidPlane, above: OverlaidPlane) {
  const { laid } = below.scene;
  const { ahead, records } = above.scene.shown as PartRows;
  const marks = [...ahead, ...records];
  for (const [row, { node }] of below.scene.records.kept) {
    const { id } = row as PlaneRecord;
    const here = laid?.at.get(id);
    const covered = marks.some((each) => {
      const there = each.id !== id && above.scene.laid?.at.get(each.id);
      return here && there && Math.hypot(here.x - there.x, here.y - there.y) < Number(laid?.dot);
    });
    for (const letter of node.querySelectorAll("text")) put(letter, "visibility", covered ? "hidden" : "inherit");
  }
}
