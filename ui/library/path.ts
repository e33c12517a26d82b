// The pages Path and Teach, which show the library for somebody who learns in one line, and for somebody who teaches.
import { lectureAddress, linkTo, opensHere } from "../player/base/address.ts";
import { el, fill, icon, pushButton } from "../player/base/dom.ts";
import { minutesAlong, say } from "../player/base/format.ts";
import { scenariosSeen } from "../player/base/kept.ts";
import { passedLevels } from "../learning/practice/keeping.ts";
import { cardNode, newScenario, orderLink, packageLink, pageLink, progress, visitDoor } from "./card.ts";
import { studentsButton } from "./students.ts";
import type { Card, Lecture, LibraryData, Open, TakenLesson } from "./types.ts";

type Making = ((asked: TakenLesson) => void) | null;

// A few scenarios in stages; each stage ends in a checkpoint, which is passed in practice.

export function pathPage(data: LibraryData, open: Open) {
  const { words, path } = data;
  const seen = scenariosSeen();
  const passed = passedLevels();
  const cards = new Map(data.cards.map((card) => [card.name, card]));
  const stages = path.map((stage) => ({ ...stage, cards: stage.names.flatMap((name) => cards.get(name) ?? []) }));
  const order = stages.flatMap((stage) => stage.cards);
  const isDone = ({ name }: Card) => progress(seen[name]) === "finished";
  const next = order.find((card) => !isDone(card));
  const root = page(words.path.title, say(words.path.about, { count: order.length, stages: stages.length }));
  const begin = el("p", "tm-path-begin");
  begin.append(
    visitDoor(data) ?? "",
    next ? onward(next, order.indexOf(next) + 1, data) : "",
    el("span", "tm-quiet", say(words.shelf.finished_of, { done: order.filter(isDone).length, count: order.length })),
  );
  root.append(begin);
  stages.forEach((stage, at) => {
    const id = `stage-${at + 1}`;
    const head = el("div", "tm-group-head");
    head.append(el("h2", "", `${at + 1} · ${stage.title}`, { id: `${id}-title` }), el("p", "tm-quiet", stage.about));
    const grid = el("div", "tm-cards");
    for (const card of stage.cards) {
      const node = cardNode(
        { ...card, number: order.indexOf(card) + 1 },
        { words, seen: seen[card.name], when: undefined, saving: false, open },
      );
      node.classList.toggle("tm-last", card === next);
      grid.append(node);
    }
    grid.append(checkpoint(at + 1, stage.level, passed.includes(stage.level), data));
    const section = fill(el("section", "tm-group", null, { id, "aria-labelledby": `${id}-title` }), head, grid);
    root.append(section);
  });
  root.append(pageLink("tm-inventory-entry tm-path-rest", "./library", "search", words.path.rest));
  return root;
}

function onward(card: Card, number: number, { words }: LibraryData) {
  const text = say(number > 1 ? words.path.go_on : words.path.begin, { title: card.title });
  const link = el("a", "tm-new-scenario", null, { href: linkTo("", { scenario: card.name }) });
  link.append(icon("play"), text);
  return opensHere(link);
}

/** @param level of practice: two right answers in a row there pass it */
function checkpoint(number: number, level: number, passed: boolean, { words }: LibraryData) {
  const link = el("a", "tm-checkpoint", null, {
    href: linkTo("practice", { level: String(level) }),
    "data-passed": String(passed),
  });
  link.append(
    icon(passed ? "check" : "flag"),
    el("b", "", say(words.path.checkpoint, { number })),
    el("span", "tm-quiet", passed ? words.path.passed : words.path.check),
  );
  return opensHere(link);
}

// What a teacher needs: who they are here, what they write, and each lesson to present or to take away.

export function teachPage(data: LibraryData, open: Open, make: Making) {
  const { words } = data;
  const root = page(words.teach.title, data.role || words.teach.about);
  const doors = el("p", "tm-teach-doors");
  doors.append(
    newScenario(data, open),
    orderLink(data) ?? "",
    pageLink("tm-order-link", "./inventory?view=class", "check", words.teach.results),
    pageLink("tm-order-link", "./vote", "screen", words.teach.vote),
  );
  root.append(doors);
  const minutes = new Map(data.cards.map((card) => [card.name, card.minutes ?? 0]));
  const long = (names: string[]) => names.reduce((sum, name) => sum + (minutes.get(name) ?? 0), 0);
  data.lectures.forEach((lecture, index) => {
    const { names, minutes: planned } = lecture;
    const section = toTeach({ ...lecture, minutes: planned || long(names) }, words.start.lecture);
    section.append(lecturePlan(lecture, data, index === 0));
    root.append(section);
  });
  root.append(el("h2", "", words.lessons));
  for (const { id, title, about, ordered, topics } of data.lessons) {
    const names = topics.flatMap((topic) => topic.names);
    if (ordered) root.append(toTeach({ id, title, about, names, minutes: long(names) }, words.start.lesson));
  }
  return root;

  function toTeach(
    lesson: { id: string; title: string; about: string; names: string[]; minutes: number },
    start: string,
  ) {
    const { id, title, about, names } = lesson;
    const count = say(words.teach.length, { count: names.length, minutes: lesson.minutes });
    const text = fill(el("div"), el("h3", "", title), el("p", "", about), el("p", "tm-quiet", count));
    const ways = fill(el("div", "tm-lesson-head"), starter(id, names, start, open));
    if (data.packages) ways.append(packageLink(id, words, make), studentsButton(id, title, words, make));
    return fill(el("section", "tm-teach-lesson", null, { "aria-label": title }), text, ways);
  }
}

/**
 * A lecture in one view: which scenario comes in which minutes, with how many questions, and a way to try it.
 * @param open whether it is unfolded
 */
function lecturePlan({ id, names, minutes }: Lecture, { cards, words }: LibraryData, open: boolean) {
  const known = new Map(cards.map((card) => [card.name, card]));
  const there = names.flatMap((name) => known.get(name) ?? []);
  const row = (texts: (string | Node)[], cell: "td" | "th" = "td") => {
    const node = el("tr");
    for (const each of texts) {
      node.append(fill(el(cell), each));
    }
    return node;
  };
  const head = fill(el("thead"), row([words.teach.minutes, words.teach.scenario, words.teach.questions], "th"));
  const body = el("tbody");
  minutesAlong(there.map((card) => card.minutes)).forEach((planned, index) => {
    const { name, title, questions } = there[index];
    const link = opensHere(el("a", "", title, { href: linkTo("", { scenario: name }) }));
    body.append(row([planned ? say(words.teach.span, planned) : "–", link, String(questions)]));
  });
  const total = (of: (card: Card) => number) => there.reduce((sum, card) => sum + of(card), 0);
  const dry = el("a", "tm-order-link", null, {
    href: lectureAddress(id, names[0]),
    target: "_blank",
    title: words.teach.dry_about,
  });
  dry.append(icon("screen"), words.teach.dry);
  const length = say(words.teach.planned, { planned: total((card) => card.minutes ?? 0), minutes });
  const foot = fill(el("tfoot"), row([length, dry, String(total((card) => card.questions))]));
  const table = fill(el("table", "tm-teach-plan"), head, body, foot);
  const plan = el("details", "tm-teach-details", null);
  plan.open = open;
  plan.append(el("summary", "", words.teach.plan), table);
  return plan;
}

/** Presents the scenarios `names` one after another, in the order `id`. */
function starter(id: string, names: string[], text: string, open: Open) {
  const button = pushButton("tm-starter", text, () =>
    open({ scenario: names[0], step: 0, present: 1, lecture: id, card: 1 }),
  );
  button.prepend(icon("screen"));
  return button;
}

function page(title: string, about: string) {
  const root = el("main", "tidemark-library tm-one-column", null, { "data-ready": "true" });
  root.append(el("h1", "", title), el("p", "tm-page-about", about));
  return root;
}
