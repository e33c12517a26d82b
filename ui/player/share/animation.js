// An animation: frames are drawn here, where they look as they do on the screen; the server joins them to a GIF.
import { ask } from "./desk.js";
import { Paper, asPng } from "./figure.js";
import { base64 } from "../base/save.js";
/** @import { Fields } from "../types/player.d.ts" */
/** @import { Player } from "../player.js" */
/** @import { FramesBy, Progress } from "../types/share.d.ts" */

export const MOST_FRAMES = 60;
const FRAME_SIZE = { wide: 1120, high: 700 };
// How long (ms) a frame stays on the screen.
const FRAME_PAUSE = { step: 350, other: 900 };
const PORTION_CHARACTERS = 1500000;
// How often (ms) to ask how far the server is.
const LOOK_AGAIN = 400;

/**
 * The steps of the frames from `from` to `to` (both inclusive), at most `MOST_FRAMES` of them.
 * @param {Player} player
 * @param {FramesBy} by
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

/** One animation in the making. `tell` is called as it proceeds. */
export class AnimationJob {
  /**
   * @param {Player} player
   * @param {number[]} steps
   * @param {FramesBy} by
   * @param {(stage: string, fields: Progress) => void} tell
   */
  constructor(player, steps, by, tell) {
    this.player = player;
    this.steps = steps;
    this.tell = tell;
    this.pause = by === "step" ? FRAME_PAUSE.step : FRAME_PAUSE.other;
    this.stopped = false;
    /** @type {string | null} */
    this.id = null;
  }

  /** The GIF; null if the reader stopped it. */
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

  /** Draws the frames and sends them in portions, each after the one before it has arrived. */
  async draw() {
    const paper = new Paper(this.player, FRAME_SIZE);
    /** @type {string[]} */
    let portion = [];
    let size = 0;
    const send = async () => {
      if (portion.length) await this.asked("frames", { frames: portion });
      portion = [];
      size = 0;
    };
    try {
      await paper.open();
      paper.reserve(this.steps);
      for (const [number, step] of this.steps.entries()) {
        this.check();
        this.tell("drawing", { done: number + 1, total: this.steps.length });
        const blob = await asPng(paper.draw(step), FRAME_SIZE.wide, FRAME_SIZE.high, 1);
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
