// Mounts the page Lessons, and hands it what the server says.
import { el } from "../player/base/dom.js";
import { OrderingPage } from "./page.js";
/** @import { Mounting } from "../player/types/player.d.ts" */
/** @import { First, Question, Reply } from "./types.d.ts" */

/** @type {WeakMap<HTMLElement, OrderingPage>} */
const ORDERINGS = new WeakMap();

/**
 * Streamlit calls this at each run of the page, and after each question.
 * @param {Mounting<{ first: First, told: Reply | null }, { ask: Question }>} mounting
 */
export default function mount({ data, parentElement, setTriggerValue }) {
  let page = ORDERINGS.get(parentElement);
  if (!page) {
    const host = el("div", "tm-host");
    parentElement.append(host);
    page = new OrderingPage(host, data.first, (question) => setTriggerValue("ask", question));
    ORDERINGS.set(parentElement, page);
  }
  page.hear(data.told);
  return () => {
    ORDERINGS.delete(parentElement);
  };
}
