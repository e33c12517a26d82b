// The header of a page of a site: that of the app, with what Python is doing and the switch between languages.
import { coded, el, fill, pushButton } from "../player/base/dom.ts";
import { drawDoors, type Doors } from "../pages/doors.ts";
import type { SiteWords } from "#types/words";

/** How many characters fit beside the links. */
const BRIEF = 48;

export class Header {
  languages = el("div", "tm-site-languages");
  node = el("header", "", null, { id: "tidemark-header" });
  status = el("p", "tm-site-status", "", { role: "status" });
  end = el("div", "tm-site-end");
  placing: MutationObserver;

  constructor() {
    this.end.append(this.status, this.languages);
    this.node.append(this.end);
    this.placing = new MutationObserver(() => this.place());
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
    const node = pushButton("tm-site-stop", button.name, button.act);
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

  show(doors: Doors) {
    drawDoors(this.node, doors);
  }
}
