// The ways from the library to the Author page: something new, a copy of a scenario, or the file itself.
import { el } from "../player/base/dom.js";
import { say } from "../player/base/format.js";
import { icon } from "../player/base/icons.js";

/** A link to the Author page at `place` (its address, by name); `open` takes {author: place} and stays in this tab. */
function authorLink(className, place, open) {
  const link = el("a", className, null, { href: `/author?${new URLSearchParams(place)}` });
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open({ author: place });
  });
  return link;
}

/** Something new. */
export function newScenario({ words }, open) {
  const link = authorLink("tm-new-scenario", { new: "1" }, open);
  link.append(icon("plus"), words.ways.new);
  return link;
}

/** Edits the card's own file where there is a folder to save into, else a copy of it. */
export function editLink(card, words, open) {
  const link = authorLink("tm-card-edit", card.edit, open);
  const name = say(card.edit.file ? words.ways.edit_of : words.ways.copy_of, { title: card.title });
  link.setAttribute("aria-label", name);
  link.title = name;
  link.append(icon("pencil"));
  return link;
}

/** Mends a file that cannot be run. */
export function fixLink(name, words, open) {
  const link = authorLink("tm-fix", { file: name }, open);
  link.append(icon("pencil"), words.ways.fix);
  return link;
}
