// What a lesson reports and where it is kept: an LMS that offers SCORM 1.2, or this browser.
//
// Reported are cmi.core.lesson_status, score.raw (0 to 100: the share of questions answered right at first),
// session_time, exit, lesson_location, each answer as an interaction, and suspend_data, with which the lesson goes on
// where it was left.
import { keepText, keptText } from "../player/base/kept.ts";
import type { Answered, LmsApi, Progress } from "./types.ts";

const MOST_WINDOWS = 10;

/** The LMS, which offers itself in a window around this one or in the one that opened it. */
function findApi(): LmsApi | null {
  for (const first of [window, window.opener]) {
    let here = first;
    try {
      for (let deep = 0; here && deep < MOST_WINDOWS; deep += 1) {
        if (here.API) return here.API;
        if (here.parent === here) break;
        here = here.parent;
      }
    } catch {
      // A window of another origin has none for us.
    }
  }
  return null;
}

/** A CMITimespan: HHHH:MM:SS.SS. */
export function timespan(ms: number) {
  const two = (number: number) => String(number).padStart(2, "0");
  const seconds = Math.floor(ms / 1000);
  const hours = String(Math.min(9999, Math.floor(seconds / 3600))).padStart(4, "0");
  return `${hours}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}.${two(Math.floor((ms % 1000) / 10))}`;
}

/** A lesson in an LMS. */
export class Lms {
  api: LmsApi;
  began: number = Date.now();
  finished = false;
  counts: boolean;

  constructor(api: LmsApi) {
    this.api = api;
    // A lesson that is only looked at is not reported.
    this.counts = !["browse", "review"].includes(this.get("core.lesson_mode"));
  }

  /** Whether the result goes to somebody. */
  get reports() {
    return true;
  }

  get(name: string) {
    return this.api.LMSGetValue(`cmi.${name}`);
  }

  set(name: string, value: string | number) {
    this.api.LMSSetValue(`cmi.${name}`, String(value));
  }

  /** What was kept when the lesson was left; "" for nothing. */
  kept() {
    return this.get("suspend_data");
  }

  report({ kept, at, score, over }: Progress) {
    if (!this.counts || this.finished) return;
    if (score !== null) {
      this.set("core.score.min", 0);
      this.set("core.score.max", 100);
      this.set("core.score.raw", score);
    }
    this.set("core.lesson_status", over ? this.status(score) : "incomplete");
    this.set("core.lesson_location", at);
    this.set("suspend_data", kept);
    this.set("core.exit", over ? "" : "suspend");
    this.set("core.session_time", timespan(Date.now() - this.began));
    this.api.LMSCommit("");
  }

  /** The status at the end: whether the lesson is passed is said only where the LMS has a mastery score. */
  status(score: number | null) {
    const mastery = this.get("student_data.mastery_score");
    if (score === null || mastery === "" || Number.isNaN(Number(mastery))) return "completed";
    return score >= Number(mastery) ? "passed" : "failed";
  }

  /** An answer, for the reports of an LMS that keeps them. */
  answered({ id, chosen, right }: Answered) {
    if (!this.counts) return;
    const count = this.get("interactions._count");
    if (!/^\d+$/.test(count)) return; // this LMS keeps none
    const name = `interactions.${count}`;
    this.set(`${name}.id`, id);
    this.set(`${name}.type`, "choice");
    this.set(`${name}.student_response`, letterOf(chosen));
    if (right !== null) this.set(`${name}.result`, right ? "correct" : "wrong");
  }

  finish() {
    if (this.finished) return;
    this.finished = true;
    this.api.LMSFinish("");
  }
}

/** A lesson that nobody asked for a result: the browser keeps how far the reader is, and nothing is reported. */
export class Alone {
  name: string;

  constructor(id: string) {
    this.name = `tidemark.lesson.${id}`;
  }

  get reports() {
    return false;
  }

  kept() {
    return keptText(this.name) ?? "";
  }

  report({ kept }: Progress) {
    keepText(this.name, kept); // forbidden in a frame without an origin; then the lesson begins anew
  }

  answered() {}

  finish() {}
}

/** Where the lesson `id` is kept and reported. */
export function keeperOf(id: string): Lms | Alone {
  const api = findApi();
  return api !== null && api.LMSInitialize("") !== "false" ? new Lms(api) : new Alone(id);
}

/** A choice as SCORM writes it, from 0: "a", "b", … */
export function letterOf(chosen: number) {
  return String.fromCharCode(97 + Math.min(Math.max(Math.trunc(chosen), 0), 25));
}
