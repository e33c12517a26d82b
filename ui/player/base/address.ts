// The address: which page it is, what that has open, what it is changed to, and how links lead from page to page.
import type { LinkView } from "../types/player.ts";

/** "scenario" and its name, "s" and a text, or "own" and a digest */
export type Opened = [name: string, value: string];

const OPENS = ["scenario", "s", "own"];

/** What any page may have in its address. */
const CARRIED = ["lang", "embed", "embed_options"];

/** The page of an address: "" for the walkthrough, else "library", "compare" and so on; the app may lie in a folder. */
export function pageOf(address: string) {
  const root = new URL(".", document.baseURI).pathname;
  const { pathname } = new URL(address, document.baseURI);
  const path = pathname.startsWith(root) ? pathname.slice(root.length) : pathname;
  return path.replace(/\/$/, "").split("/").pop() ?? "";
}

/** The page that the browser shows. */
export function pageHere() {
  return pageOf(window.location.href);
}

// What an address says.

/** What the address says under `name`, or null. */
export function inAddress(name: string) {
  return new URLSearchParams(window.location.search).get(name);
}

/** What a query has open; null for nothing. */
export function openedIn(search: string): Opened | null {
  const query = new URLSearchParams(search);
  for (const name of OPENS) {
    const value = query.get(name);
    if (value) return [name, value];
  }
  return null;
}

/** What the address says under `name`, if it is about `scenario`; null otherwise. */
export function valueInAddress(scenario: string, name: string) {
  const named = inAddress("scenario");
  return named === null || named === scenario ? inAddress(name) : null;
}

/** The step that the address names for `scenario`, or null. */
export function stepInAddress(scenario: string) {
  const step = valueInAddress(scenario, "step");
  return step !== null && /^\d+$/.test(step) ? Number(step) : null;
}

/** How the address names a scenario of the reader's own: ["s", its text] or ["own", its digest]; null for none. */
export function ownInAddress(): Opened | null {
  const query = new URLSearchParams(window.location.search);
  const name = OPENS.find((each) => query.has(each)) ?? "scenario";
  return name === "scenario" ? null : [name, query.get(name) ?? ""];
}

/** Whether the address leaves it open what is shown: then it is what this visitor saw last, or the first visit. */
export function nothingInAddress() {
  const query = new URLSearchParams(window.location.search);
  return !OPENS.some((name) => query.has(name));
}

/** Whether the address asks for the small view of a course page, or the page is made for a frame (ui/share/page.py). */
export function embeddedInAddress() {
  return Boolean(document.body.dataset.frame) || ["true", "1"].includes(inAddress("embed") ?? "");
}

/** Whether a reader is offered a copy to edit: `copy=off` in a link takes the offer away. */
export function copyAllowed() {
  return inAddress("copy") !== "off";
}

// Other addresses.

/** The address of a page, relative to any page. */
export function linkTo(page: string, query: string[][] | { [part: string]: string }) {
  return `./${page}?${new URLSearchParams(query)}`;
}

/** The address of the projector view at the title card of `scenario`, the first of a lecture or lesson. */
export function lectureAddress(lecture: string, scenario: string) {
  return linkTo("", { scenario, step: "0", present: "1", lecture, card: "1" });
}

/** The address of the page Compare with `scenario` as side A, and what `more` says. */
export function compareAddress(scenario: string, more: { [part: string]: string } = {}) {
  return linkTo("compare", [ownInAddress() ?? ["scenario", scenario], ...Object.entries(more)]);
}

/**
 * The address of `scenario` at `step`.
 * @param step null: before the first step
 * @param view what else the link holds
 * @param named what opens it
 */
export function addressOf(
  scenario: string,
  step: number | null,
  view: LinkView = {},
  named: Opened = ownInAddress() ?? ["scenario", scenario],
) {
  const url = new URL(window.location.href);
  const query = new URLSearchParams([named]);
  if (step !== null) query.append("step", String(step));
  for (const [name, value] of Object.entries(view)) {
    if (value !== null && value !== undefined) query.append(name, value);
  }
  if (embeddedInAddress()) query.append("embed", "true");
  if (!copyAllowed()) query.append("copy", "off");
  const language = inAddress("lang");
  if (language) query.append("lang", language);
  url.search = query.toString().replaceAll("%2C", ",");
  return url;
}

// The address of what is shown is written into the place of the one before, or as a further place of the history.

/** @param further whether Back leads to what was shown before */
export function goTo(address: URL | string, further: boolean) {
  if (further) window.history.pushState(window.history.state, "", address);
  else window.history.replaceState(window.history.state, "", address);
}

/** Changes parts of the address. */
export function changeAddress(change: (query: URLSearchParams) => void) {
  const address = new URL(window.location.href);
  change(address.searchParams);
  goTo(address, false);
}

/** The address with the query `parts`; what any page may have in its address stays. */
export function addressWith(parts: string[][]) {
  const address = new URL(window.location.href);
  const before = address.searchParams;
  const kept = CARRIED.flatMap((name) => before.getAll(name).map((value) => [name, value]));
  address.search = new URLSearchParams([...kept, ...parts]).toString();
  return address;
}

/**
 * Opens another page of the app without loading it again, where that is possible.
 * @param address relative to any page
 */
export function openPage(address: string) {
  if (globalThis.tidemarkPlaces) globalThis.tidemarkPlaces.open(address);
  else window.location.assign(address);
}

/** Has a click on a link open it in this tab without a load; with a key the browser does what it does with links. */
export function opensHere(link: HTMLAnchorElement, open: () => void = () => openPage(link.href)) {
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open();
  });
  return link;
}
