// Animations where no server joins them: answers what the player asks for one (ui/share/animations.py) on this page.
/** @import { AnimationSaid, Question } from "../player/types/share.d.ts" */
/** @import { SiteWords } from "../player/types/words.d.ts" */
/** @import { Answered, GifAsked, GifFiles, GifSays } from "./types.d.ts" */

const EMPTY_FILE = new Uint8Array(0);
const GIF_TYPE = "image/gif";

/** The animation in the making: one at a time, for the dialog that asks for it is one. */
export class Joiner {
  /** @param {GifFiles} files */
  constructor(files) {
    this.files = files;
    /** @type {Worker | null} */
    this.worker = null;
    /** @type {AnimationSaid} */
    this.told = { job: "", state: "stopped", done: 0, total: 0, received: 0, before: 0 };
    this.pause = 0;
    /** @type {Uint8Array<ArrayBuffer>} */
    this.body = EMPTY_FILE;
  }

  /**
   * @param {string} what start, frames, look, fetch or stop
   * @param {Question} question
   * @param {SiteWords} words
   * @returns {Answered}
   */
  answer(what, question, words) {
    if (what === "start") this.start(Number(question.frames), Number(question.pause));
    else if (question.job !== this.told.job) return { said: { problem: words.no_animation }, body: EMPTY_FILE };
    if (what === "frames") this.take(/** @type {string[]} */ (question.frames));
    if (what === "stop") this.end();
    if (this.told.state === "failed") return { said: { problem: words.no_animation }, body: EMPTY_FILE };
    const { body } = this;
    if (what !== "fetch" || this.told.state !== "done") return { said: { ...this.told }, body: EMPTY_FILE };
    this.body = EMPTY_FILE;
    return { said: { ...this.told, type: GIF_TYPE }, body };
  }

  /**
   * @param {number} total of frames
   * @param {number} pause how long (ms) each is shown
   */
  start(total, pause) {
    this.end();
    const worker = new Worker(new URL(this.files.worker, document.baseURI).href, { type: "module" });
    this.worker = worker;
    worker.addEventListener("message", (/** @type {MessageEvent<GifSays>} */ { data }) => this.hear(data));
    worker.addEventListener("error", () => this.hear({ failed: "the worker could not be started" }));
    this.pause = pause;
    this.body = EMPTY_FILE;
    this.told = { job: crypto.randomUUID(), state: "receiving", done: 0, total, received: 0, before: 0 };
  }

  /** @param {string[]} frames PNG in base64 */
  take(frames) {
    const { told, files } = this;
    for (const png of frames) {
      told.received += 1;
      const last = told.received === told.total;
      /** @type {GifAsked} */
      const asked = { png, palette: files.palette, pause: last ? Math.max(this.pause, files.last) : this.pause, last };
      this.worker?.postMessage(asked);
      if (last) told.state = "running";
    }
  }

  /** @param {GifSays} said */
  hear(said) {
    const { told } = this;
    if ("failed" in said) told.state = "failed";
    else told.done += 1;
    if ("bytes" in said) {
      this.body = said.bytes;
      told.state = "done";
    }
    if (told.state === "failed" || told.state === "done") this.end();
  }

  end() {
    this.worker?.terminate();
    this.worker = null;
  }
}
