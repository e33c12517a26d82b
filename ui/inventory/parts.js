// What the views of the inventory are made of: their frame, buttons and links.
import { el } from "../player/base/dom.js";

/**
 * The frame of every view.
 * @param {string} kind
 */
export function viewNode(kind) {
  return el("main", `tidemark-inventory tm-inv-${kind}`, null, { "data-ready": "false" });
}

/**
 * @param {string} text
 * @param {() => void} run
 * @param {string} [look]
 */
export function inventoryButton(text, run, look = "") {
  const button = el("button", `tm-inv-button ${look}`.trim(), text, { type: "button" });
  button.addEventListener("click", run);
  return button;
}

/**
 * A link to another page of the app, in this tab.
 * @param {string} text
 * @param {string} href
 * @param {string} [look]
 */
export function pageLink(text, href, look = "tm-inv-link") {
  const link = el("a", look, text, { href });
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || !globalThis.tidemarkPlaces) return;
    event.preventDefault();
    globalThis.tidemarkPlaces.open(href);
  });
  return link;
}
