// What this browser remembers of the first visit.
import { isTable, isWhole, readKept, soundList, soundTable, writeKept } from "./kept.js";

const KEPT_VISIT = "tidemark.visit";

/**
 * The first answer to a question with what is needed to speak of it when the visit is over, and the places of all
 * choices that were tried.
 * @typedef {{
 *   scene: string, question: string, chosen: string, right: boolean, reply: string, tried?: number[],
 * }} VisitAnswer
 */

/**
 * The scene that was open last, the first answer to each question by its scene and step, the scenes that were seen to
 * their end, and whether the visit was finished.
 * @typedef {{
 *   scene: string, answers: { [question: string]: VisitAnswer }, done: string[], finished: boolean,
 * }} KeptVisit
 */

/** @returns {KeptVisit} */
export function nothingKept() {
  return { scene: "", answers: {}, done: [], finished: false };
}

/** @returns {KeptVisit} */
export function keptVisit() {
  return readKept(KEPT_VISIT, soundVisit) ?? nothingKept();
}

/**
 * @param {any} read
 * @returns {KeptVisit | null}
 */
function soundVisit(read) {
  const answers = soundTable(read?.answers ?? {}, (each) => (isAnswer(each) ? each : null));
  const done = /** @type {string[] | null} */ (soundList(read?.done ?? [], (each) => typeof each === "string"));
  if (!isTable(read) || !answers || !done || typeof (read.scene ?? "") !== "string") return null;
  return { scene: read.scene ?? "", answers, done, finished: read.finished === true };
}

/** @param {any} read */
function isAnswer(read) {
  const texts = ["scene", "question", "chosen", "reply"].every((part) => typeof read?.[part] === "string");
  const tried =
    read?.tried === undefined ||
    (Array.isArray(read.tried) && read.tried.every((/** @type {unknown} */ each) => isWhole(each)));
  return texts && tried && typeof read.right === "boolean";
}

/** @param {KeptVisit} visit */
export function keepVisit(visit) {
  writeKept(KEPT_VISIT, visit);
}
