// Shapes that only the player's own files hand to one another. What Python sends is in payload.ts.
import type { Plane } from "../picture/chart.ts";
import type { Player } from "../player.ts";
import type {
  ConditionFact,
  ContentFact,
  CountFact,
  FiringFact,
  Mark,
  RecordFact,
  ShownTables,
  StatePart,
  WatermarkFact,
  WindowFact,
} from "#types/payload";
import type * as sent from "#types/payload";
import type { PlayerWords } from "#types/words";

/** Whatever members the kinds of `Kinds` have, each perhaps not there. */
type Merged<Kinds> = {
  [Name in Kinds extends unknown ? keyof Kinds : never]?: Kinds extends { [name in Name]?: infer Value }
    ? Value
    : never;
};

/** An output row; `row` says which kind it is, and which of the other members it has. */
export type Row = Merged<sent.Row> & { row: string };

export interface OutputFact extends Omit<sent.OutputFact, "row"> {
  row: Row;
}

/** A step with its sentences, which `Telling` fills in. */
export interface StepFact extends sent.ShownStep {
  what: string;
  why: string;
  /** The predicate with its numbers: `7.999 <= 8.999`. */
  condition: string;
}

/** A way in which something may fire: what is needed and what is there, numbers unless `kind` says otherwise. */
export interface Way extends Omit<ConditionFact, "needs" | "has"> {
  needs: number;
  has: number;
}

export type Tables = Required<Omit<ShownTables, "steps" | "outputs" | "void" | "conditions">> & {
  steps: StepFact[];
  outputs: OutputFact[];
  void: OutputFact[];
  conditions: Way[];
};

/** Everything that is sent of one scenario. */
export interface Payload extends Omit<
  sent.Payload,
  "words" | "tables" | "firing" | "state" | "beats" | "legend" | "telling"
> {
  words: PlayerWords;
  tables: Tables;
  badges?: sent.Badge[];
  visit?: sent.Visit | null;
  beats: StoppingPlace[];
  telling: Telling;
  legend: { plane: string[]; join?: string[]; [view: string]: string[] | undefined };
  firing: Omit<sent.Firing, "ways"> & { ways: { [kind: string]: { [name: string]: string } | undefined } };
  state: StatePart;
}

/** The parts of a payload that a plane needs; its rows may be packed. */
export interface PlanePayload extends Pick<
  Payload,
  "parts" | "signals" | "style" | "words" | "arrival_axis" | "steps" | "strings"
> {
  sources: { [Name in keyof sent.PlaneSources]: sent.PlaneSources[Name] | PackedTable };
}

/** What puts steps into words; the pieces of sentences are texts and tables of texts. */
export interface Telling extends Omit<sent.Telling, "parts"> {
  parts: { [name: string]: any };
}

/** A beat of the walkthrough, or a prediction. */
export type StoppingPlace = sent.StoppingPlace;

/** What may stand in an element: nothing is left out. */
export type Child = Node | string | null | undefined;
export type Children = Child | Child[];

/** Names of the catalogue's {fields} with what fills them. */
export type Fields = { [name: string]: any };

export type Attributes = { [name: string]: string | number | boolean };

/** The fact of a table by the table's name. */
export type FactOf<Name extends keyof Tables> = Tables[Name][number];

/** A packed column; ui/payload/columns.py describes the forms `k`. */
export interface PackedColumn {
  k: "same" | "ints" | "dict" | "text" | "list" | "rec" | "mix" | "raw";
  [name: string]: any;
}

export interface PackedTable {
  rows: number;
  columns: { [name: string]: PackedColumn | null };
}

/** The tables as they come: rows, or packed by columns. */
export type PackedTables = { [Name in keyof Tables]: Tables[Name] | PackedTable };

export interface Column {
  get: (row: number) => any;
}

/** A piece of a text; `term`: which term of the glossary it is. */
export interface GlossaryPiece {
  text: string;
  term: string | null;
}

export interface Drawer {
  show(step: number): void;
  node: HTMLElement;
  name: string;
  title: string;
  cap: string;
  always?: boolean;
  focus?: () => void;
  /** Of the drawer *State*: opens it at a view. */
  openAt?: (view: string) => void;
}

export type Scale = ReturnType<Plane["scale"]>;

/** What belongs to a link beside scenario and step, by name; null for what is as usual. */
export type LinkView = { [name: string]: string | null | undefined };

/** Where the player asks the app to go: a scenario by name, an address by its parameters, or the Author page. */
export type OpenedPlace = string | { [name: string]: string };

/** A place (px) in the plane. */
export interface Point {
  x: number;
  y: number;
}

/** The plot's place (px) on the page, and how times become places in it. */
export interface Area {
  left: number;
  top: number;
  width: number;
  height: number;
  x: (ms: number) => number;
  y: (arrival: number) => number;
  holdsMoment: (arrival: number) => boolean;
  /** Whether the axis is the clock. */
  byClock: boolean;
}

/** The distance in the picture between what is there and what is needed, both times (ms). */
export interface Gap {
  needs: number;
  now: number | null | undefined;
  /** Of a record that was judged: whether the limit was passed, or how much was left. */
  judged?: "over" | "left";
  row?: RecordFact;
}

/** What a Why card shows; `checks` is null where there is nothing to tick off. */
export interface Explanation {
  question: string;
  headline: string;
  parts: Node[];
  checks: Check[] | null;
  gap: Gap | null;
  record?: RecordFact;
}

export interface Check {
  holds: boolean;
  text: string;
  has: string;
}

/** What is known of a window, from which its card is written. */
export interface WindowCard {
  player: Player;
  step: number;
  row: WindowFact;
  ways: Way[];
  firings: FiringFact[];
  now: { watermark: WatermarkFact | null; clock: number };
  about: { window: string; key: string };
}

/** An edit of ui/author/edits.py, as far as the player makes them. */
export interface Edit {
  kind: "place" | "control" | "insert";
  [field: string]: string | number | Fields[];
}

/**
 * A record that is held, or the watermark's line (`row` is null). In the picture of a join a record moves along event
 * time, and to the other `side`; elsewhere it has none.
 */
export interface Held {
  row: RecordFact | null;
  /** the bound (ms) when the line was taken */
  bound: number;
  start: Point;
  from: Point;
  to: Point;
  moved: boolean;
  side: sent.JoinSide | null;
  /** ms (or items) for a px of the picture in which it was taken */
  perX: number;
  perY: number;
  byClock: boolean;
  /** whether the run follows the pointer */
  follows: boolean;
  /** what was shown when it was taken: each edit is one of that */
  before: { payload: Payload; packed: Uint8Array<ArrayBuffer>; now: TryOut | null; asking: Fields };
  /** the edit that the pointer asks for now; null for none */
  wanted: Edit | null;
  /** the edit whose run is shown, as JSON */
  shown: string;
  released: boolean;
}

/** Items put into the stream behind item `after` (ui/author/edits.py). */
export interface Insert extends Edit {
  kind: "insert";
  after: number;
  items: Fields[];
}

/** What advice that names items is to do: fire a window, take a record out of its queue or buffer, or match it. */
export type Effect = "fires" | "leaves" | "matches";

/** The buttons of advice that names these items, or why there are none; nothing while that is not known. */
export type Offer = (items: Insert["items"]) => HTMLElement[];

/** What is shown before the first change of a try-out; `own`: how an address names it if it is not of the library. */
export interface Original {
  payload: Payload;
  packed: Uint8Array<ArrayBuffer>;
  step: number;
  own: [name: string, value: string] | null;
}

/** A changed scenario in the place of the original, as ui/author/tryout.py answers. */
export interface TryOut {
  text: string;
  address: [name: string, value: string];
  /** A draft of it, and what that leaves out of the original, in words. */
  draft: { address: [name: string, value: string]; left_out: string };
  /** What was changed, and what that does. */
  what: string;
  line: string;
  ghost: { records: [time: number, arrival: number, input: string][]; watermark: [value: number, arrival: number][] };
  /** The step at which it was shown first. */
  step: number;
  /** Whether the reader went on to another step between the first change and this one. */
  onward: boolean;
  original: Original;
  /** an answer on the way, while something is held: its address is not that of the page */
  live?: boolean;
}

/** Puts a player in the place of another; `item`: the stream item that it begins with. */
export type Swap = (payload: Payload, packed: Uint8Array<ArrayBuffer>, tryOut: TryOut | null, item?: number) => void;

/** A number by which a lost record would have been kept. */
export type Remedy = Pick<sent.RemedyFact, "what" | "before" | "after">;

export interface GaugeSide {
  name: string;
  value: string;
  note?: string;
}

/** What a window's box shows at a step; `sign` changes when any of it does. */
export interface BoxFacts {
  contents: ContentFact[];
  evicted: Set<string>;
  outputs: OutputFact[];
  struck: Set<string>;
  gone: OutputFact[];
  count: CountFact | null;
  sign: string;
}

/** A size (px) of the lanes. */
export interface LaneSize {
  name: "full" | "mid" | "small" | "tiny";
  track: number;
  box: number;
  kept: boolean;
}

export interface LanePlace {
  top: number;
  height: number;
}

/** A line of the code walk. */
export interface CodeLine {
  id: string | null;
  text: string;
  number: number;
  flink: string;
}

export interface RanLine {
  line: CodeLine;
  live: string;
  step: number;
}

/** Marks of the scrubber that are too near to one another to be told apart. */
export interface MarkGroup {
  place: number;
  first: number;
  steps: number[];
  kinds: Mark["kind"][];
}

/** A place in a query's text: `at` inclusive, `to` exclusive. */
export interface Span {
  at: number;
  to: number;
}

export interface Term extends Span {
  kind: "word" | "text";
  text: string;
}

export interface WindowTerm extends Span {
  kind: "window";
  text: string;
  low: string;
  high: string;
}

export interface Operator extends Span {
  text: string;
}

export interface Comparison {
  kind: "compare";
  field: Term | WindowTerm;
  operator: Operator;
  value: Term | WindowTerm;
}

export type Query =
  { kind: "and" | "or"; parts: Query[] } | { kind: "not"; part: Query } | Comparison | Term | WindowTerm;

/** What a channel must do so that the watermark gets where it is needed. */
export interface ChannelRemedy<Channel> {
  channel: Channel;
  kind: "pending" | "watermark" | "record";
  /** The least timestamp (ms) of a record that is enough, for kinds other than `pending`. */
  ts?: number;
  /** The watermark (ms) that the channel sends then. */
  sends: number;
}

/** What two steps differ in, of one table and of one thing. */
export interface TableChanges {
  table: string;
  rows: ThingChange[];
  count: number;
}

export interface ThingChange {
  id: string;
  kind: "new" | "gone" | "changed";
  how: string | null;
  thing: string;
  changes: { name: string; before: string | null; now: string }[];
}

/** What Streamlit hands to a component at each run of its page. */
export interface Mounting<Data, Triggers = { [name: string]: any }> {
  data: Data;
  parentElement: HTMLElement;
  setTriggerValue: <Name extends keyof Triggers & string>(name: Name, value: Triggers[Name]) => void;
}
