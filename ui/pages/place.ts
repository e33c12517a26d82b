// What is open goes along from page to page: the links of the navigation name it, whichever page they lead to.
//
// Every link gets the scenario that is open, at its step; a page that showed the same before opens as it was left. The
// browser knows this best, since steps never reach the server. It is kept for this tab. A link acts as Forward does:
// its address is pushed, and Streamlit follows the history.
//
// The links are there before Streamlit mounts anything, so a page brings this with its header
// (ui/pages/opening/header.ts).
import { openedIn, pageHere, pageOf, type Opened } from "../player/base/address.ts";
import { drawDoors, headerHere, type Doors } from "./doors.ts";
import { readKept, soundTable, writeKept } from "../player/base/kept.ts";
import type { Leaving } from "../player/types/page.ts";
import type { Mounting } from "../player/types/player.ts";

/** What this tab knows: what is open, its step, and how each page was left. */
interface Place {
  open: Opened | null;
  step: string | null;
  pages: { [page: string]: { search: string; open: Opened } | undefined };
}

const KEPT_PLACE = "tidemark.place";
const NAVIGATION = "#tidemark-header a[data-address]";
const WALKTHROUGH = "";
/** Pages that show a scenario. */
const CARRYING = [WALKTHROUGH, "compare", "author", "spark"];

/** Pages that Streamlit does not have: the browser loads them. */
const LOADED = ["guide"];

// What belongs to one visit and is not handed on.
const PASSING = ["lang", "embed", "embed_options", "present", "lecture", "card"];
const SENDING_MS = 3000;

const POLL_MS = 40;
const RUNNING_MS = 5000;
const BEGINNING_MS = 2000;
const STAYING_MS = 1500;
const MOST_TRIES = 8;
const STATE = "data-test-script-state";
let followed = -BEGINNING_MS;
let began = true;
let turns = 0;
let returning = false;

const NOWHERE: Place = { open: null, step: null, pages: {} };

/** The place after a page was seen at an address. */
export function seenAt(place: Place, page: string, search: string): Place {
  const open = openedIn(search);
  if (!open || !CARRYING.includes(page)) return place;
  const step = new URLSearchParams(search).get("step") ?? (String(open) === String(place.open) ? place.step : null);
  return { open, step, pages: { ...place.pages, [page]: { search, open } } };
}

/** The address by which a page opens what is open, relative to any page of the app. */
export function addressFrom({ open, step, pages }: Place, page: string) {
  if (!open || !CARRYING.includes(page)) return `./${page}`;
  const before = pages[page];
  const same = before && String(before.open) === String(open);
  const query = new URLSearchParams(same ? before.search : [open]);
  for (const name of PASSING) query.delete(name);
  if (step !== null && (page === WALKTHROUGH || page === "compare") && query.get("step") !== step) {
    query.set("step", step);
    query.delete("moment");
  }
  const text = query.toString().replaceAll("%2C", ",");
  return `./${page}${text && `?${text}`}`;
}

function soundPlace({ open, step, pages }: any): Place | null {
  const isText = (each: unknown) => typeof each === "string";
  const isOpened = (each: any) => Array.isArray(each) && each.length === 2 && each.every(isText);
  const left = soundTable(pages, (page) => (isText(page?.search) && isOpened(page.open) ? page : null));
  if (!left || !(open === null || isOpened(open)) || !(step === null || isText(step))) return null;
  return { open, step, pages: left };
}

function kept(): Place {
  return readKept(KEPT_PLACE, soundPlace, "tab") ?? NOWHERE;
}

function keepPlace(place: Place) {
  writeKept(KEPT_PLACE, place, "tab"); // else each page opens what its own address names
  return place;
}

function see() {
  return keepPlace(seenAt(kept(), pageHere(), window.location.search));
}

/** Lets the page that is left write its address; returns what it waits for. */
function leave() {
  const leaving: Leaving = { waits: [] };
  window.dispatchEvent(new CustomEvent("tidemark:leaving", { detail: leaving }));
  return leaving;
}

/** What is open once the page that is left has written its address, or has said it: a draft is in no address. */
async function settle() {
  const leaving = leave();
  const place = see();
  if (!leaving.waits.length) return place;
  const late: Promise<null> = new Promise((resolve) => {
    setTimeout(resolve, SENDING_MS, null);
  });
  const open = await Promise.race([Promise.all(leaving.waits).then(([first]) => first), late]);
  if (!open) return place;
  const page = pageHere();
  return keepPlace({ open, step: null, pages: { ...place.pages, [page]: { search: window.location.search, open } } });
}

function linkOf(event: Event) {
  const { target } = event;
  const link = target instanceof Element ? target.closest(NAVIGATION) : null;
  return link instanceof HTMLAnchorElement ? link : null;
}

/** Where a link of the navigation leads; one that names a place of a page leads there, whatever is open. */
function leadsTo({ dataset }: HTMLAnchorElement, place: Place) {
  const address = dataset.address ?? "";
  return address.includes("?") ? `./${address}` : addressFrom(place, address);
}

/** Before a link is used, it says where it leads: to copy it, or to open it in another tab. */
function sayAddress(event: Event) {
  const link = linkOf(event);
  if (link) link.setAttribute("href", leadsTo(link, see()));
}

async function follow(event: MouseEvent) {
  const link = linkOf(event);
  if (!link) return;
  // Without Streamlit nobody follows the history: the browser loads the page.
  if (!globalThis.tidemarkPlaces || LOADED.includes((link.dataset.address ?? "").split("/")[0])) {
    leave();
    sayAddress(event);
    return;
  }
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  if (link.getAttribute("aria-current") === "page") return;
  const to = leadsTo(link, await settle());
  // Another place of the same page is not followed by all pages.
  if (pageOf(to) === pageHere()) window.location.assign(to);
  else lead(to);
}

/**
 * Whether Streamlit runs the page, or is about to: a change of the address begins a run, on a slow machine late. In a
 * site of static files there is no Streamlit, and nothing to wait for.
 */
function runs() {
  const app = document.querySelector('[data-testid="stApp"]');
  if (!app) return false;
  return app.getAttribute(STATE) === "running" || (!began && performance.now() - followed < BEGINNING_MS);
}

/** A run that is over before anybody asks is seen all the same. */
function watchRuns() {
  const watching = new MutationObserver((changes) => {
    began ||= changes.some(({ target, oldValue }) =>
      [oldValue, (target as Element).getAttribute(STATE)].includes("running"),
    );
  });
  watching.observe(document.body, { subtree: true, attributeFilter: [STATE], attributeOldValue: true });
}

/** Waits until something is so, for at most `ms`. */
async function wait(ms: number, until: () => boolean) {
  const latest = performance.now() + ms;
  while (!until() && performance.now() < latest) {
    await new Promise((resolve) => {
      setTimeout(resolve, POLL_MS);
    });
  }
}

/**
 * Opens an address. A run that is under way ends first: Streamlit would put the address of its page back. While a
 * server that has just been started makes its pictures, that takes longer than anybody waits; then the address is
 * opened all the same, and again where it was put back.
 *
 * Streamlit puts an address back as a place of its own behind this one. Another place for the same address would keep
 * the reader from going back: so the history goes back to this one, which opens it.
 */
async function lead(to: string) {
  const turn = (turns += 1);
  const page = pageOf(to);
  const overtaken = () => turn !== turns; // by another link, or by Back
  const over = () => overtaken() || pageHere() !== page;
  const returned = () => !returning;
  let mine = 0;
  for (let left = MOST_TRIES; left > 0; left -= 1) {
    await wait(RUNNING_MS, () => overtaken() || !runs());
    if (overtaken() || (mine && pageHere() === page)) return;
    const behind = mine && window.history.length - mine; // 0 as well where a browser keeps no more places
    if (behind > 0) {
      returning = true;
      window.history.go(-behind);
      await wait(RUNNING_MS, returned);
      returning = false;
    } else {
      if (mine) window.history.replaceState({}, "", to);
      else window.history.pushState({}, "", to);
      mine = window.history.length;
      window.dispatchEvent(new PopStateEvent("popstate", { state: {} }));
    }
    const since = performance.now();
    await wait(STAYING_MS + RUNNING_MS, () => over() || (performance.now() - since > STAYING_MS && !runs()));
    if (overtaken() || pageHere() === page) return;
  }
}

/** Lets the links carry what is open, before there is anything behind them. */
export function carryPlaces() {
  if (globalThis.tidemarkCarrying) return;
  globalThis.tidemarkCarrying = { open: lead };
  for (const kind of ["pointerover", "pointerdown", "focusin"]) document.addEventListener(kind, sayAddress, true);
  document.addEventListener("click", follow, true);
  window.addEventListener("tidemark:placed", see);
  watchRuns();
  window.addEventListener("popstate", ({ isTrusted }) => {
    followed = performance.now();
    began = false;
    if (isTrusted && !returning) turns += 1; // Back and Forward are the reader's
    returning = false;
  });
}

/** Streamlit calls this at each run of any page. From the first one on, an address opens without a load. */
function mountPlaces({ data }: Partial<Mounting<Doors | null>> = {}) {
  if (data) drawDoors(headerHere(), data);
  see();
  carryPlaces();
  globalThis.tidemarkPlaces = globalThis.tidemarkCarrying;
}

export default mountPlaces;
