// What the files of ui/player/share hand to one another, and what the server answers them.
import type { RoomSaid } from "./lecture.ts";
import type { Remedy, TryOut } from "./player.ts";

/** How a shape is filled and stroked. Lengths are in px. */
export interface Look {
  fill?: string | null;
  stroke?: string | null;
  line?: number;
  dash?: number[] | null;
  cap?: CanvasLineCap;
  opacity?: number;
}

/** As in CSS: a, b, c, d, e, f. */
export type Matrix = [a: number, b: number, c: number, d: number, e: number, f: number];

export interface Rectangle {
  x: number;
  y: number;
  w: number;
  h: number;
}

export interface DrawnBox extends Rectangle, Look {
  kind: "box";
  r: number;
}

export interface DrawnPath extends Look {
  kind: "path";
  d: string;
  matrix?: Matrix;
}

export interface DrawnText extends Look {
  kind: "text";
  matrix?: Matrix;
  x: number;
  y: number;
  w: number;
  text: string;
  font: string;
  size: string;
  weight: string;
  family: string;
  slant: string;
}

export interface DrawnClip extends Rectangle {
  kind: "clip";
  list: Drawn[];
}

export interface DrawnGroup {
  kind: "group";
  x: number;
  y: number;
  list: Drawn[];
}

export type Drawn = DrawnBox | DrawnPath | DrawnText | DrawnClip | DrawnGroup;

/** A size (px). */
export interface Size {
  wide: number;
  high: number;
}

export type PictureForm = "png" | "svg";

/** What the frames of an animation follow: records, marks of the scrubber, beats, or every step. */
export type FramesBy = "record" | "mark" | "beat" | "step";

/** A request; `kind` says what is wanted, `number` which answer belongs to it. */
export interface Question {
  kind: string;
  number: number;
  [field: string]: unknown;
}

/** What `said` is in the answer to each kind of request. */
export interface SaidTo {
  data: DataSaid;
  fires: FiresSaid;
  fonts: Problem;
  programs: Partial<Programs> & Problem;
  remedies: RemediesSaid;
  students: StudentsSaid;
  tryout: TryOutSaid;
  taken: Problem;
  [room: `room-${string}`]: RoomSaid;
}

/** An answer of ui/share/desk.py: `said` depends on the kind of the request, `body` is the content of a file. */
export interface Answer<Said> {
  said: Said;
  body: Uint8Array<ArrayBuffer>;
}

/** Present where the server refuses; the text says why. */
export interface Problem {
  problem?: string;
}

/** The answer to `fires`, see ui/author/tryout.py: the address of the changed scenario, or why there is none. */
export interface FiresSaid extends Problem {
  address?: [name: string, value: string];
}

/** The answer to `tryout`, see ui/author/tryout.py; `step` is the same moment in the changed run. */
export interface TryOutSaid extends Omit<TryOut, "original">, Problem {
  step: number;
}

/** The answer to `students`, see ui/pages/opening/named.py: the token of the link, "" where it is too long for one. */
export interface StudentsSaid extends Problem {
  token?: string;
}

/** The answer to `remedies`, see ui/share/answers.py. */
export interface RemediesSaid extends Problem {
  remedies?: Remedy[];
}

/** The engines of `TARGETS` in simulator/programs. */
export type EngineTarget = "flink-java" | "pyflink-sql" | "pyspark";

/** A program for an engine, or why there is none. */
export interface EngineProgram {
  to: EngineTarget;
  file: string;
  text: string;
  reason: string;
}

/**
 * The answer to `programs`, see ui/share/answers.py. `batch`: the records in each of Spark's micro-batches;
 * `not_compared`: why nothing differs, "" where something does.
 */
export interface Programs {
  programs: EngineProgram[];
  differing: { title: string; cells: { [Engine in EngineTarget]?: string } }[];
  not_compared: string;
  batch: number;
}

/** The answer to `data`: a file's MIME type, and for the scenario its ending. */
export interface DataSaid extends Problem {
  type: string;
  ending?: string;
}

/** How many frames of an animation are drawn. */
export interface Progress {
  done: number;
  total: number;
}

/** What the component of ui/share/desk.py and the player share in the browser. */
export interface Desk {
  waiting: Map<number, { question: Question; done: (answer: Answer<any>) => void }>;
  /** The number of the last request. */
  number: number;
  /** The number of the request that the server is answering. */
  asked?: number | null;
  /** Sends the next request; set once the component is mounted. */
  send?: () => void;
  /** Whether what answers is still being started: Python in the browser, where there is no server. */
  starting?: () => boolean;
  /** Forms of data that nobody here can write; none where there is a server. */
  unwritten?: string[];
  /** The packed frame of the offline page, see ui/share/desk.py. */
  kit?: Uint8Array<ArrayBuffer>;
  /** Called when it has come. */
  kitCame?: () => void;
}
