// After the last step: what the run showed, and where to go next.
import { el, fill } from "../base/dom.ts";
import { say } from "../base/format.ts";
import { icon } from "../base/icons.ts";
import { openPage, ownInAddress } from "../frame/place.ts";
import type { Player } from "../player.ts";

export class Ending {
  player: Player;
  node: HTMLElement;

  constructor(player: Player) {
    this.player = player;
    this.node = el("section", "tm-card tm-ending", null, { "aria-label": player.words.story.takeaway });
    this.node.hidden = true;
  }

  show(over: boolean) {
    if (this.node.hidden === !over) return;
    this.node.hidden = !over;
    if (over) fill(this.node, this.parts());
  }

  parts() {
    const { payload, words } = this.player;
    const { takeaway } = payload.story;
    const foot = el("div", "tm-story-foot");
    foot.append(...this.ways());
    return [
      el("h2", "", takeaway ? words.story.takeaway : say(words.story.over, { title: payload.title })),
      takeaway ? el("p", "tm-ending-text", takeaway) : null,
      foot,
    ];
  }

  /** Where to go from here; a page without a server leads nowhere. */
  ways() {
    const { player } = this;
    const { words } = player;
    if (player.alone) return [];
    const { next } = this;
    const own = ownInAddress();
    const ways: HTMLElement[] = [];
    if (next) {
      const button = el("button", "tm-button tm-primary tm-next-scenario", null, { type: "button" });
      button.append(el("span", "", say(words.story.next, { title: next.title })), icon("forward"));
      button.addEventListener("click", () => {
        player.transport.stop();
        player.open(next.name);
      });
      ways.push(button);
    }
    const compare = new URLSearchParams([own ?? ["scenario", player.payload.name]]);
    ways.push(this.way(words.story.compare, `./compare?${compare}`), this.way(words.story.library, "./library"));
    return ways;
  }

  /** A link to another page. */
  way(text: string, href: string) {
    const link = el("a", "tm-button tm-plain", text, { href });
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      openPage(href);
    });
    return link;
  }

  /** The next scenario in the order of the lessons; null after the last one, and for a reader's own. */
  get next() {
    const { library, name } = this.player.payload;
    if (ownInAddress()) return null;
    const here = library.findIndex((each) => each.name === name);
    return here < 0 ? null : (library[here + 1] ?? null);
  }
}
