// The second window as a page of the app: mounted by ui/pages/walkthrough.py.
import { el } from "../base/dom.js";
import { NotesWindow, notesInAddress } from "./notes.js";
/** @import { Mounting } from "../types/player.d.ts" */
/** @import { NotesWords } from "../types/lecture.d.ts" */

/** @type {WeakMap<HTMLElement, NotesWindow>} */
const NOTES_PAGES = new WeakMap();

/**
 * Streamlit calls this at each run of the page.
 * @param {Mounting<{ words: NotesWords }>} mounting
 */
export default function mount({ data, parentElement }) {
  const page = NOTES_PAGES.get(parentElement) ?? opened(parentElement, data.words);
  return () => {
    page.close();
    NOTES_PAGES.delete(parentElement);
  };
}

/**
 * @param {HTMLElement} parent
 * @param {NotesWords} words
 */
function opened(parent, words) {
  const host = el("div", "tm-host");
  parent.append(host);
  const page = new NotesWindow(host, notesInAddress() ?? "", words);
  NOTES_PAGES.set(parent, page);
  return page;
}
