// The page of a SCORM 1.2 package (ui/share/scorm.py): shows one scenario after another and reports to the LMS.
//
// What is reported: cmi.core.lesson_status, score.raw (0 to 100: the share of questions answered right at first),
// session_time, exit, lesson_location, and suspend_data, with which the lesson goes on where it was left.

/**
 * @typedef {{ title: string, file: string, questions: string[] }} ScenarioOfLesson
 * @typedef {{ scenarios: ScenarioOfLesson[], words: { [name: string]: string } }} LessonOfPackage
 * @typedef {{ LMSInitialize(empty: string): string, LMSFinish(empty: string): string,
 *   LMSGetValue(name: string): string, LMSSetValue(name: string, value: string): string,
 *   LMSCommit(empty: string): string }} LmsApi
 * @typedef {{ step: number, done: boolean, given: string }} ScenarioState `given` has a letter for each question:
 *   "1" right, "0" wrong, "-" not answered
 */

(() => {
  const MOST_WINDOWS = 10;
  /** @type {LessonOfPackage} */
  const lesson = JSON.parse(document.getElementById("lesson")?.textContent ?? "");
  const { scenarios, words } = lesson;
  const places = /** @type {HTMLSelectElement} */ (document.getElementById("places"));
  const next = /** @type {HTMLButtonElement} */ (document.getElementById("next"));
  const said = /** @type {HTMLElement} */ (document.getElementById("said"));
  const frame = /** @type {HTMLIFrameElement} */ (document.getElementById("scenario"));
  const began = Date.now();

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

  const api = findApi();
  const there = api !== null && api.LMSInitialize("") !== "false";
  const get = (/** @type {string} */ name) => (there && api ? api.LMSGetValue(name) : "");
  const set = (/** @type {string} */ name, /** @type {string | number} */ value) => {
    if (there && api) api.LMSSetValue(name, String(value));
  };
  // A lesson that is only looked at is not reported.
  const counts = there && !["browse", "review"].includes(get("cmi.core.lesson_mode"));
  /** @type {ScenarioState[]} */
  const state = scenarios.map(({ questions }) => ({ step: 0, done: false, given: "-".repeat(questions.length) }));
  let current = 0;
  let finished = false;

  /** Takes up what was left, as far as it fits this lesson. */
  function resume() {
    try {
      const kept = JSON.parse(get("cmi.suspend_data") || "null");
      if (!kept || kept.s.length !== state.length) return;
      kept.s.forEach((/** @type {[number, number, string]} */ [step, done, given], /** @type {number} */ at) => {
        if (given.length !== state[at].given.length || !/^[01-]*$/.test(given) || !Number.isInteger(step)) return;
        state[at] = { step, done: Boolean(done), given };
      });
      if (Number.isInteger(kept.c) && kept.c in state) current = kept.c;
    } catch {
      // What cannot be read begins anew.
    }
  }

  const letters = () => state.map(({ given }) => given).join("");
  const isOver = () => state.every(({ done, given }) => done && !given.includes("-"));

  /** Reports how far the learner is. */
  function report() {
    if (!counts) return;
    const given = letters();
    if (given) {
      const score = Math.round((100 * given.split("1").length - 100) / given.length);
      set("cmi.core.score.min", 0);
      set("cmi.core.score.max", 100);
      set("cmi.core.score.raw", score);
      set("cmi.core.lesson_status", status(score));
    } else set("cmi.core.lesson_status", status(100));
    set("cmi.core.lesson_location", current);
    set(
      "cmi.suspend_data",
      JSON.stringify({ c: current, s: state.map((each) => [each.step, Number(each.done), each.given]) }),
    );
    set("cmi.core.exit", isOver() ? "" : "suspend");
    set("cmi.core.session_time", timespan(Date.now() - began));
    api?.LMSCommit("");
  }

  /** @param {number} score */
  function status(score) {
    if (!isOver()) return "incomplete";
    const mastery = get("cmi.student_data.mastery_score");
    if (mastery === "" || Number.isNaN(Number(mastery))) return "completed";
    return score >= Number(mastery) ? "passed" : "failed";
  }

  /**
   * A CMITimespan: HHHH:MM:SS.SS.
   * @param {number} ms
   */
  function timespan(ms) {
    const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
    const seconds = Math.floor(ms / 1000);
    const hours = String(Math.min(9999, Math.floor(seconds / 3600))).padStart(4, "0");
    return `${hours}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}.${two(Math.floor((ms % 1000) / 10))}`;
  }

  function draw() {
    [...places.options].forEach((option, at) => {
      option.textContent = `${state[at].done ? "✓ " : ""}${at + 1}. ${scenarios[at].title}`;
    });
    places.value = String(current);
    next.disabled = current + 1 >= scenarios.length;
    const given = letters();
    const told = words.score
      .replace("{right}", String(given.split("1").length - 1))
      .replace("{asked}", String(given.length));
    said.textContent = !there ? words.alone : isOver() ? words.over : given ? told : "";
  }

  /** @param {number} at */
  function open(at) {
    current = at;
    const { step } = state[at];
    frame.title = scenarios[at].title;
    frame.src = `${scenarios[at].file}?embed=true${step ? `&step=${step}` : ""}`;
    draw();
    report();
  }

  function finish() {
    if (finished) return;
    finished = true;
    report();
    if (there) api?.LMSFinish("");
  }

  window.addEventListener("message", ({ source, data }) => {
    if (source !== frame.contentWindow || data?.source !== "tidemark") return;
    const here = state[current];
    if (data.kind === "step" && Number.isInteger(data.step)) {
      here.step = data.step;
      if (data.step < data.last || here.done) return;
      here.done = true;
    } else if (data.kind === "answered") {
      const at = scenarios[current].questions.indexOf(data.question);
      // The first answer counts.
      if (at < 0 || here.given[at] !== "-") return;
      here.given = here.given.slice(0, at) + (data.right ? "1" : "0") + here.given.slice(at + 1);
    } else return;
    draw();
    report();
  });
  places.append(...scenarios.map((_, at) => new Option("", String(at))));
  places.addEventListener("change", () => open(Number(places.value)));
  next.addEventListener("click", () => open(current + 1));
  window.addEventListener("pagehide", finish);
  window.addEventListener("beforeunload", finish);
  resume();
  open(current);
})();
