// Which controls are in view: few for a novice, more for a practitioner, all beside Flink's code. Keys do everything.
import { el, pushButton } from "../base/dom.ts";
import { keepText, keptChoice } from "../base/kept.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { Player } from "../player.ts";

const CONTROLS_KEPT = "tidemark.controls";

/** By level, the least first; css/c-controls.css hides what is not in view. */
const SCOPES = ["few", "some", "all"];

export class Controls extends PlayerPart {
  /** shows all of them whatever the level */
  more: HTMLButtonElement;
  /** lets a novice change the numbers of the sentence */
  change: HTMLButtonElement;
  showsAll: boolean;
  /** null before the first look at what is shown: who has changed something may change more */
  changing: boolean | null = null;

  constructor(player: Player) {
    super(player);
    const { controls } = player.words;
    this.showsAll = keptChoice(CONTROLS_KEPT, ["all"]) === "all";
    this.more = el("button", "tm-tab tm-more", controls.all, { type: "button", title: controls.all_note });
    this.more.addEventListener("click", () => {
      this.showsAll = !this.showsAll;
      keepText(CONTROLS_KEPT, this.showsAll ? "all" : null);
      this.set();
      player.layout();
    });
    this.change = pushButton("tm-button tm-change", controls.change, () => this.turn(), {
      title: controls.change_note,
    });
  }

  /** A visit, a frame in another page and a file that was taken away have controls of their own. */
  get scope() {
    const { player } = this;
    const { level, levels } = player.telling;
    const whole = this.showsAll || player.visit.on || player.embed.on || player.alone;
    return whole ? "all" : SCOPES[levels.indexOf(level)];
  }

  get few() {
    return this.scope === "few";
  }

  /** Called once the player is built, and whenever the level changes. */
  set() {
    const { player, scope } = this;
    this.changing ??= player.tryouts.now !== null;
    player.root.dataset.controls = scope;
    player.telling.round(!this.showsAll && !player.alone && player.telling.level === player.telling.levels[0]);
    this.more.setAttribute("aria-pressed", String(this.showsAll));
    this.change.hidden = !player.tryouts.possible || !this.numbers.length;
    player.scrubber.range.tabIndex = this.few ? -1 : 0;
    this.show();
  }

  get numbers() {
    return [...this.player.root.querySelectorAll<HTMLButtonElement>(".tm-sentence .tm-number")];
  }

  turn() {
    this.changing = !this.changing;
    this.show();
    if (!this.changing) return;
    this.player.now.notice.tell(this.player.words.controls.change_note);
    this.numbers[0]?.focus();
  }

  show() {
    const plain = this.few && !this.changing;
    for (const number of this.numbers) number.disabled = plain;
    this.change.setAttribute("aria-pressed", String(this.changing));
  }
}
