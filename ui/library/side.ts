// The left column's lessons: how many scenarios of each topic are finished, and where the reader stopped last.
import { el } from "../player/base/dom.ts";
import { say } from "../player/base/format.ts";
import { icon } from "../player/base/icons.ts";
import { progress } from "./card.ts";
import type { AllSeen, Card, LibraryData, Open } from "./types.ts";

/**
 * The lessons with their topics; a topic is a link to its cards.
 * @param go takes the id of a topic
 */
export function lessonList({ words, lessons, cards }: LibraryData, seen: AllSeen, go: (topic: string) => void) {
  const finished = (names: string[]) => names.filter((name) => progress(seen[name]) === "finished").length;
  const list = el("nav", "tm-lessons", null, { "aria-label": words.lessons });
  const head = el("div", "tm-lessons-head");
  head.append(
    el("h2", "", words.lessons),
    el(
      "span",
      "tm-quiet",
      say(words.shelf.finished_of, { done: finished(cards.map((card) => card.name)), count: cards.length }),
    ),
  );
  list.append(head);
  for (const lesson of lessons) {
    const alone = lesson.topics.length === 1 && lesson.topics[0].title === lesson.title;
    if (!alone) list.append(el("h3", "tm-lesson-name", lesson.title));
    for (const topic of lesson.topics) {
      const done = finished(topic.names);
      const link = el("a", alone ? "tm-topic tm-topic-alone" : "tm-topic", null, {
        href: `#topic-${topic.id}`,
        "data-topic": topic.id,
      });
      link.append(
        el("span", "", topic.title),
        el("span", "tm-quiet", say(words.of, { done, count: topic.names.length })),
      );
      const bar = el("div", "tm-bar", null, { "aria-hidden": "true" });
      topic.names.forEach((name) => bar.append(el("i", progress(seen[name]) === "finished" ? "tm-done" : "")));
      link.append(bar);
      link.addEventListener("click", (event) => {
        event.preventDefault();
        go(topic.id);
      });
      list.append(link);
    }
  }
  return list;
}

/** The name of the scenario at which the reader stopped last, null if there is none. */
export function stoppedAt(cards: Card[], seen: AllSeen) {
  const names = new Set(cards.map((card) => card.name));
  const begun = Object.entries(seen).filter(([name, each]) => names.has(name) && progress(each) === "begun");
  return begun.sort(([, a], [, b]) => (b?.when ?? 0) - (a?.when ?? 0))[0]?.[0] ?? null;
}

/** The way back to where the reader stopped last; null if there is none. */
export function onward({ words, cards }: LibraryData, seen: AllSeen, open: Open) {
  const name = stoppedAt(cards, seen);
  const stopped = name ? seen[name] : undefined;
  if (!name || !stopped) return null;
  const { step, last } = stopped;
  const box = el("div", "tm-onward");
  const go = el("button", "tm-onward-button", words.go_on, { type: "button" });
  go.prepend(icon("play"));
  go.addEventListener("click", () => open({ scenario: name, step }));
  box.append(
    el("p", "tm-quiet", words.stopped),
    el("b", "", cards.find((card) => card.name === name)?.title),
    el("p", "", say(words.step_of, { step, last })),
    go,
  );
  return box;
}
