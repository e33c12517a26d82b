// How far a reader is in a lesson, and what an LMS with SCORM 1.2 is told of it.
import assert from "node:assert/strict";
import test from "node:test";
import { Alone, Lms, timespan } from "../../ui/share/lms.ts";
import { Reading } from "../../ui/share/progress.ts";

const asks = (...names) => names.map((name) => ({ name, text: `${name}?`, choices: ["four", "nine"] }));
const lesson = (edition) => ({
  id: "mine",
  title: "Mine",
  edition,
  scenarios: [
    { name: "one", title: "One", questions: asks("ask 3", "ask 5") },
    { name: "two", title: "Two", questions: asks("ask 2") },
  ],
});

/** An LMS that keeps what it is told, and the names in the order of telling. */
function lms(kept = {}) {
  const told = [];
  const api = {
    LMSInitialize: () => "true",
    LMSFinish: () => told.push("finish"),
    LMSGetValue: (name) => (name === "cmi.interactions._count" ? count(kept) : (kept[name] ?? "")),
    LMSSetValue: (name, value) => {
      told.push(name);
      kept[name] = value;
    },
    LMSCommit: () => "true",
  };
  return { api, kept, told };
}

const count = (kept) => {
  const numbers = Object.keys(kept).flatMap((name) => name.match(/interactions\.\d+/) ?? []);
  return String(new Set(numbers).size);
};

test("the first answer to a question counts, and no other", () => {
  const reading = new Reading(lesson("graded"));
  assert.equal(reading.answer("ask 3", 1, true)?.text, "ask 3?");
  assert.equal(reading.answer("ask 3", 0, false), null);
  assert.equal(reading.answer("ask 4", 0, false), null);
  assert.equal(reading.answer("ask 5", 2, true), null, "there is no such choice");
  assert.deepEqual([reading.answered, reading.asked, reading.right, reading.score], [1, 3, 1, 33]);
});

test("a lesson is over when every scenario was seen to its end and every question answered", () => {
  const reading = new Reading(lesson("graded"));
  reading.answer("ask 3", 1, true);
  reading.answer("ask 5", 0, false);
  assert.equal(reading.at(9, 9), true);
  assert.equal(reading.at(9, 9), false, "it ends once");
  reading.current = 1;
  reading.at(9, 9);
  assert.equal(reading.isOver, false);
  reading.answer("ask 2", 0, true);
  assert.deepEqual([reading.isOver, reading.score], [true, 67]);
});

test("what was kept brings everything back; what does not fit begins anew", () => {
  const reading = new Reading(lesson("graded"));
  reading.at(7, 9);
  reading.answer("ask 5", 0, false);
  reading.current = 1;
  const again = new Reading(lesson("graded"));
  again.resume(reading.kept());
  assert.deepEqual([again.current, again.state], [1, reading.state]);
  for (const text of ["", "{", "null", '{"c":5,"s":[]}', '{"c":9,"s":[[1,0,"zz"],["2",0,"-"]]}']) {
    const fresh = new Reading(lesson("graded"));
    fresh.resume(text);
    assert.deepEqual([fresh.current, fresh.letters, fresh.here.step], [0, "---", 0], text);
  }
});

test("a student edition keeps the choices and grades nothing", () => {
  const reading = new Reading(lesson("student"));
  reading.answer("ask 5", 1, null);
  const again = new Reading(lesson("student"));
  again.resume(reading.kept());
  assert.deepEqual([again.letters, again.score, again.answered], ["-b-", null, 1]);
  assert.deepEqual(again.handedIn().answers[1], { scenario: "one", question: "ask 5?", answer: "nine" });
  assert.equal(again.handedIn().answers[0].answer, null);
});

test("score, status, place and time go to the LMS; with a mastery score the lesson is passed or failed", () => {
  const { api, kept } = lms({ "cmi.student_data.mastery_score": "60" });
  const keeper = new Lms(api);
  keeper.report({ kept: "{}", at: 0, score: 50, over: false });
  assert.deepEqual([kept["cmi.core.lesson_status"], kept["cmi.core.exit"]], ["incomplete", "suspend"]);
  keeper.report({ kept: "{}", at: 1, score: 50, over: true });
  assert.deepEqual([kept["cmi.core.lesson_status"], kept["cmi.core.exit"]], ["failed", ""]);
  assert.deepEqual([kept["cmi.core.score.raw"], kept["cmi.core.lesson_location"]], ["50", "1"]);
  assert.match(kept["cmi.core.session_time"], /^0000:00:00\.\d\d$/);
});

test("each answer is an interaction, graded or not", () => {
  const { api, kept } = lms({ "cmi.interactions.0.id": "of an earlier visit" });
  const keeper = new Lms(api);
  keeper.answered({ id: "1-ask-3", chosen: 1, right: false });
  keeper.answered({ id: "1-ask-5", chosen: 0, right: null });
  const of = (number, name) => kept[`cmi.interactions.${number}.${name}`];
  assert.deepEqual(
    ["id", "type", "student_response", "result"].map((name) => of(1, name)),
    ["1-ask-3", "choice", "b", "wrong"],
  );
  assert.deepEqual([of(2, "student_response"), of(2, "result")], ["a", undefined]);
});

test("a lesson without grades is completed, has no score, and is not told anything once it is finished", () => {
  const { api, kept, told } = lms({ "cmi.student_data.mastery_score": "60" });
  const keeper = new Lms(api);
  keeper.report({ kept: "{}", at: 0, score: null, over: true });
  assert.deepEqual([kept["cmi.core.lesson_status"], kept["cmi.core.score.raw"]], ["completed", undefined]);
  keeper.finish();
  keeper.report({ kept: "{}", at: 0, score: null, over: true });
  keeper.finish();
  assert.deepEqual(told.slice(-1), ["finish"]);
  assert.equal(told.filter((each) => each === "finish").length, 1);
});

test("nothing is reported of a lesson that is only looked at", () => {
  const { api, told } = lms({ "cmi.core.lesson_mode": "review" });
  const keeper = new Lms(api);
  keeper.report({ kept: "{}", at: 0, score: 50, over: false });
  keeper.answered({ id: "1-ask-3", chosen: 0, right: true });
  assert.deepEqual(told, []);
});

test("without an LMS, or a storage, the lesson goes on all the same", () => {
  globalThis.window = undefined;
  const alone = new Alone("mine");
  alone.report({ kept: "{}", at: 0, score: 1, over: false });
  assert.deepEqual([alone.kept(), alone.reports], ["", false]);
});

test("a time as SCORM 1.2 writes it", () => {
  assert.equal(timespan(3 * 3_600_000 + 25 * 60_000 + 4_050), "0003:25:04.05");
});
