// The drawers for help: the glossary, and the list of all keys, made from the table of commands that the keyboard
// itself uses.
import { dataNodes, el, fill, nearest } from "../base/dom.ts";
import { termName } from "../base/glossary.ts";
import { KEY_GROUPS } from "../frame/keys.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { Player } from "../player.ts";
import type { Table } from "../base/facts.ts";
import type { StepFact } from "../types/player.ts";

/** The drawer *Keys*. */
class HelpList extends PlayerPart {
  /** for which mode it was made */
  shown: boolean | null = null;
  node = el("div", "tm-help");

  constructor(player: Player) {
    super(player);
    this.show();
  }

  /** While presenting, only the keys that do something then. */
  show() {
    const { player } = this;
    const presents = player.present.on;
    const works = (mode: string | undefined) => !presents || mode !== undefined;
    if (this.shown === presents) return;
    this.shown = presents;
    this.node.replaceChildren();
    for (const group of KEY_GROUPS) {
      const commands = player.commands.filter(
        (command) => command.label && works(command.mode) && (command.group ?? "show") === group,
      );
      if (!commands.length) continue;
      const list = el("dl");
      for (const { caps = [], label, note } of commands) {
        const term = el("dt");
        for (const cap of caps) term.append(el("kbd", "", cap));
        const told = el("dd", "", label);
        if (note) told.append(" ", el("small", "", note));
        list.append(term, told);
      }
      this.node.append(fill(el("section"), el("h3", "", player.words.groups[group]), list));
    }
  }
}

/** The drawer *Glossary*: every term with its sentence, for readers who can neither hover nor focus. */
class GlossaryList {
  node = el("div", "tm-glossary");

  constructor(player: Player) {
    const { hint, terms } = player.words.glossary;
    const list = el("dl");
    for (const { names, about } of Object.values(terms)) {
      list.append(termName("dt", names.split("|")[0]), el("dd", "", about));
    }
    this.node.append(el("p", "tm-quiet", hint), list);
  }

  show() {}
}

/** Both drawers for help. */
export function helpDrawers(player: Player) {
  const { glossary, help } = player.words;
  return [
    Object.assign(new GlossaryList(player), { name: "glossary", title: glossary.title, cap: "Z" }),
    Object.assign(new HelpList(player), { name: "help", title: help, cap: "H" }),
  ];
}

// The steps as text: the same run for reading, and for those who cannot see the picture.

const LOG_ROWS = 120;

/** The run as an ordered list of sentences, around the step; a click goes there. */
export class TextLog extends PlayerPart {
  node = el("ol", "tm-log");
  steps: Table<StepFact> = this.player.facts.table("steps");
  first = -1;
  level = "";

  constructor(player: Player) {
    super(player);
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
