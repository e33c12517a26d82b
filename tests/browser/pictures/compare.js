// Drives a comparison for the check: mounts it, moves its cursor, lays one plane over the other, and looks.
/* global COMPARISONS, mount, bytesOf, framesDrawn */
let closeMounted;

/** The comparison, once it is drawn. */
async function comparison() {
  const until = performance.now() + 60_000;
  while (performance.now() < until) {
    await framesDrawn(1);
    const view = COMPARISONS.get(document.getElementById("player"))?.view;
    if (view?.root.dataset.ready === "true") return view;
  }
  throw new Error("the comparison is not drawn");
}

globalThis.tidemarkMount = async (packed) => {
  const parentElement = document.getElementById("player");
  closeMounted?.();
  parentElement.replaceChildren();
  window.history.replaceState(null, "", "/");
  closeMounted = mount({ data: bytesOf(packed), parentElement, setTriggerValue() {} });
  await comparison();
};

globalThis.tidemarkAt = async (place, aspect) => {
  const view = await comparison();
  const overlay = aspect === "overlay";
  if (view.overlay !== overlay) {
    view.lay(overlay);
    await framesDrawn();
  }
  view.place = place;
  view.paint();
  return { step: place, aspect, ...globalThis.tidemarkLook() };
};
