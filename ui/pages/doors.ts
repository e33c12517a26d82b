// The header of every page: the logo, four doors, and the pages of the door that is open; in the app, before Streamlit
// has started, and in a site of static files.
//
// A wide page has one row: the doors, then the pages of the current door. Another door shows its own below it, under
// the pointer or by keyboard. On a narrow page a button unfolds everything. ui/pages/opening/doors.py has the table and
// draws the same before any script runs; ui/pages/theme/header.css lays it out.
import { pageHere } from "../player/base/address.ts";
import { dataNodes, el, fill } from "../player/base/dom.ts";

/** `doors` of ui/pages/opening/doors.py. */
export interface Doors {
  language: string;
  name: string;
  /** the address of a picture */
  logo: string;
  controls: { skip: string; menu: string; pages: string };
  doors: { door: string; name: string; links: { address: string; name: string; about: string }[] }[];
}

const NOWHERE = "vote";

/** The header of the page, which is made where there is none. */
export function headerHere() {
  const there = document.getElementById("tidemark-header");
  if (there) return there;
  const header = el("header", "", null, { id: "tidemark-header" });
  document.body.prepend(header);
  return header;
}

/** Draws the navigation, unless it is there in this language, and marks where the reader is. */
export function drawDoors(header: HTMLElement, said: Doors) {
  header.classList.remove("tm-visits");
  const before = dataNodes(header, "#tidemark-doors")[0];
  if (before?.dataset.language !== said.language) {
    for (const old of dataNodes(header, ":scope > :is(.tm-skip, .tm-logo, .tm-menu, nav)")) old.remove();
    header.prepend(...parts(said));
  }
  wireDoors(header);
  markDoors(header);
}

function parts({ language, name, logo, controls: { skip, menu, pages }, doors }: Doors) {
  const home = link("library", "tm-logo");
  home.setAttribute("aria-label", name); // its text is not shown where there is no room
  home.append(el("img", "", null, { src: logo, alt: "" }), el("span", "", name));
  const button = el("button", "tm-menu", menu, {
    type: "button",
    "aria-controls": "tidemark-doors",
    "aria-expanded": "false",
  });
  const nav = el("nav", "", null, { id: "tidemark-doors", "aria-label": pages, "data-language": language });
  for (const door of doors) {
    const links = el("div", "tm-door-links");
    for (const { address, name: text, about } of door.links) {
      const way = link(address);
      way.title = about;
      way.append(el("span", "", text), el("small", "", about));
      links.append(way);
    }
    const first = link(door.links[0].address, "tm-door-name");
    first.textContent = door.name;
    nav.append(fill(el("div", "tm-door", null, { "data-door": door.door }), first, links));
  }
  return [el("a", "tm-skip", skip, { href: "#stMain" }), home, button, nav];
}

function link(address: string, className = "") {
  return el("a", className, null, { href: `./${address}`, "data-address": address });
}

/** The address of the navigation that is open: of those that fit, the one that says most. */
function addressHere(addresses: string[]) {
  const page = pageHere();
  const query = new URLSearchParams(window.location.search);
  const fits = addresses.filter((address) => {
    const [path, rest] = address.split("?");
    return path === page && [...new URLSearchParams(rest)].every(([name, value]) => query.get(name) === value);
  });
  return fits.sort((one, other) => other.length - one.length)[0] ?? NOWHERE;
}

function markDoors(header: HTMLElement) {
  const links = [...dataNodes(header, ".tm-door-links a")];
  const here = addressHere(links.map(({ dataset }) => dataset.address ?? ""));
  for (const each of links) mark(each, "page", each.dataset.address === here);
  for (const door of dataNodes(header, ".tm-door")) {
    const inside = links.some((each) => door.contains(each) && each.dataset.address === here);
    door.dataset.here = String(inside);
    for (const name of dataNodes(door, ".tm-door-name")) mark(name, "true", inside);
  }
}

function mark(node: HTMLElement, as: string, current: boolean) {
  if (current) node.setAttribute("aria-current", as);
  else node.removeAttribute("aria-current");
}

/** Lets the header follow the address, and its menu unfold; once, however often it is called. */
export function wireDoors(header: HTMLElement) {
  if (header.dataset.wired) return;
  header.dataset.wired = "true";
  const menu = () => dataNodes(header, ".tm-menu")[0];
  const isOpen = () => menu()?.getAttribute("aria-expanded") === "true";
  const unfold = (open: boolean) => menu()?.setAttribute("aria-expanded", String(open));
  window.addEventListener("popstate", () => markDoors(header));
  document.addEventListener("click", (event) => {
    const { target } = event;
    if (!(target instanceof Element)) return;
    if (target.closest(".tm-menu")) unfold(!isOpen());
    else if (!target.closest("#tidemark-doors") || target.closest("a")) unfold(false);
    if (!target.closest(".tm-skip")) return;
    event.preventDefault();
    dataNodes(document, '[data-testid="stMain"]')[0]?.focus();
  });
  // By keyboard the pages of a door show as long as the focus is there.
  const reach = (focused: EventTarget | null) => {
    for (const door of dataNodes(header, ".tm-door")) {
      const within = focused instanceof Element && door.contains(focused) && focused.matches(":focus-visible");
      door.classList.toggle("tm-reached", within);
    }
  };
  header.addEventListener("focusin", ({ target }) => reach(target));
  header.addEventListener("focusout", ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && header.contains(relatedTarget))) reach(null);
  });
  header.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape" || !isOpen()) return;
    unfold(false);
    menu()?.focus();
  });
}
