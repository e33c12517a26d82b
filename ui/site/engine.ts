// The page's end: starts Python once, asks it one question after another, and starts it again if it dies.
//
// A question can be taken back while Python works on it. Shared memory, by which a page would tell Python so at once,
// needs headers that plain hosting does not send; so each question carries a token, a URL that the page has made. To
// take the question back the page revokes it, and Python, which looks it up every now and then (worker.ts), stops.
import { readAnswer } from "../player/base/facts.ts";
import { whenItDies } from "./life.ts";
import type { Answered, EngineFiles, WorkerSays } from "./types.ts";

/** Python cannot be started here, or has failed; the message is for developers. */
export class EngineFailed extends Error {}

/** The question was taken back. */
export class TakenBack extends EngineFailed {
  byReader: boolean;

  /** @param byReader false: a newer question took its place */
  constructor(byReader: boolean) {
    super("taken back");
    this.byReader = byReader;
  }
}

/** How long (ms) Python may take to stop before it is ended, which costs the seconds of another start. */
const PATIENCE_MS = 2500;

/** A token: Python can read it until it is revoked. */
const newToken = () => URL.createObjectURL(new Blob(["1"]));

interface Waiting {
  number: number;
  text: string;
  slot: string;
  takenBack: boolean;
  done: (answer: Answered) => void;
  failed: (error: EngineFailed) => void;
}

export class Engine {
  files: Omit<EngineFiles, "sizes">;
  onBusy: (busy: boolean, ready: boolean) => void;
  onArrived: (address: string) => void;
  busy = false;
  worker: Worker | null = null;
  ready = false;
  /** How often Python has been started. */
  starts = 0;
  number = 0;
  waiting: Waiting[] = [];
  /** the question that Python works on */
  asked: (Waiting & { token: string }) | null = null;
  patience?: ReturnType<typeof setTimeout>;
  /** Ends the watch over the worker's life. */
  unwatch = () => {};

  /**
   * @param onBusy hears whether somebody waits, and whether Python runs
   * @param onArrived hears of each file of Python that has arrived
   */
  constructor(
    files: Omit<EngineFiles, "sizes">,
    onBusy: (busy: boolean, ready: boolean) => void,
    onArrived: (address: string) => void = () => {},
  ) {
    this.files = files;
    this.onBusy = onBusy;
    this.onArrived = onArrived;
  }

  /** Starts Python, unless it runs. */
  start() {
    if (this.worker) return;
    const at = (path: string) => new URL(path, document.baseURI).href;
    const worker = new Worker(at(this.files.worker), { type: "module" });
    this.worker = worker;
    this.starts += 1;
    worker.addEventListener("message", (event: MessageEvent<WorkerSays>) => this.hear(event.data));
    worker.addEventListener("error", (event) => this.fail(event.message || "the worker could not be started"));
    const { glue, folder, library, code } = this.files;
    const start = { glue: at(glue), folder: at(folder), library: at(library), code: at(code), token: newToken() };
    worker.postMessage({ start });
  }

  /**
   * @param what one of the things that ui/site/engine.py does
   * @param slot a question takes back an older one in the same slot
   * @returns rejected with `EngineFailed`
   */
  ask(what: string, language: string, more: { [part: string]: unknown } = {}, slot = ""): Promise<Answered> {
    this.start();
    if (slot) this.takeBack(slot);
    const number = (this.number += 1);
    const text = JSON.stringify({ ...more, do: what, language });
    return new Promise((done, failed) => {
      this.waiting.push({ number, text, slot, takenBack: false, done, failed });
      this.next();
    });
  }

  /** Asks what waits, if nothing is under way. */
  next() {
    let asks = false;
    if (!this.asked && this.worker && this.waiting.length) {
      this.asked = { ...(this.waiting.shift() as Waiting), token: newToken() };
      const { number, text, token } = this.asked;
      this.worker.postMessage({ number, text, token });
      asks = true;
    }
    const busy = this.waiting.length > 0 || Boolean(this.asked && !this.asked.takenBack);
    if (asks || busy !== this.busy) this.onBusy(busy, this.ready);
    this.busy = busy;
  }

  /** Takes back the questions in a slot. */
  takeBack(slot: string) {
    for (const each of this.waiting.filter((one) => one.slot === slot)) each.failed(new TakenBack(false));
    this.waiting = this.waiting.filter((one) => one.slot !== slot);
    if (this.asked?.slot === slot) this.stop(false);
  }

  /** Takes back the question that Python works on. */
  stop(byReader = true) {
    const { asked } = this;
    if (!asked || asked.takenBack) return;
    asked.takenBack = true;
    URL.revokeObjectURL(asked.token);
    // While it is being started, Python looks at nothing, and is worth waiting for.
    if (this.ready) this.patience = setTimeout(() => this.again(), PATIENCE_MS);
    this.next();
    asked.failed(new TakenBack(byReader));
  }

  hear(said: WorkerSays) {
    if ("arrived" in said) {
      this.onArrived(said.arrived);
      return;
    }
    if ("lives" in said) {
      this.unwatch = whenItDies(said.lives, () => this.fail("the worker has ended"));
      return;
    }
    const { asked } = this;
    if (said.number !== asked?.number) return;
    this.leave();
    this.ready = this.ready || !("failed" in said);
    if ("failed" in said) {
      asked.failed(new EngineFailed(said.failed));
      // An error in Python may have left anything behind, or Python has not even started.
      this.fail(said.failed);
      return;
    }
    this.next();
    if ("bytes" in said) asked.done(readAnswer(said.bytes));
    else asked.failed(new TakenBack(false));
  }

  /** Nothing is under way any more. */
  leave() {
    clearTimeout(this.patience);
    if (this.asked) URL.revokeObjectURL(this.asked.token);
    this.asked = null;
  }

  end() {
    this.leave();
    this.unwatch();
    this.unwatch = () => {};
    this.worker?.terminate();
    this.worker = null;
    this.ready = false;
  }

  /** Ends Python, and starts it again for the questions that wait. */
  again() {
    this.end();
    if (this.waiting.length) this.start();
    this.next();
  }

  /** Ends Python with all its questions; the next one starts it again. */
  fail(message: string) {
    const left = [...(this.asked ? [this.asked] : []), ...this.waiting];
    this.waiting = [];
    this.end();
    for (const { failed } of left) failed(new EngineFailed(message));
    this.next();
  }
}
