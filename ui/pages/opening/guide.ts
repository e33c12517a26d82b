// The guide without Streamlit: its header unfolds, and each figure becomes the player when the reader comes near.
//
// The player is the small view in a frame, as in any course page (docs/users/EMBEDDING.md), laid over the picture once
// it says that it is ready. A frame takes as much memory as a page, so only the last few stay; the others are pictures
// again.
import { wireDoors } from "../doors.ts";

const MOST_LIVE = 3;

/** How far (px) below the window a figure is when its player begins. */
const NEAR = "400px 0px";

const live: HTMLElement[] = [];

const header = document.getElementById("tidemark-header");
if (header) wireDoors(header);

function begin(stage: HTMLElement) {
  const place = live.indexOf(stage);
  if (place >= 0) live.splice(place, 1);
  else {
    const frame = document.createElement("iframe");
    frame.src = stage.dataset.live ?? "";
    frame.title = stage.dataset.title ?? "";
    stage.append(frame);
  }
  live.push(stage);
  if (live.length > MOST_LIVE) end(live.shift());
}

function end(stage?: HTMLElement) {
  stage?.classList.remove("g-ready");
  stage?.querySelector("iframe")?.remove();
}

window.addEventListener("message", ({ source, data }) => {
  if (data?.source !== "tidemark" || data.kind !== "ready") return;
  for (const stage of live) {
    if (stage.querySelector("iframe")?.contentWindow === source) stage.classList.add("g-ready");
  }
});

const { connection } = navigator as { connection?: { saveData?: boolean } };
if (!connection?.saveData) {
  document.documentElement.classList.add("g-live");
  const watch = new IntersectionObserver(
    (seen) => {
      for (const { isIntersecting, target } of seen) if (isIntersecting) begin(target as HTMLElement);
    },
    { rootMargin: NEAR },
  );
  for (const stage of document.querySelectorAll("[data-live]")) watch.observe(stage);
}
