// The code walk: every listing that the scenario goes through, the running line lit, what ran before it marked.
import { codeLine } from "../cards/code.ts";
import { el } from "../base/dom.ts";
import type { Player } from "../player.ts";

/** The drawer *Code walk*: methods under their Flink names; the running line is kept in view. */
export class CodeDrawer {
  player: Player;
  node = el("div", "tm-walk");
  rows = new Map();
  marked = new Map();

  constructor(player: Player) {
    this.player = player;
    const { code } = player.words;
    for (const part of player.walk.parts) {
      const section = el("section", "tm-walk-part");
      section.append(el("h3", "", code.parts[part.name]));
      for (const method of part.methods) {
        const block = el("div", "tm-walk-method");
        block.append(el("h4", "tm-mono", method.flink));
        for (const line of method.numbered) {
          const row = codeLine(line, "");
          this.rows.set(line.number, row);
          block.append(row);
        }
        section.append(block);
      }
      this.node.append(section);
    }
  }

  show(step: number) {
    const { walk } = this.player;
    const ran = walk.ran(step);
    const now = walk.at(step).at(-1)?.line.number;
    for (const number of this.marked.keys()) if (!ran.has(number)) this.mark(number, "", "");
    for (const [number, { live, step: then }] of ran) {
      const state = number === now ? "now" : then === step ? "this" : "before";
      this.mark(number, live, state);
    }
    this.marked = ran;
    if (now !== undefined) this.reveal(now);
  }

  /** `state`: `now` (it runs), `this` (this step went through it), `before` (an earlier step of the item), or "". */
  mark(number: number, live: string | null, state: string) {
    const row = this.rows.get(number);
    const { code } = this.player.words;
    row.className = `tm-code-line ${state === "now" ? "tm-code-now" : state ? "tm-code-ran" : ""}`;
    row.lastChild.textContent = live;
    const says = state === "now" ? code.running : state ? code.before : "";
    if (says) row.setAttribute("aria-label", `${row.children[1].textContent.trim()} ${live} (${says})`);
    else row.removeAttribute("aria-label");
    if (state === "now") row.setAttribute("aria-current", "step");
    else row.removeAttribute("aria-current");
  }

  /** Brings the running line into the middle, unless it can be seen anyway. */
  reveal(number: number) {
    const row = this.rows.get(number);
    const box = this.node.parentElement;
    if (!row || !box || !box.clientHeight) return;
    const top = row.getBoundingClientRect().top - box.getBoundingClientRect().top;
    if (top < 40 || top > box.clientHeight - 60) box.scrollTop += top - box.clientHeight / 2;
  }
}
