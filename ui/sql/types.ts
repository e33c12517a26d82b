// What ui/sql/desk.py sends to the page SQL.
import type { SqlWords } from "#types/words";

/** `first` of the desk. */
export interface First {
  words: SqlWords;
  example: string;
  /** the size of a file of records */
  most_bytes: number;
}

export type Records = { file: string; content: string }[];

/** A text as it was run: later the reader may have changed it. */
export interface Asked {
  sql: string;
  records: Records;
  query: number;
}

export type Question = (Asked & { ask: "run" }) | (Asked & { ask: "open"; stage: number });

/** An operator. `plan`: what Flink's planner makes of it; `parts`: where its clause stands in the text. */
export interface Stage {
  name: string;
  kind: string;
  sources: string[];
  clause: string;
  plan: string;
  parts: [start: number, end: number][];
  taken: number;
  emitted: number;
}

export interface Ran {
  columns: { name: string; type: string; number: boolean }[];
  /** the kind of change, then a text for each column */
  rows: string[][];
  count: number;
  stages: Stage[];
  /** of what has no scenario, sentences that say why */
  unshown: string[];
  /** rows dropped as late */
  late: number;
  made_up: boolean;
}

export interface Reply {
  number: number;
  ran?: Ran;
  /** the lines of all queries, and which of them was run, from 1 */
  queries?: number[];
  query?: number;
  address?: [name: string, value: string];
  problem?: string;
  /** line and column, from 1; empty where the text is not what is wrong */
  place?: [] | [number, number];
}
