// What ui/pages/compare.py sends to the comparison, and what the comparison's files hand to one another.
import type { Difference } from "../player/base/difference.ts";
import type { Times } from "../player/base/format.ts";
import type { Json, PlainKey, Style } from "#types/payload";
import type { PlanePayload } from "../player/types/player.ts";
import type { CompareWords } from "#types/words";
import type { ComparePresentation } from "./presented.ts";
import type { Side } from "./side.ts";
import type { Tools } from "./tools.ts";

/** `contents` of ui/compare/contents.py with what the page adds: the lists and what the address asks for in vain. */
export interface CompareData {
  words: CompareWords;
  name: string;
  title: string;
  about: string;
  style: Style;
  /** What side B is, null where it is neither: a belief, Spark's records in a batch. */
  belief: string | null;
  spark: number | null;
  /** Whose rules side B has: a version of Flink, where the address names one. */
  flink: string | null;
  versions_on_offer: string[];
  versions: ComparedVersions | null;
  belief_words: { claim: string; truth: string } | null;
  beliefs: { name: string; claim: string }[];
  scenarios: { name: string; title: string }[];
  address: Address;
  /** The parts of the address that open side A, and side B as if it were A: {} where B is no other scenario. */
  open: Address;
  open_other: Address;
  /** The title of side B's scenario. */
  other_title: string;
  /** A file or link that the reader handed in for a side, and why it cannot be compared. */
  handed: { side: "a" | "b"; problem: string } | null;
  /** The largest file that can be handed in. */
  most_bytes: number;
  /** Whether side A runs with the numbers of its file. */
  fixed: boolean;
  /** Side B has no plane where a belief needs many runs. */
  sides: [SideData & { plane: PlanePayload }, SideData];
  /** What side A's author says and asks, where it runs with the numbers of its file. */
  beats: ComparedBeat[];
  cursor: CursorMoment[];
  rows: ResultRow[];
  /** The first moment at which the results differ; null where they never do. */
  parting: number | null;
  differing: number;
  total: number;
  headline: string;
  summary: string;
  /** What Spark's side leaves out, in words; only beside Spark. */
  left_out?: string;
  refused: string[];
  /** null until it was asked for. */
  smallest: SmallestData | null;
  windows: FiringWindow[];
  fires: { window: number; changes: NumberChange[] } | null;
  sweep: SweepData | null;
  /** Whether a sweep takes so little time that it begins by itself. */
  quick: boolean;
  fewest: FewestData | null;
  difference: Difference | null;
}

/** The versions of both sides, where they are not the same, and the rules in which these differ that can show. */
export interface ComparedVersions {
  names: [string, string];
  /** `rows`: how many results are others because of it; `shown_by`: a scenario in which it alone makes a difference. */
  rules: { ticket: string; text: string; rows: number; shown_by: { name: string; title: string } | null }[];
}

/** The query parameters that stand for what is compared. */
export type Address = { [name: string]: string };

/** `side` of ui/compare/sides.py. */
export interface SideData {
  label: string;
  plane: PlanePayload | null;
  settings: SettingData[];
  /** Of Spark's side: the records in a micro-batch. */
  batch?: { value: number; choices: number[] };
}

/** A number (ms) that the reader can change; null where the scenario leaves it out. */
export interface SettingData {
  name: string;
  value: number | null;
  choices: { value: number; text: string }[];
  /** Whether a sweep goes over it. */
  sweeps: boolean;
}

/** `beats_of` of ui/compare/sides.py: `because` is the answer of what is asked. */
export interface ComparedBeat {
  step: number;
  text: string;
  because: string;
}

/** `cursor` of ui/compare/sides.py: a moment of both runs with the step that each side shows. */
export interface CursorMoment {
  /** −1 before the first record. */
  moment: number;
  steps: [number, number];
  /** The clock of run A (ms), its stream item, and how many records have arrived. */
  at: number;
  item: number;
  record: number;
}

/** One firing with the results of both sides, and the difference in words. */
export interface ResultRow {
  key: PlainKey;
  /** What it is about: a window, the time of a record, or those of a pair. */
  place: string;
  /** from 0 */
  firing: number;
  text: string;
  kind: "same" | "left" | "right" | "value" | "time";
  /** Why the engines differ; only beside Spark. */
  reasons?: string[];
  left: Result | null;
  right: Result | null;
}

export interface Result {
  value: Json;
  timing: string;
  /** the clock (ms), and the stream item */
  at: number;
  item: number;
  moment: number;
  /** Whether it came at the end of the stream. */
  end: boolean;
  /** Whether it takes a result back. */
  withdrawn: boolean;
}

/** Another number (ms) that would have been enough; of a record that comes earlier, its places in the stream. */
export interface NumberChange {
  what: string;
  before: number;
  after: number;
}

export interface LostRecord {
  record: number;
  key: PlainKey;
  ts: number | null;
  value: Json;
  changes: NumberChange[];
}

/** What would have kept lost records: each of them, and all at once. */
export interface SmallestData {
  lost: LostRecord[];
  keeping_all: NumberChange[];
}

/** A window for which an earlier firing can be searched: before record `by`. */
export interface FiringWindow {
  key: PlainKey;
  start: number | null;
  end: number | null;
  by: number;
}

/** `swept` of ui/compare/searches.py, and the chart that the page adds. */
export interface SweepData {
  setting: string;
  /** The values to choose from, and the one that the swept scenario has (ms). */
  values: number[];
  now: number | null;
  /** Whether everything between the points is known. */
  exact: boolean;
  measures: SweepMeasure[];
  spec: { padding: { left: number; right: number; top: number; bottom: number } };
}

/** `measures` of ui/compare/searches.py. */
export interface SweepMeasure {
  name: string;
  /** What the axis of the numbers reaches from and to; 0 is on it. */
  least: number;
  most: number;
  lines: SweepRow[];
  alone: SweepRow[];
}

/** A point of a curve; rows of one `run` are joined. */
export interface SweepRow {
  /** s */
  value: number;
  y: number;
  second: boolean;
  run: string;
}

/** `fewest` of ui/compare/searches.py; `text` is null where the scenario does not show the effect. */
export interface FewestData {
  shows: string;
  text: string | null;
  records: KeptRecord[];
  /** The scenario as the Author page takes it from a link; null where it is too long for one. */
  author: string | null;
  left: number;
  total: number;
  runs: number;
  name: string;
}

export interface KeptRecord {
  key: PlainKey | null;
  ts: number | null;
  value: Json;
  at: number | null;
}

/** What the server searches for. */
export interface Search {
  what: "sweep" | "smallest" | "fewest" | "fires" | "stream";
  setting?: string;
  shows?: string;
  window?: string;
}

/** A scenario that the reader hands in for a side: a file, or what a link opens; `rest` is the address without it. */
export type Handed = { what: "open"; side: "a" | "b"; rest: Address } & (
  { name: string; text: string } | { link: [name: string, value: string] }
);

/** What the server is asked for: another address, a search, or to open a scenario. */
export type Question = { what: "address"; address: Address } | Search | Handed;

/** Where the reader stands, kept while other numbers are compared. */
export interface KeptPlace {
  place?: number;
  overlay?: boolean;
  tab?: number;
  /** Whether it is shown to a room. */
  presented?: boolean;
  /** Whether the card then stands in the place of the pictures. */
  searching?: boolean;
  asked?: Search["what"] | null;
  /** The stream that was found last, with the comparison that shows it. */
  found?: Difference;
  /** How a scenario was handed in last. */
  door?: "file" | "link";
}

/** What the parts of the page know of the comparison that they belong to. */
export interface Compared {
  root: HTMLElement;
  sides: Side[];
  tools: Tools;
  /** Says what differs up to the cursor. */
  lead: HTMLElement;
  present: ComparePresentation;
  data: CompareData;
  words: CompareWords;
  times: Times;
  cursor: CursorMoment[];
  /** Whether the clock does not tell the records of a side apart: its places are those in the stream. */
  byItem: { left: boolean; right: boolean };
  kept: KeptPlace;
  place: number;
  last: number;
  overlay: boolean;
  choose: (address: Address) => void;
  search: (search: Search) => boolean;
  give: (handed: Handed) => void;
  /** Writes the address. */
  settle(): void;
  layout(): void;
  go(place: number): void;
  set(side: string, name: string, value: number | string): void;
  nextDifference(): number | null;
}

/** A tab of the card under the planes. */
export interface Panel {
  name: string;
  title: string;
  node: HTMLElement;
  /** Called when the reader turns to it. */
  shown?(): void;
  /** Brings the answer of a search into view. */
  reveal?(): void;
  /** What was asked gets no answer, because the reader has stopped it: it can be asked again. */
  unanswered?(): void;
  close?(): void;
}
