// The header comes with a page and stays. Its switch between languages makes way for the one that Streamlit draws; its
// links, and those that come after it, carry what is open from the first moment on.
import { wireDoors } from "../doors.ts";
import { carryPlaces } from "../place.ts";

/** How long (ms) to wait for Streamlit. */
const PATIENCE = 20_000;

const SWITCH = ".st-key-tidemark_language .tm-languages";

const header = document.getElementById("tidemark-header");
if (header) {
  wireDoors(header);
  makeWay(header.querySelector(".tm-early-languages"));
}
carryPlaces();

function makeWay(early: Element | null) {
  if (!early) return;
  const watch = new MutationObserver(() => {
    if (document.querySelector(SWITCH)) end();
  });
  const end = () => {
    watch.disconnect();
    early.remove();
  };
  watch.observe(document.body, { childList: true, subtree: true });
  setTimeout(end, PATIENCE);
  for (const button of early.querySelectorAll("button")) {
    button.addEventListener("click", () => {
      const url = new URL(window.location.href);
      url.searchParams.set("lang", button.dataset.language ?? "");
      window.location.assign(url);
    });
  }
}
