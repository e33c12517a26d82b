// One scenario as a card: its plane in small, its name, its length, what is proved, how far the reader came.
import { el } from "../player/base/dom.ts";
import { say } from "../player/base/format.ts";
import { icon } from "../player/base/icons.ts";
import { smallPlane } from "../player/base/small.ts";
import type { LibraryWords } from "#types/words";
import type { Card, Open, Proof, Seen } from "./types.ts";

/** How far the reader came: "" (not begun), "begun" or "finished". */
export function progress(seen: Seen | undefined) {
  if (seen?.finished) return "finished";
  return seen && seen.step > 0 ? "begun" : "";
}

/** The name of an engine with a tick where it computed the same rows, or a cross; the walkthrough's badge says more. */
function proof({ name, good, tick }: Proof) {
  const node = el("span", "tm-proof", null, {
    role: "img",
    "aria-label": tick,
    title: tick,
    "data-good": String(good),
  });
  node.append(icon(good ? "check" : "cross"), name);
  return node;
}

/** What a tag is called; one that the catalogue does not know is shown without its hyphens. */
export function tagName(tag: string, words: LibraryWords) {
  return Object.hasOwn(words.tags, tag) ? words.tags[tag] : tag.replaceAll("-", " ");
}

/** How far the reader came, in words and as a circle: empty, a part of it, or full with a tick. */
function state(seen: Seen | undefined, words: LibraryWords) {
  const how = progress(seen);
  const node = el("span", "tm-progress");
  const circle = el("span", "tm-circle", null, { "data-progress": how || "none", "aria-hidden": "true" });
  if (how === "finished") circle.append(icon("check"));
  if (seen && how === "begun") {
    circle.style.setProperty("--tm-part", `${Math.round((100 * seen.step) / Math.max(seen.last, 1))}%`);
  }
  if (seen && how) {
    node.append(how === "finished" ? words.finished : say(words.step_of, { step: seen.step, last: seen.last }));
  } else {
    node.append(el("span", "tm-hidden", words.shelf.not_finished));
  }
  node.append(circle);
  return node;
}

/** The file of a scenario, and whether it is shipped or stands in place of a shipped one. */
function fileOf({ file, own, replaces }: Card, words: LibraryWords) {
  if (!own) return say(words.files.shipped, { file });
  return replaces ? say(words.files.replaces, { file }) : file;
}

/** The card, a link to the walkthrough. `when` stands in its foot. */
export function cardNode(
  card: Card,
  {
    words,
    seen,
    when,
    saving,
    open,
  }: { words: LibraryWords; seen: Seen | undefined; when: string | undefined; saving: boolean; open: Open },
) {
  const node = el("a", "tm-scenario", null, {
    href: `./?${new URLSearchParams({ scenario: card.name })}`,
    "data-scenario": card.name,
  });
  const about = `about-${card.name}`;
  const text = el("div", "tm-scenario-text");
  const tags = [card.number, words.levels[card.level]?.toLowerCase()].filter(Boolean).join(" · ");
  text.append(el("h4", "", card.title), el("p", "tm-scenario-tags", tags));
  if (saving) text.append(el("p", "tm-scenario-file", fileOf(card, words), { title: fileOf(card, words) }));
  const more = el("div", "tm-scenario-more", null, { id: about });
  more.append(
    el("p", "tm-scenario-summary", card.summary),
    el("p", "tm-scenario-teaches", card.teaches.map((tag) => tagName(tag, words)).join(" · ")),
  );
  const foot = el("div", "tm-scenario-foot");
  const left = el("span", "tm-proofs");
  if (when || card.minutes) {
    const minutes = el("span", "tm-minutes", when || say(words.minutes, { minutes: card.minutes }));
    minutes.prepend(icon("clock"));
    left.append(minutes);
  }
  left.append(...card.proofs.map(proof));
  foot.append(left, state(seen, words));
  text.append(more, foot);
  node.setAttribute("aria-describedby", about);
  node.append(card.picture ? smallPlane(card.picture) : el("div", "tm-picture"), text);
  node.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    // Without a step it begins with what it is about.
    open({ scenario: card.name, ...(seen && progress(seen) === "begun" ? { step: seen.step } : {}) });
  });
  return node;
}
