// The header of a page: logo, links to the pages, the switch between languages.
import { coded } from "../player/base/coded.js";
import { el, fill } from "../player/base/dom.js";
/** @import { Manifest, SiteFrame } from "./types.d.ts" */

export class Header {
  /** @param {Manifest} manifest */
  constructor(manifest) {
    this.links = el("nav", "tm-early-links tm-site-links");
    this.languages = el("div", "tm-early-languages");
    const logo = el("a", "tm-early-logo", null, { href: "./library/" });
    this.logo = el("img", "", null, { src: manifest.logo, alt: "" });
    logo.append(this.logo);
    this.node = el("header", "tm-site-header", null, { id: "tidemark-header" });
    this.status = el("p", "tm-site-status", "", { role: "status" });
    this.node.append(logo, this.links, this.languages, this.status);
    /** @type {SiteFrame["links"] | null} */
    this.shown = null;
  }

  /**
   * @param {string} text what the reader waits for; "" for nothing
   * @param {{ name: string, act: () => void } | null} [button] what can be done about it
   */
  say(text, button = null) {
    fill(this.status, coded(text));
    if (!button) return;
    const node = el("button", "tm-site-stop", button.name, { type: "button" });
    node.addEventListener("click", button.act);
    this.status.append(node);
  }

  /**
   * @param {SiteFrame} frame
   * @param {string} here the page that is open
   */
  show({ name, links }, here) {
    this.logo.alt = name;
    if (this.shown !== links) {
      this.links.replaceChildren(
        ...links.map(({ page, name: text }) =>
          el("a", "", text, { href: page ? `./${page}/` : "./", "data-page": page }),
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
