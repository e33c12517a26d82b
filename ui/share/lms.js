// What a lesson reports and where it is kept: an LMS that offers SCORM 1.2, or this browser.
//
// Reported are cmi.core.lesson_status, score.raw (0 to 100: the share of questions answered right at first),
// session_time, exit, lesson_location, each answer as an interaction, and suspend_data, with which the lesson goes on
// where it was left.
import { keepText, keptText } from "../player/base/kept.js";
/** @import { Answered, LmsApi, Progress } from "./types.d.ts" */

const MOST_WINDOWS = 10;

/**
 * The LMS, which offers itself in a window around this one or in the one that opened it.
 * @returns {LmsApi | null}
 */
function findApi() {
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

/**
 * A CMITimespan: HHHH:MM:SS.SS.
 * @param {number} ms
 */
export function timespan(ms) {
  const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  const seconds = Math.floor(ms / 1000);
  const hours = String(Math.min(9999, Math.floor(seconds / 3600))).padStart(4, "0");
  return `${hours}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}.${two(Math.floor((ms % 1000) / 10))}`;
}

/** A lesson in an LMS. */
export class Lms {
  /** @param {LmsApi} api */
  constructor(api) {
    this.api = api;
    this.began = Date.now();
    this.finished = false;
    // A lesson that is only looked at is not reported.
    this.counts = !["browse", "review"].includes(this.get("core.lesson_mode"));
  }

  /** Whether the result goes to somebody. */
  get reports() {
    return true;
  }

  /** @param {string} name */
  get(name) {
    return this.api.LMSGetValue(`cmi.${name}`);
  }

  /**
   * @param {string} name
   * @param {string | number} value
   */
  set(name, value) {
    this.api.LMSSetValue(`cmi.${name}`, String(value));
  }

  /** What was kept when the lesson was left; "" for nothing. */
  kept() {
    return this.get("suspend_data");
  }

  /** @param {Progress} progress */
  report({ kept, at, score, over }) {
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

  /**
   * The status at the end: whether the lesson is passed is said only where the LMS has a mastery score.
   * @param {number | null} score
   */
  status(score) {
    const mastery = this.get("student_data.mastery_score");
    if (score === null || mastery === "" || Number.isNaN(Number(mastery))) return "completed";
    return score >= Number(mastery) ? "passed" : "failed";
  }

  /**
   * An answer, for the reports of an LMS that keeps them.
   * @param {Answered} answered
   */
  answered({ id, chosen, right }) {
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
  /** @param {string} id */
  constructor(id) {
    this.name = `tidemark.lesson.${id}`;
  }

  get reports() {
    return false;
  }

  kept() {
    return keptText(this.name) ?? "";
  }

  /** @param {Progress} progress */
  report({ kept }) {
    keepText(this.name, kept); // forbidden in a frame without an origin; then the lesson begins anew
  }

  answered() {}

  finish() {}
}

/**
 * Where the lesson `id` is kept and reported.
 * @param {string} id
 * @returns {Lms | Alone}
 */
export function keeperOf(id) {
  const api = findApi();
  return api !== null && api.LMSInitialize("") !== "false" ? new Lms(api) : new Alone(id);
}

/**
 * A choice as SCORM writes it, from 0: "a", "b", …
 * @param {number} chosen
 */
export function letterOf(chosen) {
  return String.fromCharCode(97 + Math.min(Math.max(Math.trunc(chosen), 0), 25));
}
