// A lecture: its order, what the two windows of a presentation tell each other, and a poll.
import type { SmallPicture } from "../base/small.ts";
import type { Lecture } from "../lecture/lecture.ts";
import type { StoppingPlace } from "./player.ts";
import type { PlayerWords } from "#types/words";

/** The scenarios of a lecture, by ui/catalogue/tours.py. Minutes are 0 where none are planned. */
export interface LectureOrder {
  id: string;
  title: string;
  minutes: number;
  scenarios: LectureScenario[];
  /** Names of scenarios that do not exist or cannot run. */
  missing: string[];
}

export interface LectureScenario {
  name: string;
  title: string;
  summary: string;
  minutes: number;
  /** Null until the picture has been made. */
  picture: SmallPicture | null;
}

export type CardKind = "title" | "end";

/**
 * What the notes window asks of the presenting window. No kind is one of a report: a second window of the presenter's,
 * such as a copy of its tab, hears the reports too.
 */
export type NotesRequest =
  | { kind: "hello" | "bye" | "reveal" | "black" | "ask" | "montage" | "clock" | "why" | "entries" | "light" }
  | { kind: "page" | "step"; direction: number }
  | { kind: "choose"; index: number };

/** What the presenting window tells the notes window. */
export type NotesReport = { kind: "gone" } | NotesState;

/** What is on the screen of the presenting window. */
export interface NotesState {
  kind: "state";
  language: string;
  words: NotesWords;
  title: string;
  presenting: boolean;
  card: CardKind | null;
  plan: Lecture["plan"];
  /** Planned for this scenario; 0 for none. */
  minutes: number;
  /** When the clock was started (ms since 1970). */
  started: number | null;
  step: number;
  last: number;
  beat: { number: number; count: number } | null;
  said: string;
  summary: string;
  /** For the presenter; "" for none. */
  note: string;
  question: AskedQuestion | null;
  next: {
    kind: "answer" | "beat" | "belief" | "end" | "question" | "scenario" | "second_vote" | "vote" | "votes";
    text: string;
  };
  black: boolean;
  poll: PollState | null;
}

export type NotesWords = Pick<PlayerWords, "lecture" | "present" | "poll">;

/** A beat's question with the presenter's choice so far. */
export interface AskedQuestion extends Pick<StoppingPlace, "text" | "choices" | "answer" | "because" | "replies"> {
  chosen: number | null;
  revealed: boolean;
}

/** The poll in the notes window; `code` is "" until a room has been opened. */
export interface PollState {
  code: string;
  stage: Stage;
  answers: number;
  /** What the next key does, in words; "" where it only goes on. */
  next: string;
  /** Whether the answer may be shown without the votes that are left. */
  skips: boolean;
  address?: string;
  /** The question as the class is asked it, with the votes so far. */
  asked?: Pick<Room, "text" | "choices" | "answer" | "because" | "replies" | "votes">;
}

/** The stage of a question to the class, as in ui/learning/classroom/votes.py; null before it is asked. */
export type Stage = null | "first" | "talk" | "second" | "shown" | "closed";

/** What covers the picture: the first vote, both votes with the answer, or the belief behind the wrong ones. */
export type PollSheet = "votes" | "answer" | "belief";

/** How a class answers, see ui/learning/classroom/votes.py. */
export type Way =
  | { name: "choose" }
  | { name: "enter"; scale: number }
  | { name: "tap"; windows: { key: string; start: number | null; end: number | null; text: string }[] }
  | { name: "drag"; places: string[]; origin: number };

/** An answer that was understood: an index, a number, or the indexes of windows. */
export type Given = number | number[];

/** A room that a question was put to, as `answer_to` in ui/learning/classroom/teacher.py returns it. */
export interface Room {
  code: string;
  token: string;
  /** The scenario and step of the question; "" for none. */
  asked: string;
  stage: Exclude<Stage, null>;
  way: Way;
  text: string;
  choices: string[];
  answer: number;
  right: Given;
  because: string;
  replies: string[];
  /** In the vote that is open, or in the last one. */
  answers: number;
  /** For each vote the number of answers by choice. */
  votes: number[][];
  /** For each vote how often each answer was given; empty where the class chooses. */
  given: [answer: Given, count: number][][];
  /** By choice of the first and of the second vote; empty after one vote. */
  moved: number[][];
  belief?: HeldBelief;
  /** The QR code as an image's address; null where phones cannot reach the page. */
  door?: string | null;
  /** The media type of a tally. */
  type?: string;
}

/** What most wrong answers believe, as `beside` in ui/learning/classroom/teacher.py returns it. */
export interface HeldBelief {
  name: string;
  claim: string;
  truth: string;
  rows: [of: string, believed: string, truth: string][];
  /** Whether Compare can look for a stream on which it goes wrong. */
  runs: boolean;
}

/** The answer to `room-…`: a room, or only that there is none, or why the request is refused. */
export type RoomSaid =
  (Room & { gone?: false; problem?: undefined }) | { gone: true } | { gone?: false; problem: string };
