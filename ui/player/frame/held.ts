// What a button does, said while a finger rests on it: nothing can be hovered over on a touch screen.
import { el } from "../base/dom.ts";

/** How long (ms) a finger rests on a button until that is a question. */
const HOLD_MS = 450;

/** How long (ms) the answer stays once the finger is lifted. */
const READ_MS = 1800;

/** Buttons that show an icon, or less than their name. */
const NAMED = "button[title], button[aria-label]";

/** A button within `root` that a finger rests on says its name, and then does nothing. */
export function sayWhatIsHeld(root: HTMLElement) {
  const said = el("div", "tm-held", "", { "aria-hidden": "true" });
  said.hidden = true;
  let resting: ReturnType<typeof setTimeout> | undefined;
  let leaving: ReturnType<typeof setTimeout> | undefined;
  let held = false;

  const show = (button: Element) => {
    held = true;
    said.textContent = button.getAttribute("title") || button.getAttribute("aria-label");
    said.hidden = false;
    root.append(said);
    const at = button.getBoundingClientRect();
    const { width, height } = said.getBoundingClientRect();
    const left = Math.min(Math.max(at.left + (at.width - width) / 2, 8), innerWidth - width - 8);
    const above = at.top - height - 8;
    said.style.left = `${left}px`;
    said.style.top = `${above < 48 ? at.bottom + 8 : above}px`;
  };
  const lift = () => {
    clearTimeout(resting);
    if (said.hidden) return;
    clearTimeout(leaving);
    leaving = setTimeout(() => {
      said.hidden = true;
    }, READ_MS);
  };

  root.addEventListener("pointerdown", (event) => {
    clearTimeout(resting);
    clearTimeout(leaving);
    said.hidden = true;
    held = false;
    const button = event.target instanceof Element ? event.target.closest(NAMED) : null;
    if (event.pointerType === "touch" && button) resting = setTimeout(show, HOLD_MS, button);
  });
  for (const end of ["pointerup", "pointercancel"]) root.addEventListener(end, lift);
  root.addEventListener("contextmenu", (event) => {
    if (held) event.preventDefault();
  });
  root.addEventListener(
    "click",
    (event) => {
      if (!held) return;
      held = false;
      event.preventDefault();
      event.stopPropagation();
    },
    true,
  );
}
