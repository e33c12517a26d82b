// Two texts beside the one that both began with; where they differ, one clicks what stays. What only one side changed
// is chosen already; where both did, nothing is.
import { el } from "../player/base/dom.ts";
import { say } from "../player/base/format.ts";
import type { AuthorWords } from "#types/words";
import type { Block } from "./types.ts";

/** Equal lines shown before and after a difference. */
const AROUND = 2;

/** what stays of a piece; `both`: mine, then theirs */
type MergeSide = "base" | "mine" | "theirs" | "both";

export class Merge {
  blocks: Block[];
  words;
  /** what was chosen for each block; null until somebody chooses */
  chosen: (MergeSide | null)[];
  onChoice = () => {};
  sides: MergeSide[];
  node: HTMLDivElement;

  constructor(blocks: Block[], words: Pick<AuthorWords, "merge">) {
    this.blocks = blocks;
    this.words = words.merge;
    this.chosen = blocks.map(({ same, taken }) => (same ? "mine" : taken || null));
    this.sides = blocks.some((block) => block.base) ? ["base", "mine", "theirs"] : ["mine", "theirs"];
    this.node = el("div", `tm-au-merge tm-au-merge-${this.sides.length}`);
    const head = el("div", "tm-au-merge-row tm-au-merge-head");
    head.append(...this.sides.map((side) => (side === "base" ? el("b", "", this.words.base) : this.all(side))));
    this.node.append(head, ...blocks.map((block, index) => (block.same ? this.same(block) : this.different(index))));
    this.show();
  }

  /** The text of the pieces that were chosen. */
  get text() {
    const lines = this.blocks.flatMap((block, index) => {
      const side = this.chosen[index];
      if (side === "both") return [...block.mine, ...block.theirs];
      return (side && block[side]) || [];
    });
    return lines.length ? `${lines.join("\n")}\n` : "";
  }

  /** How many pieces are left to choose. */
  get left() {
    return this.chosen.filter((side) => side === null).length;
  }

  /** How many pieces are left to choose, in words; "" for none. */
  get note() {
    const { left, words } = this;
    return left ? say(words[left === 1 ? "left_one" : "left"], { count: left }) : "";
  }

  all(side: MergeSide) {
    const button = el("button", "tm-button", this.words[side], { type: "button", title: this.words.whole });
    button.addEventListener("click", () => {
      this.chosen = this.blocks.map(() => side);
      this.show();
    });
    return button;
  }

  /** Equal lines: only those next to a difference. */
  same({ mine }: Block) {
    const node = el("div", "tm-au-merge-same");
    const lines = (some: string[]) => el("pre", "", some.join("\n"));
    if (mine.length <= 2 * AROUND + 1) node.append(lines(mine));
    else {
      const count = mine.length - 2 * AROUND;
      node.append(lines(mine.slice(0, AROUND)), el("p", "tm-quiet", say(this.words.same, { count })));
      node.append(lines(mine.slice(-AROUND)));
    }
    return node;
  }

  /** @param index of a block */
  different(index: number) {
    const { base, mine, theirs, taken } = this.blocks[index];
    const row = el("div", "tm-au-merge-row", null, { role: "radiogroup", "aria-label": this.words.choose });
    if (!taken) row.classList.add("tm-au-merge-open");
    row.append(...this.sides.map((side) => this.side(index, side)));
    if (base && !taken && mine.length && theirs.length) row.append(this.side(index, "both"));
    return row;
  }

  side(index: number, side: MergeSide) {
    const node = el("label", `tm-au-merge-side tm-au-merge-of-${side}`);
    const radio = el("input", "", null, {
      type: "radio",
      name: `tm-au-merge-${index}`,
      "aria-label": this.words[side],
      "data-block": String(index),
      "data-side": side,
    });
    radio.addEventListener("change", () => {
      this.chosen[index] = side;
      this.onChoice();
    });
    node.append(radio, el("span", "tm-au-merge-name", this.words[side]));
    if (side === "both") return node;
    const lines = this.blocks[index][side] ?? [];
    node.append(lines.length ? el("pre", "", lines.join("\n")) : el("p", "tm-quiet", this.words.nothing));
    return node;
  }

  /** Has `save` wait until all pieces are chosen, and `note` say how many are left. */
  watch(save: HTMLButtonElement, note: HTMLElement) {
    this.onChoice = () => {
      save.disabled = this.left > 0;
      note.textContent = this.note;
    };
    this.onChoice();
  }

  show() {
    const radios: NodeListOf<HTMLInputElement> = this.node.querySelectorAll("input[data-block]");
    for (const radio of radios) radio.checked = this.chosen[Number(radio.dataset.block)] === radio.dataset.side;
    this.onChoice();
  }
}
