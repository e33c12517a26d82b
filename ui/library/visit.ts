// The doors to the first visit, which goes on where it was left, to the questions around it, and to the exercises.
import { el } from "../player/base/dom.ts";
import { say } from "../player/base/format.ts";
import { icon } from "../player/base/icons.ts";
import { keepVisit, keptVisit, nothingKept } from "../player/base/kept_visit.ts";
import type { LibraryData } from "./types.ts";

/** A link to the scene that was left, or to the first one; null for a library without a visit. */
export function visitDoor({ words, visit }: LibraryData) {
  if (!visit) return null;
  const { scene, finished } = keptVisit();
  const left = finished ? -1 : visit.indexOf(scene);
  const place = { number: left + 1, count: visit.length };
  const text = finished ? words.visit.again : left > 0 ? say(words.visit.continue, place) : words.visit.take;
  const address = `./?${new URLSearchParams({ scenario: visit[Math.max(left, 0)], visit: "1" })}`;
  const link = el("a", "tm-new-scenario tm-visit-entry", null, { href: address });
  link.append(icon("play"), text);
  link.addEventListener("click", (event) => {
    if (finished) keepVisit(nothingKept());
    if (event.ctrlKey || event.metaKey || event.shiftKey || !globalThis.tidemarkPlaces) return;
    event.preventDefault();
    globalThis.tidemarkPlaces.open(address);
  });
  return link;
}

/** Links to the questions that show what has been learned, and to the exercises. */
export function learningDoors({ words }: LibraryData) {
  return [door("./inventory", "check", words.inventory), door("./practice", "undo", words.practice)];
}

function door(address: string, picture: string, text: string) {
  const link = el("a", "tm-inventory-entry", null, { href: address });
  link.append(icon(picture), text);
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || !globalThis.tidemarkPlaces) return;
    event.preventDefault();
    globalThis.tidemarkPlaces.open(address);
  });
  return link;
}
