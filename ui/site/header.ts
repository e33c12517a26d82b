// The header of a page: logo, links to the pages, the switch between languages.
import { coded, el, fill, icon } from "../player/base/dom.ts";
import type { SiteWords } from "#types/words";
import type { Manifest, SiteFrame } from "./types.ts";

/** How many characters fit beside the links. */
const BRIEF = 48;

export class Header {
  links = el("nav", "tm-early-links tm-site-links", null, { id: "tidemark-links" });
  menu = el("button", "tm-site-menu", null, { type: "button", "aria-controls": "tidemark-links" });
  languages = el("div", "tm-early-languages");
  logo: HTMLImageElement;
  node = el("header", "tm-site-header", null, { id: "tidemark-header" });
  status = el("p", "tm-site-status", "", { role: "status" });
  end = el("div", "tm-site-end");
  placing: MutationObserver;
  shown: SiteFrame["links"] | null = null;

  constructor(manifest: Manifest) {
    this.menu.addEventListener("click", () => this.unfold(this.menu.getAttribute("aria-expanded") === "false"));
    this.unfold(false);
    const logo = el("a", "tm-early-logo", null, { href: "./library/" });
    this.logo = el("img", "", null, { src: manifest.logo, alt: "" });
    logo.append(this.logo);
    this.end.append(this.status, this.languages);
    this.node.append(logo, this.menu, this.links, this.end);
    this.placing = new MutationObserver(() => this.place());
    this.node.addEventListener("keydown", ({ key }) => {
      if (key !== "Escape" || this.menu.getAttribute("aria-expanded") === "false") return;
      this.unfold(false);
      this.menu.focus();
    });
    document.addEventListener("click", ({ target }) => {
      if (!(target instanceof Node && this.menu.contains(target))) this.unfold(false);
    });
  }

  /**
   * @param text what the reader waits for; "" for nothing
   * @param button what can be done about it
   */
  say(text: string, button: { name: string; act: () => void } | null = null) {
    fill(this.status, coded(text));
    this.status.classList.toggle("tm-site-brief", text.length <= BRIEF);
    this.status.classList.remove("tm-starting");
    this.placing.disconnect();
    this.place(button !== null);
    if (!button) return;
    // Whatever opens, is filled or closes from now on, its button can be pressed.
    this.placing.observe(document.body, { attributeFilter: ["open"], childList: true, subtree: true });
    const node = el("button", "tm-site-stop", button.name, { type: "button" });
    node.addEventListener("click", button.act);
    this.status.append(node);
  }

  /**
   * Nothing outside of a modal dialog can be pressed: a button stands in the one that is open.
   * @param pressed whether there is something to press
   */
  place(pressed = true) {
    const [over] = pressed ? [...document.querySelectorAll("dialog:modal")].slice(-1) : [];
    if (over) {
      if (this.status.parentElement !== over) over.append(this.status);
    } else if (this.status.parentElement !== this.end) this.end.prepend(this.status);
  }

  /** Says that Python starts, where it covers nothing: beside the links, in fewer words where there is less room. */
  saysStarting({ loading, loading_short: short }: SiteWords) {
    this.placing.disconnect();
    this.place(false);
    fill(this.status, el("span", "tm-site-wide", loading), el("span", "tm-site-narrow", short));
    this.status.classList.add("tm-site-brief", "tm-starting");
  }

  /** Shows or hides the links where the page is too narrow for a row of them. */
  unfold(unfolded: boolean) {
    this.menu.setAttribute("aria-expanded", String(unfolded));
  }

  /** @param here the page that is open */
  show({ name, controls: { menu, pages }, links, more }: SiteFrame, here: string) {
    this.logo.alt = name;
    this.links.setAttribute("aria-label", pages);
    fill(this.menu, icon("chevron"), menu);
    this.unfold(false);
    if (this.shown !== links) {
      this.links.replaceChildren(
        ...[...links, ...more].map(({ page, name: text }, index) =>
          el("a", index < links.length ? "" : "tm-site-more", text, {
            href: page ? `./${page}/` : "./",
            "data-page": page,
          }),
        ),
      );
      this.shown = links;
    }
    for (const link of this.links.querySelectorAll("a")) {
      if (link.dataset.page === here) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }
}
