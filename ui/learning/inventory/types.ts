// What ui/learning/inventory/desk.py sends to the page, and what the page keeps.
import type { PlanePayload } from "../../player/types/player.ts";
import type { InventoryWords, PlayerWords } from "#types/words";

/** `first` of the desk. */
export interface First {
  words: InventoryWords;
  scale: PlayerWords["scale"];
  edition: string;
  forms: string[];
  /** How many items a form has. */
  count: number;
}

export interface InventoryData {
  first: First;
  /** `reply` of the desk as JSON; "null" before the first question. */
  told: string;
}

/** An item, without which choice is right. */
export interface Item {
  story: string;
  settings: string[];
  table: { head: string[]; rows: string[][] };
  ask: string;
  choices: string[];
  plane: Omit<PlanePayload, "strings" | "words">;
}

export interface Belief {
  name: string;
  state: "stays" | "new" | "held" | "wavers" | "gone";
  claim: string;
  truth: string;
  href: string;
}

/** What a learner hears in the end. */
export interface Result {
  scores: { [form: string]: { right: number; items: number } | undefined };
  gain: number | null;
  beliefs: Belief[];
  patternless: boolean;
}

/** The numbers of both forms: [before, after]. */
export type Both<Of = number> = [Of, Of];

/** The report on a class. */
export interface Report {
  learners: { id: string; right: Both<number | null>; gain: number | null }[];
  pairs: number;
  mean: Both<number | null>;
  gain: number | null;
  beliefs: { name: string; claim: string; held: Both; picked: Both; gain: number | null }[];
  items: {
    ask: string;
    story: string;
    choices: { text: string; belief: string; counts: Both }[];
    skipped: Both;
  }[];
  refused: { file: string; why: string }[];
  csv: { learners: string; beliefs: string };
}

/** A file of answers as the teacher chose it. */
export interface Given {
  name: string;
  text: string;
}

export type Question =
  { ask: "form"; form: string } | { ask: "grade"; file: string } | { ask: "class"; files: Given[] };

export interface Reply {
  number: number;
  items?: Item[];
  problem?: string;
}

/** The answers to a form: the index of a choice for each item, null for none; `at`: the item that is open. */
export interface FormKept {
  answers: (number | null)[];
  at: number;
  done: boolean;
}

/** What this browser keeps. */
export interface Kept {
  id: string;
  edition: string;
  forms: { [form: string]: FormKept | undefined };
}
