// The player before Streamlit: a link to a scenario is read at once, from the facts that its page brings
// (ui/pages/opening/server.py). When Streamlit mounts its component with the same facts, it takes this player over
// (main.ts).
import { pageHere } from "./base/address.ts";
import { el } from "./base/dom.ts";
import { unpack } from "./base/facts.ts";
import { Player } from "./player.ts";
import type { OpenedPlace } from "./types/player.ts";

/** If Streamlit shows something else instead, this goes after so many ms. */
const OPENING_PATIENCE = 20_000;

const openingPlace = document.getElementById("tidemark-opening");
const openingFacts = document.getElementById("tidemark-facts");
const openingLecture = document.getElementById("tidemark-lecture");
if (openingPlace && openingFacts) showOpening(openingPlace, openingFacts);

function showOpening(place: HTMLElement, text: HTMLElement) {
  globalThis.tidemarkLecture ??= JSON.parse(openingLecture?.textContent ?? "null");
  const bytes = Uint8Array.from(atob(text.textContent ?? ""), (sign) => sign.charCodeAt(0));
  text.remove();
  const host = el("div", "tm-host");
  place.append(host);
  /** what was chosen before somebody could be told */
  const waiting: OpenedPlace[] = [];
  let tell: ((place: OpenedPlace) => void) | null = null;
  let player: Player | null = null;
  const end = () => {
    globalThis.tidemarkOpening = undefined;
    window.removeEventListener("popstate", elsewhere);
    place.remove();
    // From here on Streamlit has the styles of each page, as long as that page is shown.
    document.getElementById("tidemark-opening-style")?.remove();
  };
  const close = () => {
    player?.close();
    end();
  };
  const patience = setTimeout(close, OPENING_PATIENCE);
  // A reader who goes on before Streamlit has mounted anything here is not followed.
  const elsewhere = () => {
    if (pageHere() !== "") globalThis.tidemarkOpening?.close();
  };
  window.addEventListener("popstate", elsewhere);
  const pressed = pressedIn(host);
  globalThis.tidemarkOpening = {
    bytes,
    take(parent, open) {
      clearTimeout(patience);
      if (!player) {
        close();
        return null;
      }
      const { top } = host.getBoundingClientRect();
      tell = open;
      for (const each of waiting.splice(0)) tell(each);
      const target = pressed();
      move(host, parent);
      if (target) clickWhenReleased(target);
      const scroller = parent.closest('[data-testid="stMain"]');
      // It stays where it is on the screen: the two pages do not leave the same room for the header.
      if (scroller) scroller.scrollTop += host.getBoundingClientRect().top - top;
      player.narrow.moved();
      end();
      return { host, player };
    },
    close() {
      player?.remember();
      clearTimeout(patience);
      close();
    },
  };
  unpack(bytes).then((payload) => {
    if (!place.isConnected) return;
    const open = (there: OpenedPlace) => (tell ? tell(there) : waiting.push(there));
    player = new Player(host, payload, open, { packed: bytes });
    player.start();
  });
}

/**
 * Moves `node` to the end of `parent` with its focus and an open dialog, and where the browser can with all its state.
 */
function move(node: HTMLElement, parent: HTMLElement & { moveBefore?: (node: Node, before: Node | null) => void }) {
  // Streamlit mounts into a place that it has taken out of the page already if the reader has gone on meanwhile; to
  // move a node out of the page with its state is refused.
  if (parent.moveBefore && parent.isConnected && node.isConnected) {
    parent.moveBefore(node, null);
    return;
  }
  const focused = document.activeElement;
  const dialogs = [...node.querySelectorAll("dialog")].filter((each) => each.open);
  for (const each of dialogs) each.close();
  parent.append(node);
  for (const each of dialogs) if (each.isConnected) each.showModal();
  if (focused instanceof HTMLElement && node.contains(focused)) focused.focus({ preventScroll: true });
}

/** Returns a function that says which element of `host` a pointer is pressed on. */
function pressedIn(host: HTMLElement) {
  let target: EventTarget | null = null;
  host.addEventListener("pointerdown", (event) => (target = event.isPrimary ? event.target : null), true);
  const forget = () => (target = null);
  for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, forget, true);
  return () => target;
}

/** A browser forgets the press on an element that is moved, and its release would be no click. */
function clickWhenReleased(target: EventTarget) {
  const released = (event: PointerEvent) => {
    window.removeEventListener("pointerup", released, true);
    window.removeEventListener("pointercancel", released, true);
    if (event.type !== "pointerup" || event.target !== target) return;
    const { ctrlKey, metaKey, shiftKey, altKey } = event;
    const keys = { ctrlKey, metaKey, shiftKey, altKey };
    target.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, composed: true, ...keys }));
  };
  window.addEventListener("pointerup", released, true);
  window.addEventListener("pointercancel", released, true);
}
