// While presenting: on the way from beat to beat the steps in between pass by, so that a room sees how one became the
// other. It takes 2 s at most, any key ends it, and it can be switched off.
import { keepText, keptChoice } from "../base/kept.ts";
import type { Player } from "../player.ts";

const LONGEST_WAY = 2000; // ms
const EACH_STEP = 120; // ms
const KEPT_WAY = "tidemark.way";

export class BeatWay {
  player: Player;
  calm: MediaQueryList;
  wanted: boolean;
  /** where it leads; null while nothing moves */
  to: number | null = null;
  /** The step that it shows now. */
  at = 0;
  frame = 0;

  constructor(player: Player) {
    this.player = player;
    this.calm = window.matchMedia("(prefers-reduced-motion: reduce)");
    this.wanted = keptChoice(KEPT_WAY, ["0", "1"]) !== "0";
  }

  get moves() {
    return this.to !== null;
  }

  /** Whether steps are seen to pass: never for those who asked their system for less motion. */
  get on() {
    return this.wanted && !this.calm.matches;
  }

  /**
   * Leads to `step`. The picture moves from `seen` to `until`: what it shows now, and at the end.
   * @param picture steps
   */
  go(step: number, { seen, until }: { seen: number; until: number }) {
    this.stop();
    const far = Math.abs(until - seen);
    if (!this.on || far < 2 || document.hidden) {
      this.player.go(step);
      return;
    }
    this.to = step;
    const long = Math.min(far * EACH_STEP, LONGEST_WAY);
    const began = performance.now();
    const tick = (now: number) => {
      const part = Math.max(now - began, 0) / long;
      if (part >= 1) {
        this.finish();
        return;
      }
      this.frame = requestAnimationFrame(tick);
      this.at = seen + Math.trunc((until - seen) * part);
      this.player.go(this.at);
    };
    this.at = this.player.step;
    this.frame = requestAnimationFrame(tick);
    this.player.present.show();
  }

  /** Jumps to its end; false if nothing moves. */
  finish() {
    const { to, player } = this;
    this.stop();
    if (to === null) return false;
    if (player.step === to) player.paint();
    else player.go(to);
    return true;
  }

  /** Whoever goes to another step ends it there. */
  seen(step: number) {
    if (step !== this.at) this.stop();
  }

  stop() {
    cancelAnimationFrame(this.frame);
    this.to = null;
  }

  /** Switches it on or off, for this browser, and says so. */
  toggle() {
    const { words, notes, live } = this.player;
    this.wanted = !this.wanted;
    keepText(KEPT_WAY, this.wanted ? "1" : "0");
    const said = !this.wanted ? words.present.way_off : this.on ? words.present.way_on : words.present.way_calm;
    notes.say([said]);
    live.tell(said);
  }
}
