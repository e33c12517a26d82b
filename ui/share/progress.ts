// How far a reader is in a lesson: the step in each scenario, and the first answer to each question.
import { letterOf } from "./lms.ts";
import type { LessonInPage, QuestionOfLesson, ScenarioState, ScenarioOfLesson } from "./types.ts";

/** What stands for a question that has no answer yet. */
const OPEN = "-";

export class Reading {
  lesson;
  scenarios: ScenarioOfLesson[];
  isGraded: boolean;
  current = 0;
  /** `given`: "1" right, "0" wrong; where nothing is graded the letter of the choice. */
  state: ScenarioState[];

  constructor({ scenarios, edition, id, title }: LessonInPage) {
    this.lesson = { id, title };
    this.scenarios = scenarios;
    this.isGraded = edition !== "student";
    this.state = scenarios.map(({ questions }) => ({ step: 0, done: false, given: OPEN.repeat(questions.length) }));
  }

  /** Takes up what `kept` wrote, as far as it fits this lesson. */
  resume(text: string) {
    try {
      const kept = JSON.parse(text || "null");
      if (!kept || kept.s.length !== this.state.length) return;
      const fits = this.isGraded ? /^[01-]*$/ : /^[a-z-]*$/;
      kept.s.forEach(([step, done, given]: [number, number, string], at: number) => {
        if (given.length !== this.state[at].given.length || !fits.test(given) || !Number.isInteger(step)) return;
        this.state[at] = { step, done: Boolean(done), given };
      });
      if (Number.isInteger(kept.c) && kept.c in this.state) this.current = kept.c;
    } catch {
      // What cannot be read begins anew.
    }
  }

  /** As few characters as possible: an LMS may keep no more than 4096. */
  kept() {
    return JSON.stringify({ c: this.current, s: this.state.map((each) => [each.step, Number(each.done), each.given]) });
  }

  get here() {
    return this.state[this.current];
  }

  get letters() {
    return this.state.map(({ given }) => given).join("");
  }

  get asked() {
    return this.letters.length;
  }

  get answered() {
    return this.asked - this.letters.split(OPEN).length + 1;
  }

  get right() {
    return this.letters.split("1").length - 1;
  }

  /** 0 to 100; null where nothing is asked, or nothing graded. */
  get score() {
    return this.isGraded && this.asked ? Math.round((100 * this.right) / this.asked) : null;
  }

  get isOver() {
    return this.state.every(({ done, given }) => done && !given.includes(OPEN));
  }

  /** The reader is at `step` of `last`. Returns whether that ends the scenario for the first time. */
  at(step: number, last: number) {
    const { here } = this;
    here.step = step;
    const ends = step >= last && !here.done;
    here.done ||= ends;
    return ends;
  }

  /** Keeps an answer; only the first one to a question counts. Returns the question, null for none that counts. */
  answer(name: string, chosen: number, right: boolean | null): QuestionOfLesson | null {
    const { here } = this;
    const { questions } = this.scenarios[this.current];
    const at = questions.findIndex((each) => each.name === name);
    if (at < 0 || here.given[at] !== OPEN || !Number.isInteger(chosen) || !questions[at].choices[chosen]) return null;
    const letter = this.isGraded ? String(Number(right === true)) : letterOf(chosen);
    here.given = here.given.slice(0, at) + letter + here.given.slice(at + 1);
    return questions[at];
  }

  /** The answers of a student edition in words, as a student hands them in. */
  handedIn() {
    const answers = this.scenarios.flatMap(({ name, questions }, place) =>
      questions.map(({ text, choices }, at) => {
        const letter = this.state[place].given[at];
        const chosen = choices.findIndex((_, index) => letterOf(index) === letter);
        return { scenario: name, question: text, answer: choices[chosen] ?? null };
      }),
    );
    return { lesson: this.lesson.id, title: this.lesson.title, answers };
  }
}
