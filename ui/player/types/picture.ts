// Shapes of the picture: what is drawn by key, what takes room, and where the plane's things are. Lengths are px.
import type { Table } from "../base/facts.ts";
import type { Band, Emitted, PlaneSources, Stop } from "#types/payload";

/** How a layer tells its things apart, draws one, and moves it while it stays. */
export interface Drawing<T> {
  /** The identity of a thing; itself if not given. */
  key?: (thing: T) => unknown;
  /** Changes when the thing must be drawn again. */
  sign?: (thing: T) => unknown;
  draw: (thing: T) => SVGElement;
  move?: (node: SVGElement, thing: T) => void;
}

export interface Place {
  x: number;
  y: number;
}

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** A place that a label may take. */
export interface Candidate {
  box: Box;
}

/** Something that takes room: marks and texts, thick lines, rings that come and go, thin lines. */
export interface Obstacle {
  box: Box;
  kind: "mark" | "text" | "line" | "ring" | "thin";
  /** The id of what is there; its own label may touch it. */
  of: string | undefined;
  /** What gives way if something more important needs the place. */
  label: unknown;
}

/** What it costs a label to lie on an obstacle, by kind; Infinity: it must not. */
export type Costs = { [Kind in Obstacle["kind"]]: number };

/** Diameter of the marks, and the places of their middles. */
export interface Spread {
  dot: number;
  places: Place[];
}

/** Rows of the plane by source: those of a part of the run, or of a step. */
export type PartRows = PlaneSources;

/** A row of any source. */
export type PlaneRow = PlaneSources[keyof PlaneSources][number];

/** A source, and its rows of the whole run. */
export type PlaneSource = { name: keyof PlaneSources; table: Table<PlaneRow> };

/** The plot: how data become places in it, and how wide a text is. */
export interface Frame {
  width: number;
  height: number;
  /** 1, or -1 where arrival runs upward. */
  down: number;
  /** The largest diameter of a record's mark. */
  dot: number;
  /** The number of processing of each record, by id, where it is shown instead of the key. */
  numbers: Map<string, string> | null;
  x: (ms: number) => number;
  y: (arrival: number) => number;
  wide: (text: string, size: number, weight: number) => number;
}

/** A text in its place; `rank` as of the row. */
export interface Label {
  box: Box;
  rank: number;
  left: number;
  baseline: number;
}

/** Where everything of a part is for as long as its size stays. */
export interface Laid {
  dot: number;
  numbers: Frame["numbers"];
  /** The middle of each record's mark, by id. */
  at: Map<string, Place>;
  /** The middle of the pointer at the side by which a record came in, by id, where there is room for it. */
  pointers: Map<string, Place>;
  /** Of each result, by its place; `whole`: with its text, which leaves `ends` of its frame free. */
  results: Map<string, { box: Box; whole: boolean; ends: { mark: number; end: number } }>;
  emitted: Map<Emitted, Place>;
  /** The labels of the records that have one. */
  records: Map<string, Label>;
  stops: Map<Stop, Label>;
  ideal: Label | null;
  /** The middles of the names of windows. */
  windows: Map<Band, number>;
}

/**
 * Another plane in the same picture: `rows` of its part, `laid` once they are in their places. `shown`: those of the
 * step; `labelled`: its records have labels, except those of `hidden`; `value`: where the watermark's value stands.
 */
export interface Beside {
  rows: PartRows;
  laid: Laid | null;
  shown: PartRows | null;
  labelled: boolean;
  hidden: Set<string>;
  value: Box | null;
}

export interface Ring extends Place {
  id: string;
  r: number;
}

export interface TickLabel {
  node: SVGElement;
  box: Box;
}
