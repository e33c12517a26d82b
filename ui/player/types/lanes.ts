// Shapes of the lanes: what stands in a window's box, and what is drawn below the plane. All lengths are px.
import type { BoxFacts, OutputFact } from "./player.ts";
import type { FrameFact, QueueFact, VersionFact, WindowFact } from "#types/payload";

/** Sizes of what stands in a box, by the size of the lanes. */
export interface BoxLook {
  /** Between the edge of the box and what stands in it. */
  pad: number;
  text: number;
  small: number;
  chip: { high: number; least: number; pad: number; text: number };
  frame: { high: number; text: number };
}

/** A record's chip. `side`: of two inputs the one that it came in by, or `none` for an input without records. */
export interface Chip {
  text: string;
  size: number;
  wide: number;
  id?: string;
  side: string;
  late: boolean;
  struck: boolean;
}

/** Something in a window's box. */
export interface Piece {
  kind: "name" | "cleared" | "chip" | "rule" | "many" | "equals" | "count" | "open" | "frame" | "value" | "mark";
  text: string;
  /** Its left edge. */
  x: number;
  wide: number;
  size: number;
  weight: number;
  /** Room on either side of its text. */
  pad: number;
  id?: string;
  side?: string;
  late?: boolean;
  struck?: boolean;
  gone?: boolean;
  /** Of a result, the mark that says when it came. */
  mark?: string;
}

export interface LaidBox {
  pieces: Piece[];
  /** Whether something has no room, or not all of it. */
  cut: boolean;
}

/** A window as it is drawn in its lane. */
export interface LaneWindow {
  row: WindowFact;
  found: BoxFacts;
  sign: string;
  x: number;
  y: number;
  wide: number;
  high: number;
}

/** The bar of state that is kept beyond the end of a window; `lower`: it gives way to another one in its row. */
export interface KeptBar {
  row: WindowFact;
  from: number;
  to: number;
  y: number;
  over: boolean;
  lower: boolean;
  /** "" where there is no room for it. */
  text: string;
}

/** The rows of a key that wait, and those that have left; `frame`: what an OVER frame holds of these. */
export interface LaneQueue {
  id: string;
  sign: string;
  waiting: QueueFact[];
  released: OutputFact[];
  frame: FrameFact[];
  top: number;
}

/** The versions of a key at a step; `met`: the one that a left row meets in this step, and the time of that row. */
export interface LaneVersions {
  id: string;
  sign: string;
  rows: VersionFact[];
  met: { version: string; ts: number } | null;
  top: number;
  /** Where the rows that wait are. */
  below: number;
}

/** The chip of a waiting record, as near as can be to its time (`place`); the first one may say when it leaves. */
export interface QueueChip {
  row: QueueFact;
  place: number;
  left: number;
  wide: number;
  size: number;
  head: boolean;
  label: string;
}
