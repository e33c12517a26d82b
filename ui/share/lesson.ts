// The page of a lesson (ui/share/lesson.py): shows one scenario after another and says how far the reader is.
import { save } from "../player/base/dom.ts";
import { keeperOf } from "./lms.ts";
import { Reading } from "./progress.ts";
import type { LessonInPage } from "./types.ts";

const lesson: LessonInPage = JSON.parse(document.getElementById("lesson")?.textContent ?? "");
const { scenarios, words } = lesson;
const places = document.getElementById("places") as HTMLSelectElement;
const next = document.getElementById("next") as HTMLButtonElement;
const said = document.getElementById("said") as HTMLElement;
const saving = document.getElementById("save") as HTMLButtonElement;
const frame = document.getElementById("scenario") as HTMLIFrameElement;
const keeper = keeperOf(lesson.id);
const reading = new Reading(lesson);

function report() {
  keeper.report({ kept: reading.kept(), at: reading.current, score: reading.score, over: reading.isOver });
}

function filledIn(text: string, fields: { [name: string]: number }) {
  return text.replace(/\{(\w+)\}/g, (_, name) => String(fields[name]));
}

/** How far the reader is, in words. */
function told() {
  const { asked, answered, right } = reading;
  if (keeper.reports && reading.isOver) return reading.isGraded ? words.over : words.seen;
  if (!reading.isGraded) return asked ? filledIn(words.given, { asked, answered }) : "";
  if (!keeper.reports) return words.alone;
  return asked ? filledIn(words.score, { asked, right }) : "";
}

function draw() {
  [...places.options].forEach((option, at) => {
    option.textContent = `${reading.state[at].done ? "✓ " : ""}${at + 1}. ${scenarios[at].title}`;
  });
  places.value = String(reading.current);
  next.disabled = reading.current + 1 >= scenarios.length;
  said.textContent = told();
  saving.hidden = reading.isGraded || !reading.answered;
}

function open(at: number) {
  reading.current = at;
  const { step } = reading.here;
  const { title, file, facts = "" } = scenarios[at];
  frame.title = title;
  if (lesson.shell) frame.srcdoc = pageOf(lesson.shell, title, facts, step);
  else frame.src = `${file}?embed=true${step ? `&step=${step}` : ""}`;
  draw();
  report();
}

function pageOf(shell: string, title: string, facts: string, step: number) {
  const written = title.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const parts: { [name: string]: string } = { title: written, facts, step: String(step) };
  return shell.replace(/@@(title|facts|step)@@/g, (_, name) => parts[name]);
}

/** Saves the answers as a file. */
function saveAnswers() {
  const text = JSON.stringify(reading.handedIn(), null, 2);
  const name = `${lesson.id.replace(/[^A-Za-z0-9-]+/g, "-")}-answers.json`;
  save(new Blob([text], { type: "application/json" }), name);
}

window.addEventListener("message", ({ source, data }) => {
  if (source !== frame.contentWindow || data?.source !== "tidemark") return;
  if (data.kind === "step" && Number.isInteger(data.step)) {
    if (!reading.at(data.step, data.last)) return;
  } else if (data.kind === "answered") {
    const question = reading.answer(data.question, data.chosen, data.right);
    if (!question) return;
    const id = `${reading.current + 1}-${question.name.replaceAll(" ", "-")}`;
    keeper.answered({ id, chosen: data.chosen, right: data.right });
  } else return;
  draw();
  report();
});
places.append(...scenarios.map((_, at) => new Option("", String(at))));
places.addEventListener("change", () => open(Number(places.value)));
next.addEventListener("click", () => open(reading.current + 1));
saving.addEventListener("click", saveAnswers);
for (const leaving of ["pagehide", "beforeunload"]) {
  window.addEventListener(leaving, () => {
    report();
    keeper.finish();
  });
}
reading.resume(keeper.kept());
open(reading.current);
