// The second window as a page of the app: mounted by ui/lecture/component.py.
import { el } from "../base/dom.js";
import { NotesWindow, notesInAddress } from "./notes.js";
/** @import { Mounting } from "../types/player.d.ts" */
/** @import { PlayerWords } from "../types/words.d.ts" */

const NOTES_PAGES = new WeakMap();

/**
 * Streamlit calls this at each run of the page.
 * @param {Mounting<{ words: PlayerWords }>} mounting
 */
export default function mount({ data, parentElement }) {
  let page = NOTES_PAGES.get(parentElement);
  if (!page) {
    const host = el("div", "tm-host");
    parentElement.append(host);
    NOTES_PAGES.set(parentElement, (page = new NotesWindow(host, notesInAddress(), data.words)));
  }
  return () => {
    page.close();
    NOTES_PAGES.delete(parentElement);
  };
}
