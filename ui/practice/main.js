// Mounts the practice, and hands it what the server says.
import { el } from "../player/base/dom.js";
import { PracticePage } from "./page.js";
/** @import { Mounting } from "../player/types/player.d.ts" */
/** @import { PracticeData, Question } from "./types.d.ts" */

/** @type {WeakMap<HTMLElement, PracticePage>} */
const PRACTICES = new WeakMap();

/**
 * Streamlit calls this at each run of the page, and after each question.
 * @param {Mounting<PracticeData, { ask: Question & { number: number } }>} mounting
 */
export default function mount({ data, parentElement, setTriggerValue }) {
  let page = PRACTICES.get(parentElement);
  if (!page) {
    const host = el("div", "tm-host");
    parentElement.append(host);
    page = new PracticePage(host, data.first);
    PRACTICES.set(parentElement, page);
  }
  page.asking.post = (question) => setTriggerValue("ask", question);
  page.speak(data.first);
  page.asking.hear(JSON.parse(data.told));
  page.open();
  const shown = page;
  return () => {
    shown.close();
    PRACTICES.delete(parentElement);
  };
}
