// One scenario as a card: its plane in small, its name, its length, what is proved, how far the reader came.
import { linkTo, opensHere } from "../player/base/address.ts";
import { el, fill, icon } from "../player/base/dom.ts";
import { say } from "../player/base/format.ts";
import { keepVisit, keptVisit, nothingKept } from "../player/base/kept.ts";
import { smallPlane } from "../player/base/small.ts";
import { wayTo } from "./students.ts";
import type { AuthorPlace, Card, LibraryData, Open, Opened, Proof, Seen, TakenLesson } from "./types.ts";
import type { LibraryWords } from "#types/words";

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

/**
 * The card, a link to the walkthrough. `when` stands in its foot; `asks`: its title is what it asks, and its name is
 * the small line.
 */
export function cardNode(
  card: Card,
  {
    words,
    seen,
    when,
    asks = false,
    saving,
    open,
  }: {
    words: LibraryWords;
    seen: Seen | undefined;
    when: string | undefined;
    asks?: boolean;
    saving: boolean;
    open: Open;
  },
) {
  const node = el("a", "tm-scenario", null, {
    href: linkTo("", { scenario: card.name }),
    "data-scenario": card.name,
  });
  const about = `about-${card.name}`;
  const tags = [card.number, words.levels[card.level]?.toLowerCase()].filter(Boolean).join(" · ");
  const title = asks && card.question;
  const text = fill(el("div", "tm-scenario-text"), el("h4", "", title || card.title));
  if (title) text.append(el("p", "tm-scenario-name", card.title));
  text.append(el("p", "tm-scenario-tags", tags));
  if (card.question && !title) text.append(el("p", "tm-scenario-question", card.question));
  if (saving) text.append(el("p", "tm-scenario-file", fileOf(card, words), { title: fileOf(card, words) }));
  const more = el("div", "tm-scenario-more", null, { id: about });
  more.append(
    el("p", "tm-scenario-summary", card.summary),
    el("p", "tm-scenario-teaches", card.teaches.map((tag) => tagName(tag, words)).join(" · ")),
  );
  const left = el("span", "tm-proofs");
  if (when || card.minutes) {
    const minutes = el("span", "tm-minutes", when || say(words.minutes, { minutes: card.minutes }));
    minutes.prepend(icon("clock"));
    left.append(minutes);
  }
  left.append(...card.proofs.map(proof));
  text.append(more, fill(el("div", "tm-scenario-foot"), left, state(seen, words)));
  node.setAttribute("aria-describedby", about);
  node.append(card.picture ? smallPlane(card.picture) : el("div", "tm-picture"), text);
  // Without a step it begins with what it is about.
  const step = seen && progress(seen) === "begun" ? { step: seen.step } : {};
  return opensHere(node, () => open({ scenario: card.name, ...step }));
}

// The ways from the library to the Author page: something new, a copy of a scenario, or the file itself.

/** A link to the Author page at `place`; `open` stays in this tab. */
function authorLink(className: string, place: AuthorPlace, open: Open) {
  const link = el("a", className, null, { href: addressOfPlace({ author: place }) });
  return opensHere(link, () => open({ author: place }));
}

/** A link to the scene of the first visit that was left, or to the first one; null for a library without a visit. */
export function visitDoor({ words, visit }: LibraryData) {
  if (!visit) return null;
  const { scene, finished } = keptVisit();
  const left = finished ? -1 : visit.indexOf(scene);
  const place = { number: left + 1, count: visit.length };
  const text = finished ? words.visit.again : left > 0 ? say(words.visit.continue, place) : words.visit.take;
  const href = linkTo("", { scenario: visit[Math.max(left, 0)], visit: "1" });
  const link = fill(el("a", "tm-inventory-entry tm-visit-entry", null, { href }), icon("play"), text);
  if (finished) link.addEventListener("click", () => keepVisit(nothingKept()));
  return opensHere(link);
}

/** A link to an empty draft. */
export function newScenario({ words }: LibraryData, open: Open) {
  const link = authorLink("tm-new-scenario", { new: "1" }, open);
  link.append(icon("plus"), words.ways.new);
  return link;
}

/** A link to the page that orders lessons and lecture; null where it cannot save them. */
export function orderLink({ words, ordering }: LibraryData) {
  if (!ordering) return null;
  return pageLink("tm-order-link", "./lessons", "pencil", words.files.order);
}

/** A link to another page of the app. */
export function pageLink(className: string, href: string, picture: string, text: string) {
  const link = fill(el("a", className, null, { href }), icon(picture), text);
  return opensHere(link);
}

/** Edits the card's own file where there is a folder to save into, else a copy of it. */
export function editLink(card: Card, words: LibraryWords, open: Open) {
  const link = authorLink("tm-card-edit", card.edit, open);
  const name = say("file" in card.edit ? words.ways.edit_of : words.ways.copy_of, { title: card.title });
  link.setAttribute("aria-label", name);
  link.title = name;
  link.append(icon("pencil"));
  return link;
}

/** Renames, duplicates or deletes the card's file on the Author page; null where it cannot be saved. */
export function fileLink(card: Card, words: LibraryWords, open: Open) {
  if (!("file" in card.edit)) return null;
  const link = authorLink("tm-card-edit tm-card-file", { file: card.edit.file, manage: "1" }, open);
  link.textContent = "…";
  link.title = say(words.files.manage, { file: card.file });
  link.setAttribute("aria-label", link.title);
  return link;
}

/** Fixes a file that cannot be run. */
export function fixLink(name: string, words: LibraryWords, open: Open) {
  const link = authorLink("tm-fix", { file: name }, open);
  link.append(icon("pencil"), words.ways.fix);
  return link;
}

/** The checklists of complaints, each a link to its place on the page Symptoms. */
export function symptomLinks(symptoms: { id: string; complaint: string }[], words: LibraryWords, open: Open) {
  const node = el("p", "tm-symptom-links", words.ways.checklists);
  for (const { id, complaint } of symptoms) {
    const link = el("a", "", complaint, { href: addressOfPlace({ symptom: id }) });
    link.prepend(icon("flag"));
    node.append(opensHere(link, () => open({ symptom: id })));
  }
  return node;
}

/** The terms that a search may mean, each with its sentence; the glossary of the player has them all. */
export function termList(terms: LibraryData["glossary"], { words, cards: [first] }: LibraryData) {
  const node = el("dl", "tm-term-list", null, { "aria-label": words.ways.terms });
  for (const { names, about } of terms) node.append(el("dt", "", names.split("|")[0]), el("dd", "", about));
  // Beside a scenario that it names: an address without one would be a scene of the first visit.
  const all = el("a", "", words.ways.glossary, { href: linkTo("", { scenario: first.name, open: "glossary" }) });
  node.append(fill(el("dd", "tm-quiet"), opensHere(all)));
  return node;
}

/**
 * Downloads a lesson as a package for an LMS, in the language of the page. What cannot be packed is said there.
 * @param make makes it; null where it has an address
 */
export function packageLink(lesson: string, { start }: LibraryWords, make: ((asked: TakenLesson) => void) | null) {
  const link = wayTo({ lesson, as: "zip", student: false }, "download", start.package, make);
  link.title = start.package_about;
  return link;
}

/** The address that opens a place from the library. */
export function addressOfPlace(place: Opened) {
  if ("author" in place) return linkTo("author", place.author);
  if ("symptom" in place) return linkTo("symptoms", place);
  return linkTo(
    "",
    Object.entries(place).map(([name, value]) => [name, String(value)]),
  );
}
