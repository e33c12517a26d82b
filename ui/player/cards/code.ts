// Three lines of the code walk: those that ran last in this stream item, the running one lit, each with its values.
import { el, fill } from "../base/dom.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { CodeLine } from "../types/player.ts";
import type { Player } from "../player.ts";

const MOST_LINES = 3;

/** A line of code: its number, its text without the first `cut` letters, its values. */
export function codeLine(
  { number, text }: CodeLine,
  live: string | null,
  { className = "", cut = 0 }: { className?: string; cut?: number } = {},
) {
  return fill(
    el("div", `tm-code-line ${className}`),
    el("span", "tm-code-number", number),
    el("code", "tm-code-text", text.slice(cut)),
    el("span", "tm-code-live", live),
  );
}

/** In the Now card, under the sentences; above the lines stands Flink's own method. */
export class CodeLines extends PlayerPart {
  node = el("div", "tm-code", null, { role: "group", "aria-label": this.player.words.code.title });
  flink = el("div", "tm-code-flink tm-mono");
  lines = el("div", "tm-code-lines");

  constructor(player: Player) {
    super(player);
    this.node.append(this.flink, this.lines);
  }

  show(step: number) {
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
    this.flink.textContent = flink;
    fill(this.lines, lines);
  }

  /** Where the sentences need the room, the earliest lines go: each is there wholly or not at all, the last always. */
  fit() {
    const { lines, node } = this;
    if (node.hidden || !lines.lastElementChild) return;
    const rows = [...lines.children];
    for (const row of rows) if (row instanceof HTMLElement) row.hidden = false;
    node.style.minHeight = "";
    const frame = node.offsetHeight - lines.offsetHeight;
    node.style.minHeight = `${frame + rows[rows.length - 1].getBoundingClientRect().height}px`;
    for (const row of rows.slice(0, -1)) {
      if (lines.scrollHeight <= lines.clientHeight) break;
      if (row instanceof HTMLElement) row.hidden = true;
    }
  }
}
