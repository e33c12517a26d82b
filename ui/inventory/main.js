// Mounts the inventory, and hands it what the server says.
import { el } from "../player/base/dom.js";
import { InventoryPage } from "./page.js";
/** @import { Mounting } from "../player/types/player.d.ts" */
/** @import { InventoryData, Question } from "./types.d.ts" */

/** @type {WeakMap<HTMLElement, InventoryPage>} */
const INVENTORIES = new WeakMap();

/**
 * Streamlit calls this at each run of the page, and after each question.
 * @param {Mounting<InventoryData, { ask: Question & { number: number } }>} mounting
 */
export default function mount({ data, parentElement, setTriggerValue }) {
  let page = INVENTORIES.get(parentElement);
  if (!page) {
    const host = el("div", "tm-host");
    parentElement.append(host);
    page = new InventoryPage(host, data.first);
    INVENTORIES.set(parentElement, page);
  }
  page.asking.post = (question) => setTriggerValue("ask", question);
  page.speak(data.first);
  page.asking.hear(JSON.parse(data.told));
  page.open();
  const shown = page;
  return () => {
    shown.close();
    INVENTORIES.delete(parentElement);
  };
}
