// An animation: each frame is drawn where it looks as on the screen, and goes into the file at once.
import { Paper, painted } from "./figure.ts";
import { Gif } from "./gif.ts";
import type { Player } from "../player.ts";
import type { FramesBy, Progress } from "../types/share.ts";

export const MOST_FRAMES = 60;
const FRAME_SIZE = { wide: 1120, high: 700 };
// How long (ms) a frame stays on the screen.
const FRAME_PAUSE = { step: 350, other: 900, last: 2500 };

/** The steps of the frames from `from` to `to` (both inclusive), at most `MOST_FRAMES` of them. */
export function framesOf(player: Player, by: FramesBy, from: number, to: number) {
  const { payload } = player;
  const steps = {
    record: () => payload.items.slice(1).map((step) => step - 1),
    mark: () => payload.marks.map((each) => each.step),
    beat: () => payload.beats.map((each) => each.step),
    step: () => Array.from({ length: to - from + 1 }, (_, index) => from + index),
  }[by]();
  const all = [...new Set([from, ...steps.filter((step: number) => step > from && step < to), to])].sort(
    (a, b) => a - b,
  );
  if (all.length <= MOST_FRAMES) return all;
  return Array.from(
    { length: MOST_FRAMES },
    (_, index) => all[Math.round((index * (all.length - 1)) / (MOST_FRAMES - 1))],
  );
}

/** One animation in the making. `tell` is called as it proceeds. */
export class AnimationJob {
  player: Player;
  steps: number[];
  tell: (progress: Progress) => void;
  pause: number;
  stopped = false;

  constructor(player: Player, steps: number[], by: FramesBy, tell: (progress: Progress) => void) {
    this.player = player;
    this.steps = steps;
    this.tell = tell;
    this.pause = by === "step" ? FRAME_PAUSE.step : FRAME_PAUSE.other;
  }

  /** The GIF; null if the reader stopped it. */
  async make() {
    const { steps } = this;
    const { wide, high } = FRAME_SIZE;
    const paper = new Paper(this.player, FRAME_SIZE);
    const gif = new Gif(wide, high);
    try {
      await paper.open();
      paper.reserve(steps);
      for (const [number, step] of steps.entries()) {
        this.tell({ done: number + 1, total: steps.length });
        await new Promise((rested) => setTimeout(rested)); // the page shows how far it is, and hears the reader
        if (this.stopped) return null;
        const { data } = painted(paper.draw(step), wide, high).getImageData(0, 0, wide, high);
        gif.add(data, number === steps.length - 1 ? FRAME_PAUSE.last : this.pause);
      }
    } finally {
      paper.close();
    }
    return new Blob([gif.end()], { type: "image/gif" });
  }

  stop() {
    this.stopped = true;
  }
}
