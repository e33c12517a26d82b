// The small view in a course page: what happened and why above the picture, and the way to the whole view.
import { el } from "../base/dom.js";
import { addressOf, embeddedInAddress } from "../frame/place.js";
/** @import { Player } from "../player.js" */

/** The row above the picture; it is there for every view and shown in the small one alone. */
export class EmbedHead {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    this.on = embeddedInAddress();
    this.node = el("div", "tm-embed-head");
    const { words } = player;
    const says = el("div", "tm-embed-says");
    this.what = el("p", "tm-embed-what");
    this.why = el("p", "tm-embed-why");
    says.append(this.what, this.why);
    this.full = el("a", "tm-button tm-embed-full", words.embed.full, { target: "_blank", rel: "noopener" });
    this.node.append(says, this.full);
    if (this.on) player.root.dataset.embed = "true";
    document.documentElement.classList.toggle("tm-embedded", this.on);
  }

  close() {
    document.documentElement.classList.remove("tm-embedded");
  }

  /** @param {number} step */
  show(step) {
    if (!this.on) return;
    const said = this.player.said(step);
    const { what, why } = { ...said, ...this.player.story.sentences() };
    this.what.textContent = what || said.what;
    this.why.textContent = why ?? "";
    const address = addressOf(this.player.payload.name, this.player.place.begun ? step : null, this.player.view);
    address.searchParams.delete("embed");
    this.full.href = address.href;
  }
}
