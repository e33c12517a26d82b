// The other drafts of this browser, to go back to or to throw away.
import { el } from "../player/base/dom.ts";
import { say } from "../player/base/format.ts";
import { iconButton } from "./buttons.ts";
import { allDrafts, removeDraft } from "./drafts.ts";
import { keptDraft, nameIn, titleIn } from "./history.ts";
import type { Author } from "./author.ts";

const MOST_NAME = 40;

/** A list of them, the one last edited first; null for none. An untouched copy is no draft. */
export function earlierDrafts(author: Author) {
  const { words } = author;
  const drafts = allDrafts().filter((each) => each.at !== null && each.id !== author.history?.id);
  if (!drafts.length) return null;
  const list = el("ul", "tm-au-earlier");
  for (const { id, text, at } of drafts) {
    const name = `${(titleIn(text) ?? nameIn(text) ?? words.head.unnamed).slice(0, MOST_NAME)}`;
    const open = el("button", "tm-button tm-plain", `${name} · ${new Date(at ?? 0).toLocaleString()}`, {
      type: "button",
    });
    open.addEventListener("click", () => {
      const kept = keptDraft(id);
      if (kept) author.opening.open(kept);
      author.doors.close();
    });
    const item = el("li");
    const remove = iconButton("remove", say(words.doors.throw_away, { name }), () => {
      removeDraft(id);
      item.remove();
    });
    item.append(open, remove);
    list.append(item);
  }
  return list;
}
