"""What the tests of a site ask of its page, or change in it."""

COUNTED = """(() => {
  globalThis.workers = 0;
  globalThis.stops = 0;
  globalThis.dies = false;
  const Real = Worker;
  globalThis.Worker = class extends Real {
    constructor(...how) {
      super(...how);
      workers += 1;
      this.addEventListener("message", ({ data }) => data.stopped && (stops += 1));
    }
    postMessage(...said) {
      super.postMessage(...said);
      if (!dies) return;
      dies = false;
      queueMicrotask(() => this.dispatchEvent(new ErrorEvent("error", { message: "out of memory" })));
    }
  };
})()"""
"""Counts the workers and the questions that they stopped at; if ``dies``, the next question kills the one asked."""

KEPT = """async () => {
  const [name] = await caches.keys();
  const kept = name ? (await (await caches.open(name)).keys()).map((each) => each.url) : [];
  return ["wasm", "code-", "stdlib", "late-and-dropped-en"].every((part) => kept.some((url) => url.includes(part)));
}"""

PICKS = """async () => {
  const picked = await (await navigator.storage.getDirectory()).getDirectoryHandle("course", { create: true });
  globalThis.showDirectoryPicker = async () => picked;
}"""
"""A folder that the browser has by itself stands in for one that the reader picks."""

SAVED = """async () => {
  const folder = await globalThis.showDirectoryPicker();
  return (await (await folder.getFileHandle("mine.yaml")).getFile()).text();
}"""

WAITS = "async () => Boolean((await navigator.serviceWorker.getRegistration())?.waiting)"
"""Everything of a newer version is kept, beside the older one that the page belongs to."""

INSIDE = """() => [...document.querySelectorAll(".tm-title-pictures li")].map((item) => {
  const [around, picture] = [item, item.querySelector("svg")].map((node) => node.getBoundingClientRect());
  const filled = getComputedStyle(item.querySelector("circle")).fill !== "none";
  return picture.width <= around.width && picture.height < around.height && filled;
})"""
"""Whether each small picture lies on its card, and has its records."""

ANSWERED = """(kept) => localStorage.setItem("tidemark.inventory", JSON.stringify(kept))"""
VERSIONS = "async () => (await caches.keys()).length"
