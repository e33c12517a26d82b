// What the search for steps hands around: ui/player/frame/finder.ts and query.ts.
import type { Facts, Table } from "../base/facts.ts";
import type { Times } from "../base/format.ts";
import type { Payload, Query } from "./player.ts";

/** What the search reads of the player. */
export interface Searched {
  facts: Facts;
  payload: Pick<Payload, "jumps" | "marks" | "owners">;
  times: Times;
  bookmarks: { has(step: number): boolean };
}

/** A fact in place `index` of its table, true from a step (inclusive) until another (inclusive: it is ended there). */
export interface Life {
  /** A query may name any column. */
  table: Table<any>;
  name: string;
  index: number;
  from: number;
  until: number;
}

/** Where a column of a query comes from; without `table`, from every table that has it. */
export interface Source {
  table?: string;
  column: string;
}

/** A test of one step. */
export type StepTest = (step: number) => boolean;

/** Says that a value never occurs in its column; `name` is the sentence. */
export interface NeverHint {
  name: "never";
  field: string;
  value: string;
  /** Values that were perhaps meant. */
  near: string[];
  /** All values, where they are few. */
  values: string[];
}

/** A piece of a query: `at` inclusive, `to` exclusive. */
export interface Token {
  kind: string;
  match: RegExpExecArray;
  at: number;
  to: number;
  raw: string;
  /** An operator as it is written in the tree. */
  value: string;
}

export type Parse = () => Query;
