// What screen readers read out: what happened and why, once the reader rests at a step; nothing while the run plays.
import { el } from "../base/dom.ts";
import { sentences } from "../base/format.ts";
import type { Player } from "../player.ts";

const REST = 180;

export class LiveRegion {
  player: Player;
  node = el("div", "tm-visually-hidden tm-live", null, {
    role: "status",
    "aria-live": "polite",
    "aria-atomic": "true",
  });
  quiet = false;
  timer?: ReturnType<typeof setTimeout>;
  /** an announcement, and the words of the step that it replaced */
  announced: { text: string; instead: string } | null = null;

  constructor(player: Player) {
    this.player = player;
  }

  show() {
    if (this.quiet) return;
    this.later(() => {
      const said = this.spoken();
      // The page is drawn again now and then: an announcement stays until the step has something new to say.
      if (this.announced?.instead === said) return this.announced.text;
      this.announced = null;
      return said;
    });
  }

  spoken() {
    return (
      this.player.present.spoken() ?? this.player.predictor.spoken() ?? this.player.story.spoken() ?? this.ofStep()
    );
  }

  ofStep() {
    const { what, why } = this.player.said(this.player.step);
    return sentences(what, why, this.player.watches.news());
  }

  /** Announces `text` instead of the step's words. */
  tell(text: string) {
    this.announced = { text, instead: this.spoken() };
    this.later(() => text);
  }

  later(text: () => string) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const said = text();
      if (this.node.textContent !== said) this.node.textContent = said;
    }, REST);
  }

  /** Whether new sentences are read out. */
  on(live: boolean) {
    this.quiet = !live;
    this.node.setAttribute("aria-live", live ? "polite" : "off");
    if (live) this.show();
  }

  close() {
    clearTimeout(this.timer);
  }
}
