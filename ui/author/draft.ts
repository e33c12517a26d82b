// A draft that runs, as ui/author/desk.py sends it: `facts_of` of ui/author/contents.py.
import type {
  Fate,
  ItemNumber,
  Json,
  PairedRecord,
  PlainKey,
  RecordFact,
  StepNumber,
  Style,
  Time,
  Timing,
} from "#types/payload";
import type { PlanePayload } from "../player/types/player.ts";
import type { Choice, SoundReply } from "./types.ts";

export interface SentFacts {
  name: string;
  title: string;
  engine: "flink" | "spark";
  style: Style;
  /** says that the run is longer than what is shown; "" where it is not */
  cut: string;
  sentence: Piece[];
  stream: WrittenStream | GeneratedStream;
  plane: SentPlane;
  records: DraftRecord[];
  results: DraftResult[];
  counts: {
    records: number;
    results: number;
    on_time: number;
    missed: number;
    late: number;
    side: number;
    filtered: number;
    dropped: number;
  };
  changes: Changes;
  goals: Goal[];
  /** what a new goal can count */
  goal_choices: Choice[];
  checks: Check[];
  story: Story;
  languages: SideBySide;
}

/** The same in one place, as the page keeps it. */
export interface DraftFacts extends Omit<SentFacts, "plane"> {
  steps: SoundReply["tables"]["steps"];
  strings: string[];
  plane: SentPlane & Pick<PlanePayload, "sources">;
}

/** The plane; the page adds the rest of what it is drawn from. */
export interface SentPlane extends Omit<PlanePayload, "words" | "sources" | "strings"> {
  /** whether both axes are the processing-time clock */
  clock: boolean;
}

/** A piece of the sentence. */
export type Piece = { text: string } | Control;

export interface Control {
  name: string;
  kind: "choice" | "span" | "whole" | "share" | "number" | "range" | "text" | "long";
  value: string;
  label: string;
  choices: Choice[];
  /** whether it can be left empty; the sentence has no such ones */
  required?: boolean;
  /** what applies where nothing is written */
  default?: string;
}

/** A group of the form: `form` of ui/author/form.py. */
export interface FormGroup {
  name: string;
  title: string;
  fields: FormField[];
}

/** A member of the format; `name` is its path, with dots. */
export interface FormField extends Control {
  about: string;
  default: string;
  required: boolean;
  /** how many choices it depends on */
  depth: number;
  /** the input that begins here; "" for none */
  head: string;
  /** what the format says of it; "" for nothing */
  problem: string;
}

/** The stream as a table: `stream_of` of ui/author/rows.py. */
export interface WrittenStream {
  generated?: undefined;
  columns: string[];
  /** the first ones of `total` */
  rows: StreamRow[];
  total: number;
  /** the names of the inputs, where there are several */
  inputs: string[];
  /** the kinds of items that can be added besides records */
  others: readonly string[];
}

export interface GeneratedStream {
  generated: Control[];
  total: number;
  rows?: undefined;
}

export interface StreamRow {
  /** `record`, or another kind of item */
  kind: string;
  /** in the order of the columns; null where the item has no such member */
  cells: (string | null)[];
  /** the first and the last line of the text, from 1 */
  lines: [first: number, last: number];
}

/** A step: `_steps` of ui/author/contents.py. */
export interface DraftStep {
  item: ItemNumber;
  event: string;
  what: string;
  predicate: string;
}

/** A record as it is at the end of the run. */
export interface DraftRecord extends Pick<RecordFact, "item" | "key" | "ts" | "at" | "arrival"> {
  fate: Fate;
  /** the one at which its fate is known */
  step: StepNumber;
  /** the rule by which it lost its last window */
  because: { why: string; predicate: string; formula: string } | null;
}

/** A result that remains at the end of the run. */
export interface DraftResult {
  /** its place among the outputs */
  number: number;
  step: StepNumber;
  row: "pane" | "joined" | "group" | "emitted";
  key: PlainKey;
  start: Time | null;
  end: Time | null;
  timing: Timing | "";
  pane: number;
  value: Json;
  left: PairedRecord | Json[] | null;
  right: PairedRecord | Json[] | null;
  /** null under Spark's rules */
  at: Time | null;
  item: ItemNumber | null;
  batch: number | null;
  at_end: boolean;
  /** where its window lies on the axis of event time; null for none and for the global window */
  low: number | null;
  high: number | null;
}

/** What the last edit changed: `changes` of ui/author/changes.py. */
export interface Changes extends Changed {
  entries: { mark: string; head: string; lines: string[] }[];
}

/** The records (by item) and the results (by number) that are new or differ. */
export interface Changed {
  records: ItemNumber[];
  results: number[];
}

export interface Goal {
  number: number;
  head: string;
  /** null if the run is too long to be followed at every edit */
  met: boolean | null;
  more: string;
  line: number | null;
}

export interface Check {
  mark: "error" | "warning" | "ok";
  head: string;
  line: number | null;
  more: string;
}

/** The walkthrough: `story` of ui/author/contents.py. */
export interface Story {
  beats: Beat[];
  /** the kinds of predictions */
  predictions: Choice[];
  /** how a class can answer each kind of prediction, the usual way first */
  ways: { [prediction: string]: Choice[] };
  /** the misconceptions that a wrong choice can name, with what they claim */
  beliefs: Choice[];
  texts: StoryTexts;
}

/** What frames the beats: the texts at the top of the file, "" for none. */
export interface StoryTexts {
  summary: string;
  look_for: string;
  takeaway: string;
}

export type BeatKind = "say" | "ask" | "predict";

/** A beat in the language that the author reads. */
export interface Beat extends BeatDraft {
  number: number;
  /** where it happens, in words */
  place: string;
  line: number | null;
}

/** An answer to a question, and what is said to somebody who picks it; "" for nothing. */
export interface BeatChoice {
  text: string;
  reply: string;
  /** the misconception behind it; "" for none */
  belief: string;
}

/** A beat while its form is open; `number` is null for a new one, and `step` where the run never gets there. */
export interface BeatDraft {
  number: number | null;
  kind: BeatKind;
  place?: string;
  step: StepNumber | null;
  say: string;
  ask: string;
  choices: BeatChoice[];
  answer: number | null;
  because: string;
  note: string;
  predict: string | null;
  /** how a class answers a prediction; "" for the usual way */
  way: string;
}

/** By what a beat names its step; "" for what fits best, or for the place that it has. */
export type Anchor = "" | "event" | "item" | "step";

/** All texts in all languages: `side_by_side` of ui/author/translating.py. */
export interface SideBySide {
  /** the file's own language */
  original: string;
  languages: string[];
  texts: SideBySideText[];
}

export interface SideBySideText {
  path: (string | number)[];
  label: string;
  texts: { [language: string]: string };
  /** the translations that are older than the original, with what that said then; "" if that is not known */
  older: { [language: string]: string };
}
