// What ui/share/lesson.py puts into the page of a lesson, and what the page's files hand to one another.

export interface QuestionOfLesson {
  /** As the player tells it: `ask 115`. */
  name: string;
  text: string;
  choices: string[];
}

/** A scenario: a `file` beside the page, or its `facts` as base64 in it. */
export interface ScenarioOfLesson {
  name: string;
  title: string;
  file?: string;
  facts?: string;
  questions: QuestionOfLesson[];
}

export interface LessonInPage {
  id: string;
  title: string;
  /** student: nothing is graded. */
  edition: "full" | "graded" | "student";
  scenarios: ScenarioOfLesson[];
  /** The page that the facts of a scenario are put into, where they are in this one. */
  shell?: string;
  words: { [name: string]: string };
}

/** How far the reader is in a scenario. `given` has a letter for each question: see lesson.ts. */
export interface ScenarioState {
  step: number;
  done: boolean;
  given: string;
}

/** What is told after each change: `kept` brings it back; `score` is null where nothing is graded. */
export interface Progress {
  kept: string;
  at: number;
  score: number | null;
  over: boolean;
}

export interface Answered {
  id: string;
  /** The choice, from 0. */
  chosen: number;
  right: boolean | null;
}

/** SCORM 1.2. */
export interface LmsApi {
  LMSInitialize(empty: string): string;
  LMSFinish(empty: string): string;
  LMSGetValue(name: string): string;
  LMSSetValue(name: string, value: string): string;
  LMSCommit(empty: string): string;
}
