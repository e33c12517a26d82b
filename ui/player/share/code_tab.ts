// The tab Code of the dialog Export: the scenario as programs for real engines.
import { CodeOut } from "../base/code_out.ts";
import { el } from "../base/dom.ts";
import { compareAddress } from "../frame/place.ts";
import { ask } from "./desk.ts";
import type { Programs } from "../types/share.ts";
import type { Share } from "./dialog.ts";

export class CodeTab {
  share: Share;
  shown: CodeOut;
  /** Whether the programs have come, or are on their way. */
  asked = false;

  constructor(share: Share) {
    this.share = share;
    this.shown = new CodeOut(share.player.words.code_out, (batch) => this.comparison(batch));
  }

  /** What the tab shows; the programs are asked for when it is opened first. */
  opened() {
    if (!this.asked) this.write();
    return this.shown.node;
  }

  async write() {
    this.asked = true;
    this.shown.wait();
    try {
      const { said } = await ask("programs");
      ask("taken").catch(() => null);
      if (!said.programs) throw new Error(said.problem);
      this.shown.show(said as Programs);
    } catch (error) {
      this.asked = false;
      this.shown.fail(this.share.reasonOf(error));
    }
  }

  /**
   * The link to the same comparison on the page Compare.
   * @param batch how many records a micro-batch has
   */
  comparison(batch: number) {
    const { player, step } = this.share;
    const href = compareAddress(player.payload.name, { spark: String(batch), step: String(step) });
    const link = el("a", "tm-code-out-compare", player.words.code_out.compare, { href });
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || !globalThis.tidemarkPlaces) return;
      event.preventDefault();
      player.remember();
      globalThis.tidemarkPlaces.open(link.href);
    });
    return link;
  }
}
