// How large everything is on a projector: what a desk shows in 12 px has 20 px on a screen of 1280 x 720, and grows
// with it.

/** By how much the picture is larger than on a desk, on a screen of 1280 x 720: its smallest text then has 20 px. */
export const LARGER = 1.67;

const FULL_SCREEN = { wide: 1280, high: 720 };
const SMALLEST_SCREEN = 0.75;

/** How much larger than on a screen of 1280 x 720 everything is drawn. */
export function projectorScale() {
  const { innerWidth, innerHeight } = window;
  return Math.max(SMALLEST_SCREEN, Math.min(innerWidth / FULL_SCREEN.wide, innerHeight / FULL_SCREEN.high));
}

/** What the root of the document is called while something is presented. */
export const PRESENTING = "tm-presenting";

/** Asks the browser for the whole screen, which it grants only to a click or a key; resolves to whether it did. */
export async function wholeScreen() {
  if (!document.fullscreenEnabled) return false;
  return document.documentElement.requestFullscreen().then(
    () => true,
    () => false,
  );
}
