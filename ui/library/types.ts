// What ui/library/contents.py says of the library, and what the library's files hand to one another.
import type { SmallPicture } from "../player/base/small.ts";
import type { LibraryWords } from "#types/words";
import type { Searched } from "./symptoms/types.ts";

/** What the page sends. */
export interface LibraryData {
  /** Which page shows it. */
  page: "library" | "path" | "teach";
  /** Who the reader is, in words; "" where everybody is the teacher. */
  role: string;
  /** Some scenarios in one line; the level of practice checks a stage. */
  path: { title: string; about: string; names: string[]; level: number }[];
  /** The terms that a search may mean; the names of each are separated by "|". */
  glossary: { id: string; names: string; about: string }[];
  /** What people type who look for the glossary itself. */
  glossary_called: string[];
  cards: Card[];
  lessons: Lesson[];
  /** One's own, then the shipped one. */
  lectures: Lecture[];
  /** Whether a folder was given to save in. */
  saving: boolean;
  /** Whether the page that orders lessons can save them. */
  ordering: boolean;
  /** How a lesson is fetched to take away: from an address of the server, or made for the page; null: not at all. */
  packages: "linked" | "made" | null;
  /** The scenes of the first visit by name; null without one. */
  visit: string[] | null;
  /** The names of the levels, from the first to the last. */
  levels: string[];
  kinds: { [kind: string]: string };
  broken: BrokenFile[];
  /** What people type, and what answers it: `phrases` of ui/library/contents.py. */
  phrases: Phrases[];
  /** The complaints that have a checklist. */
  symptoms: (Searched & { complaint: string })[];
  words: LibraryWords;
  refused: RefusedFile | null;
  /** The largest file (bytes) of a reader's own that is taken. */
  most_bytes: number;
}

/** A scenario: `card` of ui/library/cards.py, with its slow parts once they are ready. */
export interface Card {
  name: string;
  file: string;
  /** Whether it is in the folder that was given at the start. */
  own: boolean;
  /** Whether the shipped library has a scenario of the same name, which is not shown. */
  replaces: boolean;
  /** Its place in the order of all lessons, from 1; null where no lesson names it. */
  number: number | null;
  title: string;
  summary: string;
  /** What to look for in it; "" where its author says nothing. */
  question: string;
  level: string;
  minutes: number | null;
  /** How many beats of its walkthrough ask something. */
  questions: number;
  teaches: string[];
  lesson: string;
  kind: string;
  picture: SmallPicture | null;
  proofs: Proof[];
  /** What the Author page opens for it: the file itself where it can be saved, else a copy. */
  edit: { file: string } | { scenario: string };
}

/** Phrases that mean the same, the scenarios that answer them, and the id of their complaint ("" for none). */
export interface Phrases {
  says: string[];
  /** Classes and methods, found only as a whole. */
  code: string[];
  names: string[];
  symptom: string;
  /** The id of a term of the glossary that answers them too, "" for none. */
  term: string;
}

/** An engine, and whether it computed the same rows. */
export interface Proof {
  name: string;
  good: boolean;
  tick: string;
}

/** `shelves` of ui/library/contents.py: `ordered` where it can be presented from the first scenario to the last. */
export interface Lesson {
  id: string;
  title: string;
  about: string;
  topics: Topic[];
  ordered: boolean;
}

export interface Topic {
  id: string;
  title: string;
  about: string;
  names: string[];
}

/** A lesson or lecture to take away, where the page makes it: `as` an HTML page for students or a zip for an LMS. */
export interface TakenLesson {
  lesson: string;
  as: "html" | "zip";
  student: boolean;
}

/** One of `lectures` of ui/library/contents.py: the scenarios in their order, and those for a lab. */
export interface Lecture {
  /** Its name in an address. */
  id: string;
  title: string;
  about: string;
  minutes: number;
  names: string[];
  lab: string[];
}

/** A file that cannot be run; `fix` is the name by which the Author page opens it, "" where it cannot. */
export interface BrokenFile {
  file: string;
  problem: string;
  fix: string;
}

/** The reader's own file that was sent last and cannot be run. */
export interface RefusedFile {
  file: string;
  problem: string;
  /** The moment (ms) at which it was sent. */
  at: number | null;
}

/** What this browser remembers of a scenario: the step, the last step, whether that was reached, and when (ms). */
export interface Seen {
  step: number;
  last: number;
  finished?: boolean;
  when: number;
}

/** What is remembered, by the name of the scenario. */
export type AllSeen = { [name: string]: Seen | undefined };

/** A place in the app that the server is to open: a step of a scenario, the Author page, or a complaint. */
export type Opened = WalkthroughPlace | { author: AuthorPlace } | { symptom: string };

export interface WalkthroughPlace {
  scenario: string;
  step?: number;
  present?: number;
  lecture?: string;
  card?: number;
}

/** The address of the Author page, by name. */
export type AuthorPlace = { file: string; manage?: string } | { scenario: string } | { new: string };

export type Open = (place: Opened) => void;

/** A reader's own file as text, and when it was chosen (ms). */
export interface GivenFile {
  name: string;
  text: string;
  at: number;
}
