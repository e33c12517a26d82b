// Two texts side by side; where they differ, one clicks the side that stays.
import { el } from "../player/base/dom.js";
import { say } from "../player/base/format.js";
/** @import { AuthorWords } from "../player/types/words.d.ts" */
/** @import { Block } from "./types.d.ts" */

/** Equal lines shown before and after a difference. */
const AROUND = 2;

export class Merge {
  /**
   * @param {Block[]} blocks
   * @param {Pick<AuthorWords, "merge">} words
   */
  constructor(blocks, words) {
    this.blocks = blocks;
    this.words = words.merge;
    /** @type {("mine" | "theirs")[]} the side that was chosen for each block */
    this.chosen = blocks.map(() => "mine");
    this.node = el("div", "tm-au-merge");
    const head = el("div", "tm-au-merge-row tm-au-merge-head");
    head.append(this.all("mine"), this.all("theirs"));
    this.node.append(head, ...blocks.map((block, index) => (block.same ? this.same(block) : this.different(index))));
    this.show();
  }

  /** The text of the sides that were chosen. */
  get text() {
    const lines = this.blocks.flatMap((block, index) => block[this.chosen[index]]);
    return `${lines.join("\n")}\n`;
  }

  /** @param {"mine" | "theirs"} side */
  all(side) {
    const button = el("button", "tm-button", this.words[side], { type: "button" });
    button.addEventListener("click", () => {
      this.chosen = this.blocks.map(() => side);
      this.show();
    });
    return button;
  }

  /** Equal lines: only those next to a difference. @param {Block} block */
  same({ mine }) {
    const node = el("div", "tm-au-merge-same");
    const lines = (/** @type {string[]} */ some) => el("pre", "", some.join("\n"));
    if (mine.length <= 2 * AROUND + 1) node.append(lines(mine));
    else {
      const count = mine.length - 2 * AROUND;
      node.append(lines(mine.slice(0, AROUND)), el("p", "tm-quiet", say(this.words.same, { count })));
      node.append(lines(mine.slice(-AROUND)));
    }
    return node;
  }

  /** @param {number} index of a block */
  different(index) {
    const row = el("div", "tm-au-merge-row", null, { role: "radiogroup", "aria-label": this.words.choose });
    row.append(this.side(index, "mine"), this.side(index, "theirs"));
    return row;
  }

  /**
   * @param {number} index
   * @param {"mine" | "theirs"} side
   */
  side(index, side) {
    const node = el("label", "tm-au-merge-side");
    const radio = el("input", "", null, {
      type: "radio",
      name: `tm-au-merge-${index}`,
      "aria-label": this.words[side],
      "data-block": String(index),
      "data-side": side,
    });
    radio.addEventListener("change", () => {
      this.chosen[index] = side;
    });
    const lines = this.blocks[index][side];
    node.append(radio, lines.length ? el("pre", "", lines.join("\n")) : el("p", "tm-quiet", this.words.nothing));
    return node;
  }

  show() {
    /** @type {NodeListOf<HTMLInputElement>} */
    const radios = this.node.querySelectorAll("input[data-block]");
    for (const radio of radios) radio.checked = this.chosen[Number(radio.dataset.block)] === radio.dataset.side;
  }
}
