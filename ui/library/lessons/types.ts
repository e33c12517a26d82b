// What ui/library/lessons/desk.py and the page Lessons say to each other.
import type { Block } from "../../author/types.ts";
import type { AuthorWords, LessonsWords } from "#types/words";

/** A text by language. */
export interface Texts {
  [language: string]: string | undefined;
}

/** A list of scenarios under a title. */
export interface Part {
  title: Texts;
  about: Texts;
  scenarios: string[];
}

/** Where the first visit leads, and what is new there. */
export interface Way {
  was: number | null;
  scenario: string;
  about: Texts;
}

export interface Topic extends Part {
  /** Its place in the file; null for a new one. */
  was: number | null;
}

export interface Lesson {
  was: number | null;
  id: string;
  title: Texts;
  about: Texts;
  topics: Topic[];
}

/** `plan_of` of ui/library/lessons/desk.py. */
export interface Plan {
  lessons: Lesson[];
  /** `lab`: what to work on afterwards. */
  lecture: (Part & { minutes: number; lab: string[] }) | null;
  visit: (Part & { onward: Way[] }) | null;
}

/** A plan that is not saved yet, with the file that it began with. */
export interface KeptPlan {
  text: string;
  digest: string | null;
  plan: Plan;
}

export interface Offered {
  name: string;
  title: string;
  /** How long it takes, 0 where it does not say. */
  minutes: number;
  /** How many beats of its walkthrough ask something. */
  questions: number;
  own: boolean;
}

export interface First {
  words: LessonsWords;
  merge: AuthorWords["merge"];
  scenarios: Offered[];
  saving: boolean;
  problem: string;
  /** lessons.toml as it lies in the folder, and its digest; null where there is none. */
  text: string;
  digest: string | null;
  plan: Plan | null;
}

/** The plan is written into `text`; without one `text` is saved as it is. */
export interface Question {
  number: number;
  text: string;
  plan: Plan | null;
  expected: string | null;
}

export interface Reply {
  number: number;
  problem?: string;
  /** the path of the field that is wrong; empty for none */
  place?: (string | number)[];
  conflict?: { digest: string | null; blocks: Block[] };
  saved?: boolean;
  /** what is still to be done with the file, where that is not saved into a folder */
  note?: string;
  text: string;
  digest: string;
  plan: Plan;
}
