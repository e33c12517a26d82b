// The drawer *State*: what the operator holds and waits for, in four views, of which one is looked at.
import { el, fill, pushButton } from "../base/dom.ts";
import { EntriesView } from "./entries.ts";
import { GenealogyView } from "./genealogy.ts";
import { LifetimeView } from "./lifetime.ts";
import { TimerQueueView } from "./timers.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { Player } from "../player.ts";

const STATE_VIEWS: { [name: string]: new (player: Player) => { node: HTMLElement; show: (step: number) => void } } = {
  entries: EntriesView,
  lifetime: LifetimeView,
  timers: TimerQueueView,
  watermark: GenealogyView,
};

/** Each view is {node, show(step)} and is made when it is first looked at; the others cost nothing. */
export class StateDrawer extends PlayerPart {
  made: Map<string, { node: HTMLElement; show: (step: number) => void }> = new Map();
  chosen = "entries";
  node = el("div", "tm-state");
  body = el("div", "tm-state-view");
  buttons: HTMLButtonElement[];

  constructor(player: Player) {
    super(player);
    const words = player.words.state;
    const tabs = el("div", "tm-state-tabs", null, { role: "group", "aria-label": words.title });
    // Spark has no timers: what its windows wait for is the next batch, which has a card of its own.
    const views = Object.keys(STATE_VIEWS).filter((name) => name !== "timers" || !player.facts.all("batches").length);
    this.buttons = views.map((name) => {
      const button = pushButton("tm-state-tab", words.tabs[name], () => this.choose(name), { "data-view": name });
      tabs.append(button);
      return button;
    });
    this.node.append(tabs, this.body);
    this.choose("entries");
  }

  /** Another view takes the place. */
  choose(name: string) {
    this.chosen = name;
    for (const button of this.buttons) button.setAttribute("aria-pressed", String(button.dataset.view === name));
    if (this.node.isConnected) this.show(this.player.step);
  }

  /** Opens the drawer at a view. */
  openAt(name: string) {
    this.choose(name);
    if (this.player.drawers.open !== "state") this.player.drawers.toggle("state");
    this.buttons.find((button) => button.dataset.view === name)?.focus();
  }

  show(step: number) {
    const view = this.made.get(this.chosen) ?? new STATE_VIEWS[this.chosen](this.player);
    this.made.set(this.chosen, view);
    if (view.node.parentElement !== this.body) {
      fill(this.body, view.node);
      this.node.dataset.view = this.chosen;
    }
    view.show(step);
  }
}

/** A button in a card's head that opens the drawer at a view. */
export function openerOf(player: Player, view: string, label: string) {
  const button = pushButton("tm-opener", null, () => player.drawers.drawers.get("state")?.openAt?.(view));
  button.append(label);
  return button;
}
