// The laws that always hold, as one line that stays in view above the picture: it takes room and covers nothing.
import { el, fill } from "../base/dom.ts";
import { say } from "../base/format.ts";
import { keepText, keptChoice } from "../base/kept.ts";
import { countsOf, lawItem, lawsAt, tickOf } from "./laws.ts";
import type { Player } from "../player.ts";

const STRIP_KEPT = "tidemark.laws";

/** The strip and its switch, which stands with the laws in the drawer *Differences*. The browser remembers it. */
export class LawStrip {
  player: Player;
  node: HTMLDivElement;
  list = el("ul");
  count = el("span", "tm-law-count");
  button: HTMLButtonElement;
  there: boolean;
  on?: boolean;

  constructor(player: Player) {
    this.player = player;
    const { laws } = player.words;
    this.node = el("div", "tm-law-strip", null, { role: "group", "aria-label": laws.title });
    this.node.append(this.count, this.list);
    this.button = el("button", "tm-button tm-law-switch", laws.keep, { type: "button" });
    this.button.append(el("kbd", "", "G"));
    this.button.addEventListener("click", () => this.toggle());
    this.there = player.facts.all("laws").length > 0;
    this.set(keptChoice(STRIP_KEPT, ["0", "1"]) === "1");
  }

  /** Takes it into view, or out of it, where the run has laws. */
  set(on: boolean) {
    this.on = on && this.there;
    this.node.hidden = !this.on;
    this.button.setAttribute("aria-pressed", String(this.on));
    this.player.root.classList.toggle("tm-with-laws", this.on);
  }

  toggle() {
    const { player } = this;
    if (!this.there) return;
    this.set(!this.on);
    keepText(STRIP_KEPT, this.on ? "1" : "0");
    player.layout();
    player.live.tell(this.on ? String(this.count.textContent) : player.words.laws.off);
  }

  show(step: number) {
    if (!this.on) return;
    const { words } = this.player;
    const laws = lawsAt(this.player, step);
    fill(this.count, tickOf(laws.every((row) => row.holds)), say(words.laws.hold, countsOf(laws)));
    fill(
      this.list,
      laws.map((row) => {
        const item = lawItem(this.player, row, words.laws.short[row.law]);
        item.title = words.laws[row.law];
        return item;
      }),
    );
  }
}
