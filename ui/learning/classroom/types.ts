// What the page of the class and ui/learning/classroom/rooms.py send each other.
import type { VoteWords } from "#types/words";

/** What the page is told first. */
export interface VoteFirst {
  words: VoteWords;
}

/** An answer as it is sent: an index, indexes of windows, or a number as it was typed. */
export type Given = number | number[] | string;

/** An answer in the vote (0: the first, 1: the second) on the question of this number. */
export interface Sent {
  question: number | undefined;
  vote: number;
  given: Given;
}

/** What the browser asks: how its room is, and with an answer that this be counted. */
export interface Asked extends Partial<Sent> {
  number: number;
  code: string;
  voter: string | undefined;
  /** Its last answer, which the server has forgotten once the right one is shown. */
  kept?: Given;
}

/** The reply of `answer_to`. Without a question it has only the first two members. */
export interface RoomAnswer {
  /** The number of the request, 0 before the first one; absent where the page itself refuses a code. */
  number?: number;
  /** Whether there is such a room; absent before the first request. */
  room?: boolean;
  /** Too many codes were tried where this browser is; it asks again. */
  wait?: boolean;
  /** This page has tried so many codes that it may try no other one until it is reloaded. */
  worn?: boolean;
  question?: number;
  stage?: "first" | "talk" | "second" | "shown" | "closed";
  /** The vote that is open; null if answers are not taken. */
  vote?: number | null;
  /** Why the answer that was sent does not count, "" if it does; absent where none was sent. */
  refused?: string;
  text?: string;
  way?: "choose" | "enter" | "tap" | "drag";
  choices?: string[];
  scale?: number;
  windows?: { text: string }[];
  places?: string[];
  origin?: number;
  /** The index of the right choice, once it is revealed, and what is said of each choice then. */
  answer?: number;
  because?: string;
  replies?: string[];
  /** The choice that this browser's last answer stands for, once the right one is revealed. */
  chosen?: number | null;
}

/** What the browser remembers of its room; nothing outside a room. `given`: its answer in each vote. */
export interface Kept {
  code?: string;
  voter?: string;
  question?: number;
  given?: (Given | null)[];
}
