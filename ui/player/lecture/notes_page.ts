// The second window as a page of the app: mounted by ui/pages/walkthrough.py.
import { el } from "../base/dom.ts";
import { NotesWindow, notesInAddress } from "./notes.ts";
import type { Mounting } from "../types/player.ts";
import type { NotesWords } from "../types/lecture.ts";

const NOTES_PAGES: WeakMap<HTMLElement, NotesWindow> = new WeakMap();

/** Streamlit calls this at each run of the page. */
export default function mount({ data, parentElement }: Mounting<{ words: NotesWords }>) {
  const page = NOTES_PAGES.get(parentElement) ?? opened(parentElement, data.words);
  return () => {
    page.close();
    NOTES_PAGES.delete(parentElement);
  };
}

function opened(parent: HTMLElement, words: NotesWords) {
  const host = el("div", "tm-host");
  parent.append(host);
  const page = new NotesWindow(host, notesInAddress() ?? "", words);
  NOTES_PAGES.set(parent, page);
  return page;
}
