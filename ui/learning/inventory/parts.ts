// What the views of the inventory are made of: their frame, buttons and links.
import { el } from "../../player/base/dom.ts";

/** The frame of every view. */
export function viewNode(kind: string) {
  return el("main", `tidemark-inventory tm-inv-${kind}`, null, { "data-ready": "false" });
}

export function inventoryButton(text: string, run: () => void, look = "") {
  const button = el("button", `tm-inv-button ${look}`.trim(), text, { type: "button" });
  button.addEventListener("click", run);
  return button;
}

/** A link to another page of the app, in this tab. */
export function pageLink(text: string, href: string, look = "tm-inv-link") {
  const link = el("a", look, text, { href });
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || !globalThis.tidemarkPlaces) return;
    event.preventDefault();
    globalThis.tidemarkPlaces.open(href);
  });
  return link;
}
