// What frames the beats: the summary and what to look for before the first step, what it showed after the last.
import { el } from "../player/base/dom.ts";
import type { AuthorWords } from "#types/words";
import type { StoryTexts } from "./draft.ts";

const TEXTS: (keyof StoryTexts)[] = ["summary", "look_for", "takeaway"];

/** The first or the last entry of the list of beats. */
export function framingEntry(
  words: AuthorWords["story"],
  place: "before" | "after",
  texts: string[],
  edit: () => void,
) {
  const item = el("li");
  const body = el("div", "tm-au-finding");
  body.append(el("b", "", words.frames[place]));
  const written = texts.filter(Boolean);
  for (const text of written) body.append(el("p", "tm-au-beat-text", text));
  if (!written.length) body.append(el("p", "tm-quiet", words.frames.nothing));
  const button = el("button", "tm-button tm-plain", words.edit, {
    type: "button",
    "aria-label": `${words.edit}: ${words.frames[place]}`,
  });
  button.addEventListener("click", edit);
  item.append(body, button);
  return item;
}

/** The form of all of them; it writes what is typed into `draft`. */
export function framingForm(words: AuthorWords["story"], draft: StoryTexts, save: () => void, leave: () => void) {
  const form = el("form", "tm-au-form");
  const fields = el("div", "tm-au-form-fields");
  for (const name of TEXTS) {
    const row = el("label", "tm-au-form-row");
    const area = el("textarea", "", null, { rows: 2, "data-field": name });
    area.value = draft[name];
    area.addEventListener("input", () => {
      draft[name] = area.value;
    });
    row.append(el("span", "", words.fields[name]), area);
    fields.append(row);
  }
  const foot = el("div", "tm-au-door-row");
  const done = el("button", "tm-button tm-strong-button", words.done, { type: "submit" });
  const cancel = el("button", "tm-button", words.cancel, { type: "button" });
  cancel.addEventListener("click", leave);
  foot.append(done, cancel);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    save();
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape") leave();
    event.stopPropagation();
  });
  form.append(fields, foot);
  return form;
}
