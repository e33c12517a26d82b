// Three lines of the code walk: those that ran last in this stream item, the running one lit, each with its values.
import { el, fill } from "../base/dom.js";
/** @import { CodeLine } from "../types/player.d.ts" */
/** @import { Player } from "../player.js" */

const MOST_LINES = 3;

/**
 * A line of code: its number, its text without the first `cut` letters, its values.
 * @param {CodeLine} line
 * @param {string | null} live
 * @param {{ className?: string, cut?: number }} [options]
 */
export function codeLine({ number, text }, live, { className = "", cut = 0 } = {}) {
  const row = el("div", `tm-code-line ${className}`);
  row.append(
    el("span", "tm-code-number", number),
    el("code", "tm-code-text", text.slice(cut)),
    el("span", "tm-code-live", live),
  );
  return row;
}

/** In the Now card, under the sentences; above the lines stands Flink's own method. */
export class CodeLines {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    this.node = el("div", "tm-code", null, { role: "group", "aria-label": player.words.code.title });
  }

  /** @param {number} step */
  show(step) {
    const { walk } = this.player;
    const ran = walk.upTo(step, MOST_LINES);
    this.node.hidden = ran.length === 0;
    if (!ran.length) return;
    const last = ran.length - 1;
    const flink = walk.flink(step);
    const cut = Math.min(...ran.map(({ line }) => line.text.search(/\S/)));
    const lines = ran.map(({ line, live }, index) =>
      codeLine(line, live, { className: index === last ? "tm-code-now" : "", cut }),
    );
    lines[last].setAttribute("aria-current", "step");
    const box = el("div", "tm-code-lines");
    box.append(...lines);
    fill(this.node, el("div", "tm-code-flink tm-mono", flink), box);
  }

  /** Where the sentences need the room, the earliest lines go: a line is there wholly or not at all. */
  fit() {
    const box = this.node.lastElementChild;
    if (this.node.hidden || !box) return;
    while (box.children.length > 1 && box.scrollHeight > box.clientHeight) box.firstElementChild?.remove();
  }
}
