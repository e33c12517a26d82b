// What this browser remembers of the first visit.
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
  try {
    return { ...nothingKept(), ...JSON.parse(window.localStorage.getItem(KEPT_VISIT) ?? "{}") };
  } catch {
    return nothingKept();
  }
}

/** @param {KeptVisit} visit */
export function keepVisit(visit) {
  try {
    window.localStorage.setItem(KEPT_VISIT, JSON.stringify(visit));
  } catch {
    // Storage may be forbidden; then the visit starts over the next time.
  }
}
