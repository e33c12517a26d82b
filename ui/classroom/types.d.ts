// What the page of the class and ui/classroom/students.py send each other.
import type { VoteWords } from "../player/types/words.d.ts";

/** What `vote_view` sends; `told` is a `RoomAnswer` as JSON. */
export interface VoteData {
  words: VoteWords;
  told: string;
}

/** A choice, by its index, in answer to the question of this number. */
export interface Choice {
  question: number | undefined;
  choice: number;
}

/** What the browser asks: how its room is, and after a choice that this be counted. */
export interface Asked extends Partial<Choice> {
  number: number;
  code: string;
  voter: string | undefined;
}

/** The reply of `answer_to`. Without a question it has only the first two members. */
export interface RoomAnswer {
  /** The number of the request, 0 before the first one; absent where the page itself refuses a code. */
  number?: number;
  /** Whether there is such a room; absent before the first request. */
  room?: boolean;
  question?: number;
  open?: boolean;
  /** The index of this browser's own choice. */
  mine?: number | null;
  /** Whether the choice that was sent counts; null where none was sent. */
  taken?: boolean | null;
  text?: string;
  choices?: string[];
  /** The index of the right choice, once it is revealed, and what is said of each choice then. */
  answer?: number;
  because?: string;
  replies?: string[];
}

/** What the browser remembers of its room; nothing outside a room. */
export interface Kept {
  code?: string;
  voter?: string;
  question?: number;
  mine?: number | null;
}
