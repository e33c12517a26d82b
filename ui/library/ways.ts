// The ways from the library to the Author page: something new, a copy of a scenario, or the file itself.
import { el } from "../player/base/dom.ts";
import { say } from "../player/base/format.ts";
import { icon } from "../player/base/icons.ts";
import { wayTo } from "./students.ts";
import type { LibraryWords } from "#types/words";
import type { AuthorPlace, Card, LibraryData, Open, Opened, TakenLesson } from "./types.ts";

/** A link to the Author page at `place`; `open` stays in this tab. */
function authorLink(className: string, place: AuthorPlace, open: Open) {
  const link = el("a", className, null, { href: `./author?${new URLSearchParams(place)}` });
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open({ author: place });
  });
  return link;
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
  const link = el("a", "tm-order-link", null, { href: "./lessons" });
  link.append(icon("pencil"), words.files.order);
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || !globalThis.tidemarkPlaces) return;
    event.preventDefault();
    globalThis.tidemarkPlaces.open("./lessons");
  });
  return link;
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
    const link = el("a", "", complaint, { href: `./symptoms?${new URLSearchParams({ symptom: id })}` });
    link.prepend(icon("flag"));
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      open({ symptom: id });
    });
    node.append(link);
  }
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
  if ("author" in place) return `./author?${new URLSearchParams(place.author)}`;
  if ("symptom" in place) return `./symptoms?${new URLSearchParams(place)}`;
  const parts = Object.entries(place).map(([name, value]) => [name, String(value)]);
  return `./?${new URLSearchParams(parts)}`;
}
