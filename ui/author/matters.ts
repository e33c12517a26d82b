// Whether what was changed matters: the smallest stream on which the draft and an earlier text of it differ.
import { linkTo } from "../player/base/address.ts";
import { differenceNodes } from "../player/base/difference.ts";
import { el, fill, pushButton } from "../player/base/dom.ts";
import type { Author } from "./author.ts";
import { MATTERS } from "./wire.ts";
import { AuthorPart } from "./author_part.ts";
import type { Results } from "./types.ts";

export class Matters extends AuthorPart {
  name = "matters";
  title: string = this.author.words.matters.title;
  node = el("div", "tm-au-part tm-au-matters");
  /** which earlier text */
  since = el("select", "tm-au-choice", null, { "aria-label": this.author.words.matters.lead });
  start = pushButton("tm-button", this.author.words.matters.start, () => this.find());
  said = el("div", "", null, { "aria-live": "polite" });

  constructor(author: Author) {
    super(author);
    const { matters } = author.words;
    for (const name of ["opened", "last"]) this.since.append(el("option", "", matters[name], { value: name }));
    const row = fill(el("p", "tm-au-matters-row"), el("span", "", matters.lead), this.since, this.start);
    this.node.append(row, this.said);
  }

  /** What was found is about an earlier text; a search under way goes on. */
  forget() {
    if (!this.start.disabled) fill(this.said);
  }

  async find() {
    const { author } = this;
    const { matters } = author.words;
    author.settleTyping();
    const { text, texts, place } = author.draft;
    const before = texts[this.since.value === "opened" ? 0 : Math.max(place - 1, 0)];
    this.start.disabled = true;
    const stop = el("button", "tm-button tm-plain", matters.stop, { type: "button" });
    stop.addEventListener("click", () => author.wire.stop(MATTERS));
    const running = el("p", "tm-quiet tm-au-matters-row", matters.running);
    running.append(stop);
    fill(this.said, running);
    const reply = await author.wire.ask(() => ({ text, command: { name: "matters", before } }), MATTERS);
    this.start.disabled = false;
    this.forget();
    if (author.closed || text !== author.draft.text) return;
    if (!reply) {
      fill(this.said, el("p", "tm-quiet", matters.stopped));
      return;
    }
    const told = reply.told as Results["matters"] | { problem: string };
    const found = "found" in told ? told.found : told;
    fill(this.said, ...differenceNodes(found, [matters.before, matters.now]));
    if ("address" in found && found.address) {
      this.said.append(el("a", "tm-button", matters.open, { href: linkTo("compare", found.address) }));
    }
  }
}
