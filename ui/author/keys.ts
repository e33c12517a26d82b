// The keys of the Author page that work wherever the focus is: undo, redo, save, preview.
import { nearest } from "../player/base/dom.ts";
import type { Author } from "./author.ts";

/** Listens to the keys of the window on behalf of `author`; returns a function that stops listening. */
export function listenKeys(author: Author) {
  const onKey = (event: KeyboardEvent) => {
    if (!author.history || author.doors.node.open || !author.root.isConnected) return;
    const act = commandOf(author, event);
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  window.addEventListener("keydown", onKey);
  return () => window.removeEventListener("keydown", onKey);
}

/** What the key asks for; null where it is none of ours. */
function commandOf(author: Author, event: KeyboardEvent) {
  const field = nearest(event, "input, textarea, select");
  const key = event.key.toLowerCase();
  if (event.ctrlKey || event.metaKey) {
    if (key === "s") return () => author.saving.save();
    // A field has an undo of its own, and there it is the right one. A slider has none.
    if (event.altKey || (field && field !== author.pane.field && !field.classList.contains("tm-au-range"))) return null;
    if (key === "z") return () => (event.shiftKey ? author.redo() : author.undo());
    return key === "y" ? () => author.redo() : null;
  }
  const typing = field || nearest(event, "[role=grid]");
  return key === "p" && !event.altKey && !typing ? () => author.doors.preview() : null;
}
