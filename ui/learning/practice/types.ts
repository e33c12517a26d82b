// What ui/learning/practice/desk.py sends to the page, and what the page keeps.
import type { Item } from "../inventory/types.ts";
import type { PlayerWords, PracticeWords } from "#types/words";

/** `first` of the desk. */
export interface First {
  words: PracticeWords;
  scale: PlayerWords["scale"];
  /** The kinds of exercises and how they are called. */
  kinds: { [kind: string]: string };
  /** The misconceptions in words. */
  claims: { [belief: string]: string };
  levels: number;
  most_seed: number;
}

export interface PracticeData {
  first: First;
  /** `reply` of the desk as JSON; "null" before the first question. */
  told: string;
}

/** What makes an exercise again; `kind` and `about` may be "". `again`: it is shown because a card is due. */
export interface Named {
  seed: number;
  level: number;
  kind: string;
  about: string;
  again?: boolean;
}

/** An exercise, without what is right: choices, a number to enter, or records to put into an order or to place. */
export interface Exercise {
  seed: number;
  level: number;
  kind: string;
  settings: string[];
  ask: string;
  table?: Item["table"];
  plane?: Item["plane"];
  /** Wrong results in which the fault is to be found. */
  given?: string[];
  choices?: string[];
  /** `rule`: what can be entered, in words; so of `stream`. */
  number?: { most: number; label: string; unit: string; rule: string };
  records?: string[];
  /** What records can be placed: how many, the latest event time (s), the keys, the channels. */
  stream?: { most: number; latest: number; keys: string[]; channels: number; rule: string };
}

/** Records that are placed are {event time (s), number of the key, channel}, one after the other. */
export type Answer = number | number[];

export interface Verdict {
  right: boolean;
  /** The misconception that the answer is kept under; "" for none. */
  about: string;
  believed: { claim: string; truth: string } | null;
  said: string[];
  /** The index of the right choice, where there are choices. */
  choice: number | null;
  player: string;
  compare: string | null;
}

export type Question = (Named & { ask: "exercise" }) | (Named & { ask: "grade"; answer: Answer });

export interface Reply {
  number: number;
  exercise?: Exercise;
  verdict?: Verdict;
  problem?: string;
}

/** A card in a box, 1 to 5. It comes back at `due` (ms), with an exercise of `level`. */
export interface Card {
  kind: string;
  about: string;
  box: number;
  due: number;
  level: number;
}

/** What this browser keeps. `open` is the exercise that is shown, with the answer once that is graded. */
export interface Kept {
  level: number;
  /** The levels at which enough answers in a row were right. */
  passed: number[];
  /** How many right answers in a row there are at this level. */
  streak: number;
  seed: number;
  cards: Card[];
  open: (Named & { answer: Answer | null }) | null;
}
