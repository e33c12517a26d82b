// The header that comes with a page makes way for Streamlit's own, part by part, as soon as each is there. Its links,
// and those that come after it, carry what is open from the first moment on.
import { carryPlaces } from "../place.ts";

/** How long (ms) to wait for Streamlit. */
const HEADER_PATIENCE = 20_000;

/** A part of the early header, and what Streamlit draws in its place. */
const PLACES = {
  ".tm-early-logo": '[data-testid="stHeaderLogo"]',
  ".tm-early-links": '[data-testid="stTopNavLink"], [data-testid="stExpandSidebarButton"]',
  ".tm-early-languages": ".st-key-tidemark_language .tm-languages",
};

const early = document.getElementById("tidemark-header");
if (early) makeWay(early);
carryPlaces();

function makeWay(header: HTMLElement) {
  const watch = new MutationObserver(() => {
    for (const [part, drawn] of Object.entries(PLACES)) {
      const node = header.querySelector(part);
      if (!node || !document.querySelector(drawn)) continue;
      node.remove();
      header.classList.add("tm-early-part");
    }
    if (header.childElementCount === 0) end();
  });
  const end = () => {
    watch.disconnect();
    header.remove();
  };
  watch.observe(document.body, { childList: true, subtree: true });
  setTimeout(end, HEADER_PATIENCE);
  for (const button of header.querySelectorAll("button")) {
    button.addEventListener("click", () => {
      const url = new URL(window.location.href);
      url.searchParams.set("lang", button.dataset.language ?? "");
      window.location.assign(url);
    });
  }
}
