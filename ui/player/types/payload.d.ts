// Rows, facts and the payload as they come from Python. Written by `python -m tests.reference` from
// simulator/engine/values/rows.py, simulator/timeline/schema.py, simulator/timeline/derived.py, ui/charts/schema.py and
// ui/payload/schema.py: change those, never this file.

/** A value as JSON has it. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** A moment in ms, of event time or of the processing-time clock. */
export type Time = number;

/** A length of time in ms. */
export type Duration = number;

/** The number of a micro-step, from 0. */
export type StepNumber = number;

/** The index of a stream item, from 0. */
export type ItemNumber = number;

/** The identity of a thing, the same over all its facts; opaque. */
export type Id = string;

export type PlainKey = string | number | boolean;

export type Timing = "early" | "on-time" | "late";

export type Change = "+I" | "-U" | "+U";

/** One record of a pair. */
export interface PairedRecord {
  /** its timestamp; null where processing time gives none */
  ts: Time | null;
  value: Json;
}

/** When a row of Flink's rules was emitted. */
export interface Moment {
  /** the operator's own watermark, null before the first one */
  watermark: Time | null;
  /** the processing-time clock */
  at: Time;
  /** the stream item that was being worked on */
  item: ItemNumber;
}

/** Of a window. */
export interface Bounds {
  /** the window's first instant; null for the global window, and where there is none */
  start: Time | null;
  /** the first instant after the window; null where `start` is */
  end: Time | null;
}

/** The result of a window, given when its trigger fires. */
export interface PaneRow extends Bounds, Moment {
  row: "pane";
  key: PlainKey;
  /** before, at or after the end of the window */
  timing: Timing;
  /** which of the window's firings it is, from 0 */
  pane: number;
  /** the result of the function */
  value: Json;
  /** the result record's own: end - 1 */
  timestamp: Time;
  /** with `updates: true` alone: a new result, one taken back, or its successor */
  change?: Change;
}

/** A pair of a window join, an interval join or a temporal join. */
export interface JoinedRow extends Bounds, Moment {
  row: "joined";
  key: PlainKey;
  left: PairedRecord;
  /** null in a left temporal join alone: there was no version */
  right: PairedRecord | null;
  /** end - 1 of the window; in an interval join the larger timestamp of the two, in a temporal join the left one */
  timestamp: Time;
}

/** Both sides of a window, as a coGroup function sees them. */
export interface GroupRow extends Bounds, Moment {
  row: "group";
  key: PlainKey;
  /** the values of the left side, in order of arrival */
  left: Json[];
  /** the values of the right side, in order of arrival */
  right: Json[];
  /** the result record's own: end - 1 */
  timestamp: Time;
}

/** A record that the event sort or a deduplication let go, or one with the aggregate of its OVER frame. */
export interface EmittedRow extends Moment {
  row: "emitted";
  key: PlainKey;
  /** the record's own timestamp */
  ts: Time;
  /** the record's own value; of OVER the aggregate */
  value: Json;
  /** of OVER alone: the record's own value */
  own?: Json;
  /** of a deduplication alone: a row, one taken back, or its successor */
  change?: Change;
}

/** A row that is among the first of its window, given when the window ends. */
export interface RankedRow extends Moment {
  row: "ranked";
  key: PlainKey;
  /** the window's first instant */
  start: Time;
  /** the first instant after the window */
  end: Time;
  /** its place in the window's order, from 1 */
  rank: number;
  /** the record's own timestamp */
  ts: Time;
  value: Json;
}

/** A late record: sent to the side output (`late`), or dropped and counted (`dropped`). */
export interface LostRow extends Moment {
  row: "late" | "dropped";
  /** the name of the input that it came in by */
  input: string;
  key: PlainKey;
  /** the record's own timestamp */
  ts: Time;
  value: Json;
  /** with `window-top-n` alone: the window that the record is too late for */
  start?: Time;
  /** with `window-top-n` alone: the first instant after that window */
  end?: Time;
}

/** The operator's combined watermark moved and was forwarded, after all rows that it fired. */
export interface WatermarkRow {
  row: "watermark";
  /** the new watermark */
  ts: Time;
  /** the processing-time clock */
  at: Time;
  item: ItemNumber;
}

/** The operator failed, as the engine would; nothing comes after it. */
export interface ErrorRow {
  row: "error";
  /** the simple name of the Java exception */
  type: string;
  message: string;
  item: ItemNumber;
}

/** The micro-batch that a row of Spark's rules belongs to. */
export interface BatchMoment {
  /** the number of the micro-batch, from 0 */
  batch: number;
  /** the watermark that this batch evicts by, 0 before the first one */
  watermark: Time;
}

/** The result of a window, given by a micro-batch. */
export interface BatchPaneRow extends BatchMoment {
  row: "pane";
  key: PlainKey;
  /** the window's first instant */
  start: Time;
  /** the first instant after the window */
  end: Time;
  /** the result of the function */
  value: Json;
}

/** A pair of a stream join. */
export interface BatchJoinedRow extends BatchMoment {
  row: "joined";
  key: PlainKey;
  left: PairedRecord;
  right: PairedRecord;
}

/** A record that the late filter took out of a window, or, in a join, out of the batch. */
export interface BatchDroppedRow extends Bounds, BatchMoment {
  row: "dropped";
  /** the name of the input that it came in by */
  input: string;
  key: PlainKey;
  /** the record's own timestamp */
  ts: Time;
  value: Json;
}

/** The figures of a micro-batch; the last row of its batch. */
export interface BatchRow extends BatchMoment {
  row: "batch";
  /** the watermark that this batch filters by: the one of the batch before */
  late_watermark: Time;
  /** how many records it read */
  rows_in: number;
  /** how many `pane` or `joined` rows it gave */
  rows_out: number;
  /** how many keyed entries it left in state */
  state_rows: number;
}

export type FlinkRow = PaneRow | JoinedRow | GroupRow | EmittedRow | RankedRow | LostRow | WatermarkRow | ErrorRow;

export type SparkRow = BatchPaneRow | BatchJoinedRow | BatchDroppedRow | BatchRow | ErrorRow;

export type Row =
  | PaneRow
  | JoinedRow
  | GroupRow
  | EmittedRow
  | RankedRow
  | LostRow
  | WatermarkRow
  | ErrorRow
  | BatchPaneRow
  | BatchJoinedRow
  | BatchDroppedRow
  | BatchRow;

export type Fate = "ahead" | "arrived" | "on-time" | "late-accepted" | "dropped" | "side" | "skipped";

export type ChannelStatus = "active" | "idle";

export type WindowStatus = "open" | "fired" | "cleared" | "merged";

export type TimerStatus = "waiting" | "due" | "past";

export type TimerPurpose = "fire" | "cleanup" | "fire+cleanup" | "sort" | "join" | "emit";

export type TimerDomain = "event" | "processing";

export type TimerCaller =
  "on_element" | "on_merge" | "on_event_time" | "on_processing_time" | "register_cleanup_timer" | "process_element";

export type JoinSide = "left" | "right";

export type StateKind =
  "contents" | "trigger" | "merging-set" | "emitted" | "queue" | "buffer" | "rows" | "versions" | "value";

export type VersionOp = "upsert" | "delete";

export type BatchStatus = "running" | "done" | "failed";

export type BatchReason = "records" | "empty" | "watermark";

/** What is true from one micro-step to another. */
export interface Fact {
  /** the first step at which it is true */
  from_step: StepNumber;
  /** the first step at which it no longer is; null while it stays to the end */
  until_step: StepNumber | null;
}

/** A fact about a thing with an identity. */
export interface NamedFact extends Fact {
  id: Id;
}

/** The window that something belongs to. */
export interface Namespace {
  /** inclusive; null for the global window, and where there is no window */
  start: Time | null;
  /** exclusive; null where `start` is */
  end: Time | null;
}

/** The rule that decided a step. */
export interface RuleMember {
  name: string;
  /** in Flink's terms: `max_timestamp + allowed_lateness <= watermark` */
  formula: string;
  /** the value of each name in the formula */
  numbers: Record<string, number>;
  /** whether it is true */
  holds: boolean;
}

/** A comparison as it is true: 7999 `<=` 8999, or 7999 `>` 6999 where the rule does not hold. */
export interface Predicate {
  /** times (ms), lengths of time (ms), or counts */
  kind: "exact" | "span" | "value";
  /** each added up */
  sides: number[];
  /** what stands between them */
  signs: string[];
}

/** One micro-step; it lives one step. */
export interface StepFact extends Fact {
  step: StepNumber;
  /** the type of the trace event */
  event: string;
  item: ItemNumber;
  /** the processing-time clock */
  at: Time;
  /** the operator's own, null before the first one */
  watermark: Time | null;
  /** the operator's method, in Flink's terms */
  place: string;
  /** the rule that decided, or null */
  rule: RuleMember | null;
  /** the rule with its numbers; null without a rule, and for one that is no plain comparison */
  predicate: Predicate | null;
  /** what happened: a sentence of the catalogue, below `explain.LEVEL`: `what.dropped` */
  story: string;
  /** why, in the same way: `rule.window_late`, or "" */
  reason: string;
  /**
   * what fills the `{names}` of both, raw, the same at every level and in every language;
   * `simulator/timeline/explain/fields.py` says how each is written
   */
  fields: Record<string, Json>;
  /** the lines of the code walk that the step goes through, the running one last */
  lines: string[];
  /** the things that this step changed */
  touches: Id[];
}

/** A record and its fate. */
export interface RecordFact extends NamedFact {
  item: ItemNumber;
  /** the name of its input */
  input: string;
  /** the upstream channel, from 0 */
  channel: number;
  /** as written in the scenario */
  key: PlainKey;
  /** its timestamp; null only where processing time gives none */
  ts: Time | null;
  value: Json;
  /** the clock at its arrival */
  at: Time;
  /** its place on the arrival axis: the clock (ms) or the number of the item */
  arrival: number;
  /** whether an earlier record has a larger `ts` */
  out_of_order: boolean;
  /** `ts` of the newest record before it, or null */
  newest_ts: Time | null;
  /** `arrival` of that record, or null */
  newest_arrival: number | null;
  /** what has become of it so far */
  fate: Fate;
}

/** The operator's own watermark; there is one. */
export interface WatermarkFact extends NamedFact {
  /** null before the first one */
  value: Time | null;
  /** where on the arrival axis it moved there; null before the first one */
  arrival: number | null;
  /** the watermark before it */
  before: Time | null;
}

/** One upstream channel, and the watermark generator in front of it. */
export interface ChannelFact extends NamedFact {
  /** the name of its input */
  input: string;
  /** its number within the input, from 0 */
  channel: number;
  /** null before the first one */
  watermark: Time | null;
  status: ChannelStatus;
  /** whether it counts for the minimum */
  aligned: boolean;
  /** the largest that its generator has seen */
  max_timestamp: Time | null;
  /** the item of the record that had it */
  max_item: ItemNumber | null;
  /** the step of that record */
  max_step: StepNumber | null;
  /** the clock at that record */
  max_at: Time | null;
  /** the last watermark that the generator emitted */
  emitted: Time | null;
  /** the step at which the valve took `watermark` */
  watermark_step: StepNumber | null;
  /** the clock at that step */
  watermark_at: Time | null;
  /** whether it is the first at the minimum of those that count; no watermark is the lowest */
  holds: boolean;
}

/** Where the watermarks of channels become one: a valve over all; in an interval join, one for each input. */
export interface ValveFact extends NamedFact {
  /** the input whose channels it combines; null for those of all inputs */
  input: string | null;
  /** over the channels that count */
  minimum: Time | null;
  /** the first channel at that minimum */
  holder: Id | null;
  /** the last that it sent on */
  watermark: Time | null;
  /** whether all its channels are */
  idle: boolean;
  /** whether it holds the operator's watermark */
  holds: boolean;
}

/** Processing time; there is one clock. */
export interface ClockFact extends NamedFact {
  value: Time;
}

/** A window of a key, from its first record on; it stays when it is over. */
export interface WindowFact extends NamedFact, Namespace {
  /** as written in the scenario */
  key: PlainKey;
  /** `fired`: at least once, and its state is kept; the last two: its state is gone */
  status: WindowStatus;
  /** how many are in it */
  records: number;
  /** the result of a firing now; null when it is empty, and where only a firing shows it (`collect`, an evictor) */
  result: Json;
  /** how many there were so far */
  firings: number;
  /** the cleanup time; null if never */
  kept_until: Time | null;
  /** [start, end] of the window that its contents are kept under: another only after a merge */
  state_window: (Time | null)[];
  /** joins it to its `contents` */
  holder: Id;
  /** the window that it went into */
  merged_into: Id | null;
  /** Spark's rules only: the result over what the running batch has; null when state has it */
  partial?: Json;
}

/** A record in a window. */
export interface ContentFact extends NamedFact {
  /** equal to that of its window */
  holder: Id;
  item: ItemNumber;
  /** the name of its input */
  input: string;
  ts: Time | null;
  value: Json;
  /** whether the window's firing was due already when it came */
  late: boolean;
  /** ascending: the order in which the state holds them */
  order: number;
}

/** What there is to know about a timer. */
export interface Timer extends Namespace {
  /** when it was registered, as a position; equal `timestamp`s fire in this order */
  order: number;
  domain: TimerDomain;
  /** when it fires */
  timestamp: Time;
  /** as written in the scenario */
  key: PlainKey;
  /** of an interval join, else null */
  side: JoinSide | null;
  purpose: TimerPurpose;
  /** `due`: it fires in this very advance; `past`: set for a time that was over, it fires at the next advance */
  status: TimerStatus;
  /** the method that set it: the trigger's (`on_…`) or the operator's */
  by: TimerCaller;
  /** the step at which that was */
  registered: StepNumber;
  /** the item at which that was */
  item: ItemNumber;
}

/** A waiting timer. */
export interface TimerFact extends NamedFact, Timer {}

/** A timer that left the queue, as it was; it lives one step. */
export interface GoneTimerFact extends Fact, Timer {
  /** its `id` in `timers` */
  timer: Id;
  how: "fired" | "deleted";
}

/** One entry of keyed state. `start` and `end` are its namespace; of a `merging-set` the window. */
export interface StateFact extends NamedFact, Namespace {
  /** the name of the state */
  state: string;
  /** `emitted`: the last result, where results are taken back */
  kind: StateKind;
  /** as written in the scenario */
  key: PlainKey;
  /**
   * of a `merging-set` the state window; null for a list, a queue, a buffer, `rows` and `versions`: their elements are
   * rows of `contents`, `queue`, `buffers`, `frames` and `versions`
   */
  value: Json;
  /** how many elements it holds */
  entries: number;
  /** the key group, of 128 */
  group: number;
  /** the number of snapshots before it was last written; 0 after a restore */
  version: number;
  /** whether the last snapshot holds the same value: it was not written since */
  shared: boolean;
  /** the step of the last write */
  written: StepNumber;
  /** joins a list to its `contents` */
  holder: Id | null;
}

/** How much keyed state holds; one row at a time. */
export interface HeldFact extends NamedFact {
  /** all `entries` together */
  values: number;
  /** the most so far */
  peak: number;
}

/** A snapshot that can be restored; a restore gives up those taken after it. */
export interface CheckpointFact extends NamedFact {
  name: string;
  /** how many snapshots there are up to it */
  number: number;
  /** how many values are in it */
  entries: number;
  /** how many timers are in it */
  timers: number;
  /** the step at which it was taken */
  taken: StepNumber;
  item: ItemNumber;
  /** whether `shared` entries are shared with this one: the last taken or restored */
  latest: boolean;
}

/**
 * A record that waits for the watermark to reach `ts`, in an event sort, on the left of a temporal join, for OVER or in
 * a deduplication. They leave by `ts`, then `order`; from a temporal join by `order`.
 */
export interface QueueFact extends NamedFact {
  /** as written in the scenario */
  key: PlainKey;
  ts: Time;
  value: Json;
  item: ItemNumber;
  /** of arrival */
  order: number;
}

/** A record that an interval join, or a stream join by Spark's rules, keeps. */
export interface BufferFact extends NamedFact {
  /** as written in the scenario */
  key: PlainKey;
  ts: Time;
  value: Json;
  item: ItemNumber;
  /** of arrival */
  order: number;
  side: JoinSide;
  /** the watermark at which it is forgotten; null for never */
  kept_until: Time | null;
}

/** A version of the right side of a temporal join, valid from `ts` on; `delete` is the end of the one before it. */
export interface VersionFact extends NamedFact {
  /** as written in the scenario */
  key: PlainKey;
  ts: Time;
  /** where the next version begins, exclusive; null for the newest */
  until: Time | null;
  /** null of a `delete` */
  value: Json;
  op: VersionOp;
  item: ItemNumber;
  /** of arrival */
  order: number;
}

/** A row in a bounded OVER frame of its key, from its own result on until it leaves the frame. */
export interface FrameFact extends NamedFact {
  /** as written in the scenario */
  key: PlainKey;
  ts: Time;
  value: Json;
  item: ItemNumber;
  /** of arrival */
  order: number;
}

/** A micro-batch; by Spark's rules only. */
export interface BatchFact extends NamedFact {
  /** from 0 */
  number: number;
  status: BatchStatus;
  /** why it runs: `empty` was ended without records; `watermark`: it only moved */
  reason: BatchReason;
  /** where on the arrival axis it was cut off */
  arrival: number;
  /** it evicts by */
  watermark: Time;
  /** it filters by: the watermark of the batch before */
  late_watermark: Time;
  /** how many records it read */
  rows_in: number;
  /** how many rows it gave; null until it is done */
  rows_out: number | null;
  /** how many entries it left in state; null until it is done */
  state_rows: number | null;
}

/** An output row, from the step that emitted it until a restore withdraws it. */
export interface OutputFact extends NamedFact {
  /** its place among the rows, from 0 */
  number: number;
  /** the row itself, as `run` prints it */
  row: Row;
  /** its place on the arrival axis: the clock (ms) or the number of the item */
  arrival: number;
  /** the window that it is of, in `windows` */
  window: Id | null;
}

/** Totals so far; one row at a time. */
export interface CountersFact extends NamedFact {
  records: number;
  panes: number;
  /** sent to the side output */
  late: number;
  /** by Spark's rules: records that no window took */
  dropped: number;
  /** taken by no window, though not late */
  skipped: number;
}

export type TableName =
  | "steps"
  | "records"
  | "watermark"
  | "channels"
  | "valves"
  | "clock"
  | "windows"
  | "contents"
  | "timers"
  | "gone_timers"
  | "state"
  | "held"
  | "checkpoints"
  | "queue"
  | "buffers"
  | "versions"
  | "frames"
  | "batches"
  | "outputs"
  | "counters";

/** The facts of a run by table, each in the order of `from_step`. */
export interface Tables {
  steps: StepFact[];
  records: RecordFact[];
  watermark: WatermarkFact[];
  channels: ChannelFact[];
  valves: ValveFact[];
  clock: ClockFact[];
  windows: WindowFact[];
  contents: ContentFact[];
  timers: TimerFact[];
  gone_timers: GoneTimerFact[];
  state: StateFact[];
  held: HeldFact[];
  checkpoints: CheckpointFact[];
  queue: QueueFact[];
  buffers: BufferFact[];
  versions: VersionFact[];
  frames: FrameFact[];
  batches: BatchFact[];
  outputs: OutputFact[];
  counters: CountersFact[];
}

export type Verdict =
  | "taken"
  | "refused"
  | "none"
  | "dropped"
  | "side"
  | "skipped"
  | "queued"
  | "buffered"
  | "ignored"
  | "version"
  | "given";

export type Cause = "record" | "watermark" | "clock";

export type Level = "novice" | "practitioner" | "source";

export type Sentence = "story" | "reason";

export type LawName = "all_come" | "all_lost" | "forward" | "lowest" | "all_sorted";

export type Comparison = [Time, string, Time | null];

/** What a window, or a record in a queue or buffer, waits for: a row for each thing that fires it. */
export interface ConditionFact extends NamedFact {
  /** the window or record that waits */
  of: Id;
  /**
   * what it waits for: `watermark`, `clock`, `record`, `kept`, or a kind of its trigger's own (such as `count`); or why
   * it waits for nothing: `asking` (its trigger is being asked), `restart`, `never`, `cleared`, `merged`
   */
  kind: string;
  /** why that fires it, or why nothing does; "" where there is nothing to add */
  reason: string;
  /** what has to come: a time (ms), a number of records, a threshold; or an id; or null */
  needs: Json;
  /** what is there of it already */
  has: Json;
  /**
   * of a timer its status, `waiting`, `due` or `past`; of a `record` `due` while the window holds one about which its
   * trigger has not been asked yet; otherwise "", or a form of its words
   */
  phase: string;
  /** its place among the rows of one thing */
  order: number;
}

/** A window fired; until a restore takes it back. */
export interface FiringFact extends NamedFact {
  window: Id;
  /** the step of its first row; where none came of it, of the trigger's answer */
  step: StepNumber;
  /** whether rows came of it */
  gave: boolean;
  cause: Cause;
}

/** What a window said to a record, or what was said to the record as a whole, until a restore takes it back. */
export interface JudgementFact {
  /** the first step at which it is true */
  from_step: StepNumber;
  /** the first step at which it no longer is; null while it stays to the end */
  until_step: StepNumber | null;
  id: Id;
  record: Id;
  step: StepNumber;
  /** the window that judged; null for what was said to the record as a whole */
  window: Id | null;
  start: Time | null;
  end: Time | null;
  verdict: Verdict;
  /** whether the record fired the window at once */
  fired: boolean;
  /** whether it was over for the window, or for the record */
  limit: Comparison | null;
  /** whether the window's firing was due */
  due: Comparison | null;
  /** the name of the rule that `limit` compares by */
  rule: string | null;
  /** the comparison of `limit` in Flink's terms */
  formula: string | null;
  /** of a buffered record alone: the watermark at which it is forgotten */
  needs?: Time;
}

/** A number of the scenario by which a lost record would have been kept, from its loss on. */
export interface RemedyFact extends NamedFact {
  record: Id;
  /** the setting that is changed */
  what: "bound" | "allowed-lateness";
  /** what it is */
  before: Duration;
  /** the least value that keeps the record; 1 ms less does not */
  after: Duration;
}

/** What a window, or the stream join, said to a record of a micro-batch (Spark's rules). */
export interface JudgedFact extends Fact, Namespace {
  record: Id;
  taken: boolean;
  /** the end of the window, in a join the record's own time */
  left: Time;
  /** the watermark that it was late by unless larger; null where nothing was asked */
  right: Time | null;
  batch: number;
  step: StepNumber;
}

/** A law that holds at every step of every run, with its numbers. */
export interface LawFact extends NamedFact {
  law: LawName;
  holds: boolean;
  numbers: Record<string, number | null>;
}

/** How a key comes to its key group. */
export interface KeyHash {
  /** as written in the scenario */
  key: PlainKey;
  /** the hash code that Java gives it */
  code: number;
  /** the murmur hash of that */
  murmur: number;
}

/** The life of a window, or of a record that waits in a queue or buffer. */
export interface BarRow {
  id: Id;
  kind: "window" | "queue" | "left" | "right";
  /** as written in the scenario */
  key: PlainKey;
  /** of a window */
  start: Time | null;
  /** of a window */
  end: Time | null;
  /** of a record */
  ts: Time | null;
  /** of a record */
  item: ItemNumber | null;
  /** [from_step, until_step, how it ended]: `cleared`, `merged` or `removed`; the latter two null to the end */
  lives: [StepNumber, StepNumber | null, string | null][];
  /** [step, timing] */
  fired: [StepNumber, string][];
}

/** Many lives in one row. */
export interface FoldedBar {
  /** null where it stands for several */
  key: PlainKey | null;
  /** how many keys it stands for */
  keys: number;
  /** how many windows or records */
  bars: number;
  /** [step, how many there are from this step on] */
  alive: [StepNumber, number][];
}

/** All lives, or, where there are too many, a row for each key. */
export interface Lifetimes {
  /** how many windows and records there are */
  total: number;
  bars?: BarRow[];
  keys?: FoldedBar[];
}

/** Two more columns of `steps`: who stops at a step (`levels.py`), and what it says about the steps in between. */
export interface LevelColumns {
  /** the first level of words at which an arrow key stops here */
  level: Level;
  /** [step, sentence] that led to this step; shown with it at levels that do not stop there */
  since: [StepNumber, Sentence][];
}

/** A line or a rectangle from `x`, `y` to `x2`, `y2`. */
export interface Line extends Fact {
  x: number;
  x2: number;
  y: number;
  y2: number;
}

/** A window of the run, where windows do not overlap. */
export interface Band extends Fact {
  x: number;
  x2: number;
  shaded: boolean;
  /** its name */
  text: string;
}

/** Where windows begin or end. */
export interface Border extends Fact {
  x: number;
}

/** The diagonal of records without delay. */
export interface Ideal extends Line {
  text: string;
}

/** A line across the plane: a checkpoint, a restore, the end of a micro-batch. */
export interface Stop extends Fact {
  y: number;
  /** its name; "" for none */
  text: string;
}

/** From an out-of-order record back to the newest one before it. */
export interface RecordLine extends Line {
  /** of the record */
  id: Id;
}

/** The window of a result, at the moment at which it fired. */
export interface ResultBar extends Line {
  /** of the output row */
  id: Id;
}

/** A piece of the watermark's line; `ended`: of the line before a restore. */
export interface Segment extends Line {
  ended: boolean;
}

/** The present moment on the arrival axis. */
export interface Now extends Fact {
  y: number;
  text: string;
}

/** Of two inputs the one that a record came in by; `quiet`: the record is still ahead. */
export interface Side extends Fact {
  /** of the record */
  id: Id;
  right: boolean;
  quiet: boolean;
}

/** A record on the plane. */
export interface PlaneRecord extends Fact {
  /** of the record */
  id: Id;
  x: number;
  y: number;
  /** or `behind`: on time, although the watermark had reached its timestamp */
  fate: string;
  /** the key, if it is short enough for the mark; else "" */
  letter: string;
  /** its label where the mark carries the key */
  text: string;
  /** its label where it does not */
  full: string;
  /** how important its label is: 2 for what is late, 1 for what is out of order, else 0 */
  rank: number;
}

/** A ring round a record that the step touches. */
export interface Halo extends Fact {
  /** of the record */
  id: Id;
}

/** A result that belongs to a window. */
export interface ResultBox extends Fact {
  /** of the output row */
  id: Id;
  /** the output that first stood in its place */
  place: Id;
  x: number;
  x2: number;
  y: number;
  text: string;
  /** `solid`, `early`, `late` or `minus` */
  look: string;
  /** taken back */
  struck: boolean;
}

/** A result without a window. */
export interface Emitted extends Fact {
  /** of the output row */
  id: Id;
  x: number;
  y: number;
  look: string;
}

/** The end of the watermark's line; `moved` is false where there is no line. */
export interface WatermarkMark extends Fact {
  x: number;
  y: number;
  text: string;
  moved: boolean;
}

/** The rows of the plane by source. */
export interface PlaneSources {
  segments: Segment[];
  behind: Line[];
  mark: WatermarkMark[];
  ahead: PlaneRecord[];
  records: PlaneRecord[];
  connectors: RecordLine[];
  halo: Halo[];
  now: Now[];
  sides: Side[];
  boxes: ResultBox[];
  bars: ResultBar[];
  emitted: Emitted[];
  stops: Stop[];
  bands: Band[];
  borders: Border[];
  ideal: Ideal[];
}

/** The axes of a part of the plane: domain, ticks and their labels. */
export interface PartSignals {
  x0: number;
  x1: number;
  x_ticks: number[];
  x_labels: string[];
  y0: number;
  y1: number;
  y_ticks: number[];
  y_labels: string[];
}

/** The signals of the whole plane. */
export interface Signals extends PartSignals {
  x_title: string;
  y_title: string;
  /** the largest diameter (px) of a record's mark */
  dot: number;
}

/** A part of a long run, with axes of its own. */
export interface Part {
  /** its first step */
  step: StepNumber;
  signals: PartSignals;
  /** the first record that it shows, by place in the order of arrival */
  from_record: number;
  /** exclusive */
  until_record: number;
}

/** The windows of a key, in tracks so that none covers another. */
export interface Lane {
  /** as written in the scenario */
  key: PlainKey;
  tracks: number;
}

/** The lanes in the order of the keys. */
export interface Lanes {
  rows: Lane[];
  /** the track of each window, by id */
  tracks: Record<string, number>;
  /** whether the windows hold two inputs */
  joins: boolean;
  /** whether the last track of each lane is for the slices that its windows share */
  slices: boolean;
}

export type Kind =
  | "number"
  | "text"
  | "exact"
  | "record_time"
  | "duration"
  | "span"
  | "value"
  | "kept"
  | "values"
  | "value_at"
  | "value_of"
  | "length"
  | "record"
  | "window_of_key"
  | "bounds"
  | "bounds_list"
  | "windows"
  | "first_window"
  | "channel"
  | "side"
  | "join_side"
  | "compute"
  | "given"
  | "memory"
  | "records"
  | "results"
  | "stands"
  | "java_place"
  | "java_namespace"
  | "java_time"
  | "java_result"
  | "step";

export type Edition = "full" | "graded" | "student";

export type Pieces = [string, boolean][];

/** A channel with what the cards say about it. */
export interface ShownChannel extends ChannelFact {
  /** where on the arrival axis its watermark came to what it is */
  since: number | null;
  /** how far a record must be ahead of the watermark that it brings; null: they are in the stream */
  ahead: Duration | null;
  /** the lowest watermark that its generator may still send; null for any */
  least: Time | null;
  /** what it sends when it is asked next; null for nothing new */
  pending: Time | null;
  /** how often it is asked; 0: after each record */
  every: Duration;
  /** what its watermark is below `max_timestamp`; []: not sent yet; null: there is no sum */
  taken: Duration[] | null;
}

/** Which times on the other side of a join match a record; `low` and `high` are null where any does. */
export interface TimeRange {
  /** the earliest */
  low: Time | null;
  /** the latest */
  high: Time | null;
  /** whether `low` itself does not match */
  low_open: boolean;
  /** whether `high` itself does not match */
  high_open: boolean;
}

/** A buffered record; in a join by time with the range of its partners. */
export interface ShownBuffer extends BufferFact {
  low?: Time | null;
  high?: Time | null;
  low_open?: boolean;
  high_open?: boolean;
}

/** A result that an update takes back. */
export interface RetractedFact extends Fact {
  /** the result */
  output: Id;
  /** the output that takes it back */
  by: Id;
}

/** A row that a restore has withdrawn, until the same one is given again. */
export interface VoidFact extends OutputFact {}

/** A record that an evictor takes out of a window: from the step that says so to the one that writes the rest. */
export interface EvictedFact extends ContentFact {}

/** How far a count trigger has counted in a window. */
export interface CountFact extends Fact {
  window: Id;
  count: number;
  /** the number at which it fires */
  most: number;
}

/** What matches a record of a join by time, while it is worked on and is not late. */
export interface RangeFact extends Fact, TimeRange {
  item: ItemNumber;
  side: JoinSide;
  /** as written in the scenario */
  key: PlainKey;
  ts: Time;
}

/** A step with the level at which readers stop there. */
export interface ShownStep extends StepFact, LevelColumns {}

/** The facts of a run by table, each in the order of `from_step`. */
export interface ShownTables {
  steps: ShownStep[];
  records: RecordFact[];
  watermark: WatermarkFact[];
  channels: ShownChannel[];
  valves: ValveFact[];
  clock: ClockFact[];
  windows: WindowFact[];
  contents: ContentFact[];
  timers: TimerFact[];
  gone_timers: GoneTimerFact[];
  state: StateFact[];
  held: HeldFact[];
  checkpoints: CheckpointFact[];
  queue: QueueFact[];
  buffers: ShownBuffer[];
  versions: VersionFact[];
  frames: FrameFact[];
  batches: BatchFact[];
  outputs: OutputFact[];
  counters: CountersFact[];
  laws: LawFact[];
  retracted: RetractedFact[];
  void: VoidFact[];
  evicted: EvictedFact[];
  counts: CountFact[];
  ranges: RangeFact[];
  /** of Flink's rules */
  conditions?: ConditionFact[];
  /** of Flink's rules */
  firings?: FiringFact[];
  /** of Flink's rules */
  judgements?: JudgementFact[];
  /** of Flink's rules */
  remedies?: RemedyFact[];
  /** of Spark's rules */
  judged?: JudgedFact[];
}

/** What makes the watermarks of an input. */
export interface Generator {
  /** the strategy's type; of Spark `delay` or `without` */
  kind: string;
  /** what it does, in words */
  says: string;
  /** what is subtracted from the largest timestamp */
  minus: Duration[];
  emit: Duration;
  idle_timeout: Duration;
}

/** What the state drawer needs beside the facts. */
export interface StatePart {
  /** how many there are; 0: none (Spark) */
  key_groups: number;
  /** the keys with state by the number of their key group */
  hashes: Record<string, KeyHash[]>;
  lifetimes: Lifetimes;
  /** by name of the input */
  generators: Record<string, Generator>;
  lateness: Duration;
}

/** A step at which the author says or asks something, or where a prediction is asked. */
export interface StoppingPlace {
  step: StepNumber;
  /** the step whose picture does not show the answer yet */
  before: StepNumber;
  /** `say`, `ask`, or the kind of the prediction */
  kind: string;
  text: string;
  choices: string[];
  /** an index into `choices` */
  answer: number | null;
  because: string;
  /** what is said to somebody who picks each choice; "" to the right one */
  replies: string[];
  /** for the presenter; "" for none */
  note?: string;
  /** of a prediction: the step that shows the answer */
  until?: StepNumber;
  /** the belief behind each choice that Compare can show, or "" */
  beliefs?: string[];
  /** how a class answers it: `choose`, `tap`, `drag` or `enter` */
  way?: string;
}

/** What frames the steps; "" for a text that the file does not have. */
export interface Story {
  /** what the scenario is about */
  summary: string;
  /** what to look for, before the first step */
  look_for: string;
  /** what it showed, after the last step */
  takeaway: string;
}

/** A scenario of the first visit, or one to go to from there. */
export interface Scene {
  name: string;
  title: string;
  /** what it showed; of one that lies ahead, what is new there */
  says: string;
}

/** The first visit; of a scenario that is no scene of it, only the scenes. */
export interface Visit {
  title: string;
  /** what this is all about, for somebody who has never been here */
  about: string;
  scenes: Scene[];
  onward: Scene[];
}

/** A mark on the scrubber. */
export interface Mark {
  step: StepNumber;
  kind: "fired" | "early" | "update" | "late" | "dropped" | "side" | "checkpoint" | "restored";
}

/** For each kind of jump its steps in ascending order. */
export interface Jumps {
  firing: StepNumber[];
  late: StepNumber[];
  merge: StepNumber[];
  watermark: StepNumber[];
  timer: StepNumber[];
  checkpoint: StepNumber[];
}

/** The key and window that each step names, so that steps can be found by them. */
export interface Owners {
  /** [key, start, end], each once */
  names: [PlainKey, Time | null, Time | null][];
  /** for each step its place in `names`; -1 for none */
  of: number[];
}

/** What is the same for all windows of the scenario. */
export interface Firing {
  /** in words */
  trigger: string;
  /** what the trigger's own ways to fire are called, by kind */
  ways: Record<string, unknown>;
  /** whether windows end by the clock */
  by_clock: boolean;
  /** whether they are sessions */
  merges: boolean;
  /** the inputs that must both be there for a row */
  sides: string[];
  /** the settings by which a lost record might be kept: `bound`, `allowed-lateness` */
  keeps: string[];
}

/** How times are written. */
export interface Style {
  style: "seconds" | "clock";
  zone: string;
  /** the date that needs no mention */
  day: string | null;
  /** of a session zone: since when, UTC plus what, name */
  clocks?: [number, number, string][];
}

/** The marks that occur in the run. */
export interface Legend {
  plane: string[];
  join?: string[];
}

/** A scenario of the library. */
export interface Choice {
  name: string;
  title: string;
  lesson: string;
}

/** What puts steps into words, as far as the run needs it (`ui/payload/telling.py`). */
export interface Telling {
  /** by level the sentences, by name */
  texts: Record<string, Record<string, string>>;
  /** by what happens the text beside the line of code; "" for none */
  live: Record<string, string>;
  /** how each field is written */
  kinds: Record<string, Kind>;
  /** fields that are found elsewhere: their kind, then where */
  derived: Record<string, string[]>;
  /** how numbers of rules are written; the others are `exact` */
  numbers: Record<string, Kind>;
  /** pieces of sentences */
  parts: Record<string, unknown>;
  /** by event the short words of a step */
  trail: Record<string, string>;
  /** texts beside a line that names windows */
  more: Record<string, string>;
  /** what the scenario alone decides */
  constants: Record<string, string>;
  /** by place class and method in Java's words */
  places: Record<string, string>;
  /** the field of a value that is a length of time */
  gap_field: string | null;
}

/** A method of the code walk. */
export interface CodeMethod {
  /** its name in Flink */
  flink: string;
  /** [id, text]; the id is "" for a line at which no step stands */
  lines: [string, string][];
}

/** A chapter of the code walk. */
export interface Chapter {
  name: string;
  methods: CodeMethod[];
}

/** A member of the first row that differs. */
export interface BadgeRow {
  /** the member's name, our value, that of the other engine */
  cells: string[];
  differs: boolean;
}

/** The first row that differs, member by member. */
export interface BadgeDifference {
  title: string;
  columns: string[];
  rows: BadgeRow[];
}

/** Where a badge leads. */
export interface BadgeLink {
  scenario: string;
  text: string;
}

/** Which engine produced how many of the same rows for exactly this scenario, in words. */
export interface Badge {
  engine: "flink" | "spark";
  /** the engine's name */
  name: string;
  /** whether all rows are the same */
  good: boolean;
  label: string;
  short: string;
  spoken: string;
  head: string;
  tick: string;
  says: string;
  /** [heading, text] */
  facts: [string, string][];
  difference: BadgeDifference | null;
  link: BadgeLink | null;
}

/** A number of the configuration that a reader may change. */
export interface Number {
  /** of its control on the Author page */
  name: string;
  label: string;
  /** a length of time in words */
  value: string;
  /** what stands for it in the sentence */
  text: string;
}

/** Everything that the player shows of one scenario. */
export interface Payload {
  name: string;
  title: string;
  about: string;
  /** the configuration */
  sentence: Pieces;
  /** those in the sentence that a reader may change, in its order */
  numbers: Number[];
  /** the configuration in the fewest words */
  brief: Pieces[];
  minutes: number | null;
  /** graded: without notes; student: nor is any question graded */
  edition: Edition;
  style: Style;
  /** the section `player` of the catalogue */
  words: Record<string, unknown>;
  /** how many there are */
  steps: number;
  arrival_axis: "at" | "item";
  signals: Signals;
  parts: Part[];
  sources: PlaneSources;
  lanes: Lanes;
  state: StatePart;
  tables: ShownTables;
  telling: Telling;
  code: Chapter[];
  story: Story;
  beats: StoppingPlace[];
  predictions: StoppingPlace[];
  marks: Mark[];
  jumps: Jumps;
  owners: Owners;
  firing: Firing;
  /** the first step of each run of steps of one stream item */
  items: StepNumber[];
  legend: Legend;
  /** what the operator's watermark is called */
  combined: string;
  time: TimerDomain;
  library: Choice[];
  /** every text of the packed tables; written by the packing */
  strings?: string[];
}

/** The payload with what stands beside it in the packed bytes. */
export interface SentPayload extends Payload {
  badges: Badge[];
  visit: Visit | null;
}
