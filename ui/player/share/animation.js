// An animation: frames are drawn here, where they look as on the screen, and joined to a GIF by the server.
import { ask } from "./desk.js";
import { Paper, asPng } from "./figure.js";
import { base64 } from "./save.js";
/** @import { Fields } from "../types/player.d.ts" */
/** @import { Player } from "../player.js" */

export const MOST_FRAMES = 60;
const FRAME_SIZE = { wide: 1120, high: 700 };
const FRAME_PAUSE = { step: 350, other: 900 };
const PORTION_CHARACTERS = 1500000;
const LOOK_AGAIN = 400;

/**
 * The steps of the frames from `from` to `to` (both inclusive); `by` is "record", "mark", "beat" or "step".
 * @param {Player} player
 * @param {string} by
 * @param {number} from
 * @param {number} to
 */
export function framesOf(player, by, from, to) {
  const { payload } = player;
  const steps = {
    record: () => payload.items.slice(1).map((step) => step - 1),
    mark: () => payload.marks.map((each) => each.step),
    beat: () => payload.beats.map((each) => each.step),
    step: () => Array.from({ length: to - from + 1 }, (_, index) => from + index),
  }[by]();
  const all = [...new Set([from, ...steps.filter((/** @type {number} */ step) => step > from && step < to), to])].sort(
    (a, b) => a - b,
  );
  if (all.length <= MOST_FRAMES) return all;
  return Array.from(
    { length: MOST_FRAMES },
    (_, index) => all[Math.round((index * (all.length - 1)) / (MOST_FRAMES - 1))],
  );
}

class Stopped extends Error {}

/** One animation on its way. `tell(stage, fields)` is called as it goes on. */
export class AnimationJob {
  /**
   * @param {Player} player
   * @param {number[]} steps
   * @param {string} by
   * @param {(stage: string, fields: Fields) => void} tell
   */
  constructor(player, steps, by, tell) {
    Object.assign(this, { player, steps, tell, pause: FRAME_PAUSE[by] ?? FRAME_PAUSE.other, stopped: false, id: null });
  }

  /** The GIF, or null where the reader stopped it. */
  async make() {
    try {
      this.id = (await this.asked("start", { frames: this.steps.length, pause: this.pause })).said.job;
      await this.draw();
      for (;;) {
        const { said } = await this.asked("look");
        if (said.state === "done") break;
        this.tell(said.state === "waiting" && said.before ? "waiting" : "joining", said);
        await new Promise((done) => setTimeout(done, LOOK_AGAIN));
      }
      const { body } = await this.asked("fetch");
      return new Blob([body], { type: "image/gif" });
    } catch (error) {
      if (error instanceof Stopped) return null;
      throw error;
    } finally {
      if (this.id && this.stopped) ask("animation-stop", { job: this.id }).catch(() => null);
      else ask("taken").catch(() => null);
    }
  }

  /** Draws the frames and sends them in portions, each after the one before has arrived. */
  async draw() {
    const paper = new Paper(this.player, FRAME_SIZE);
    let portion = [];
    let size = 0;
    const send = async () => {
      if (portion.length) await this.asked("frames", { frames: portion });
      portion = [];
      size = 0;
    };
    try {
      await paper.open();
      for (const [number, step] of this.steps.entries()) {
        this.check();
        this.tell("drawing", { done: number + 1, total: this.steps.length });
        const blob = await asPng(await paper.draw(step, 1), FRAME_SIZE.wide, FRAME_SIZE.high, 1);
        const frame = base64(new Uint8Array(await blob.arrayBuffer()));
        if (size + frame.length > PORTION_CHARACTERS) await send();
        portion.push(frame);
        size += frame.length;
      }
      await send();
    } finally {
      paper.close();
    }
  }

  stop() {
    this.stopped = true;
  }

  check() {
    if (this.stopped) throw new Stopped();
  }

  /**
   * @param {string} what
   * @param {Fields} [fields]
   */
  async asked(what, fields = {}) {
    this.check();
    const answer = await ask(`animation-${what}`, { ...fields, job: this.id });
    this.check();
    if (answer.said.problem) throw new Error(answer.said.problem);
    return answer;
  }
}
