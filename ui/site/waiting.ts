// What a page shows while Python is being started for it: what is awaited, why, and how far it is.
import { el } from "../player/base/dom.ts";
import { say } from "../player/base/format.ts";
import type { SiteWords } from "#types/words";
import type { EngineFiles } from "./types.ts";

const MB = 1_000_000;

/** What Python still has to do once all of it is here, as a share of the whole. */
const TO_START = 0.15;

export class Waiting {
  sizes: EngineFiles["sizes"];
  all: number;
  arrived: Set<string> = new Set();
  bar = el("progress", "tm-site-progress", null, { max: "1" });

  constructor(sizes: EngineFiles["sizes"]) {
    this.sizes = sizes;
    this.all = Object.values(sizes).reduce((sum, size) => sum + size, 0);
  }

  /** How much of Python is here, from 0 to 1; what it does then to start has a share of its own. */
  get share() {
    const here = [...this.arrived].reduce((sum, path) => sum + this.sizes[path], 0);
    return (here / this.all) * (1 - TO_START);
  }

  /** A file of Python has arrived. */
  hear(address: string) {
    const path = Object.keys(this.sizes).find((each) => new URL(each, document.baseURI).href === address);
    if (path === undefined) return;
    this.arrived.add(path);
    this.bar.value = this.share;
  }

  node({ loading, waiting }: SiteWords) {
    const node = el("section", "tm-site-waiting", null, { role: "status" });
    this.bar.setAttribute("aria-label", loading);
    this.bar.value = this.share;
    const why = say(waiting, { size: Math.ceil(this.all / MB) });
    node.append(el("p", "tm-site-says", loading), this.bar, el("p", "tm-site-why", why));
    return node;
  }
}
