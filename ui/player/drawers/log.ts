// The steps as text: the same run for reading, and for those who cannot see the picture.
import { dataNodes, el, fill, nearest } from "../base/dom.ts";
import type { Player } from "../player.ts";
import type { Table } from "../base/facts.ts";
import type { StepFact } from "../types/player.ts";

const LOG_ROWS = 120;

/** The run as an ordered list of sentences, around the step; a click goes there. */
export class TextLog {
  player: Player;
  node = el("ol", "tm-log");
  steps: Table<StepFact>;
  first = -1;
  level = "";

  constructor(player: Player) {
    this.player = player;
    this.steps = player.facts.table("steps");
    this.node.addEventListener("click", (event) => {
      const item = nearest(event, "li");
      if (item) player.go(Number(item.dataset.step));
    });
  }

  show(step: number) {
    const { level } = this.player.telling;
    if (level !== this.level) this.first = -1;
    this.level = level;
    const first = Math.max(0, Math.min(step - LOG_ROWS / 2, this.steps.length - LOG_ROWS));
    if (this.first < 0 || step < this.first + 15 || step > this.first + LOG_ROWS - 15) {
      this.first = first;
      this.node.start = first;
      const shown = Array.from({ length: Math.min(LOG_ROWS, this.steps.length - first) }, (_, index) =>
        this.steps.row(first + index),
      );
      fill(
        this.node,
        shown.map((fact) => {
          const item = el("li", "", null, { "data-step": fact.step });
          item.value = fact.step;
          item.append(el("span", "tm-log-what", fact.what), fact.why ? el("span", "tm-log-why", ` ${fact.why}`) : "");
          return item;
        }),
      );
    }
    const last = this.player.present.hidesFuture ? step : Infinity;
    for (const item of dataNodes(this.node, "li")) item.hidden = Number(item.dataset.step) > last;
    this.node.querySelector(".tm-hl")?.classList.remove("tm-hl");
    const here = dataNodes(this.node, "li")[step - this.first];
    here?.classList.add("tm-hl");
    const box = this.node.parentElement;
    if (here && box) box.scrollTop = here.offsetTop - box.clientHeight / 2;
  }
}
