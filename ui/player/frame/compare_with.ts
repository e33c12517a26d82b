// The ways to Compare: this scenario at this step is side A, and side B is of the reader's choice.
import { el } from "../base/dom.ts";
import { icon } from "../base/icons.ts";
import { keepOwn } from "../base/kept_own.ts";
import { ownInAddress } from "./place.ts";
import { Pop } from "./pop.ts";
import type { Player } from "../player.ts";

/** What side B can be, by the names that the Compare page knows (ui/compare/desk.py). */
const AGAINST = ["settings", "belief", "spark", "scenario"] as const;

export class CompareWith {
  player: Player;
  /** Runs by Spark's own rules have nothing beside them there. */
  there: boolean;
  pop: Pop;
  node = el("div", "tm-compare-place");
  links?: HTMLAnchorElement[];

  constructor(player: Player) {
    this.player = player;
    const words = player.words.compare_with;
    this.there = !player.alone && !player.facts.all("batches").length;
    this.pop = new Pop("tm-compare-with", words.title, { loose: true });
    if (!this.there) return;
    const own = ownInAddress();
    // Not each try-out: only what was opened from a link, a file or a draft.
    if (own && !player.tryouts.now) keepOwn(own, player.payload.title);
    const button = el("button", "tm-button tm-plain", null, {
      type: "button",
      title: words.title,
      "aria-keyshortcuts": "C",
    });
    button.append(icon("both"), el("span", "tm-label", words.open));
    this.links = this.kinds().map((kind) => this.link(kind));
    this.pop.node.append(el("h2", "", words.title), ...this.links);
    this.pop.first = () => this.links?.[0] ?? null;
    this.pop.onOpen = () => this.address();
    this.node.append(this.pop.openedBy(button), this.pop.node);
  }

  /** A copy is first of all compared with its original. */
  kinds() {
    const stem = /^(.*)-\d{1,6}$/.exec(this.player.payload.name)?.[1];
    const copied = ownInAddress() && this.player.payload.library.some(({ name }) => name === stem);
    return copied ? (["original", ...AGAINST] as const) : AGAINST;
  }

  link(kind: "original" | "settings" | "belief" | "spark" | "scenario") {
    const link = el("a", "", this.player.words.compare_with[kind], { "data-against": kind });
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || !globalThis.tidemarkPlaces) return;
      event.preventDefault();
      this.player.transport.stop();
      this.player.remember();
      globalThis.tidemarkPlaces.open(link.href);
    });
    return link;
  }

  /** The links name the step of now. */
  address() {
    const { payload, step } = this.player;
    for (const link of this.links ?? []) {
      const query = new URLSearchParams([ownInAddress() ?? ["scenario", payload.name]]);
      query.set("against", link.dataset.against ?? "");
      query.set("step", String(step));
      link.href = `./compare?${query}`;
    }
  }

  toggle() {
    if (this.there) this.pop.toggle();
  }
}
