// The page's end: starts Python once, asks it one question after another, and starts it again if it dies.
/** @import { Answered, EngineFiles, WorkerSays } from "./types.d.ts" */

/** Python cannot be started here, or has failed; the message is for developers. */
export class EngineFailed extends Error {}

/**
 * What `answered` of ui/site/engine.py returns: four bytes for the length of what is said, that as JSON, and the rest.
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @returns {Answered}
 */
export function readAnswer(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
  const said = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  return { said, body: bytes.slice(4 + length) };
}

export class Engine {
  /**
   * @param {EngineFiles} files
   * @param {(busy: boolean, ready: boolean) => void} onBusy hears whether somebody waits, and whether Python runs
   */
  constructor(files, onBusy) {
    this.files = files;
    this.onBusy = onBusy;
    /** @type {Worker | null} */
    this.worker = null;
    this.ready = false;
    this.number = 0;
    /** @type {Map<number, { done: (answer: Answered) => void, failed: (error: EngineFailed) => void }>} */
    this.waiting = new Map();
  }

  /** Starts Python, unless it runs. */
  start() {
    if (this.worker) return;
    const at = (/** @type {string} */ path) => new URL(path, document.baseURI).href;
    const worker = new Worker(at(this.files.worker), { type: "module" });
    this.worker = worker;
    worker.addEventListener("message", (/** @type {MessageEvent<WorkerSays>} */ event) => this.hear(event.data));
    worker.addEventListener("error", (event) => this.fail(event.message || "the worker could not be started"));
    const { glue, folder, code } = this.files;
    worker.postMessage({ start: { glue: at(glue), folder: at(folder), code: at(code) } });
  }

  /**
   * @param {string} what one of the things that ui/site/engine.py does
   * @param {string} language
   * @param {{ [part: string]: unknown }} [more]
   * @returns {Promise<Answered>} rejected with `EngineFailed`
   */
  ask(what, language, more = {}) {
    this.start();
    const number = (this.number += 1);
    const text = JSON.stringify({ ...more, do: what, language });
    return new Promise((done, failed) => {
      this.waiting.set(number, { done, failed });
      this.worker?.postMessage({ number, text });
      this.onBusy(true, this.ready);
    });
  }

  /** @param {WorkerSays} said */
  hear(said) {
    const asked = this.waiting.get(said.number);
    this.waiting.delete(said.number);
    this.ready = this.ready || "bytes" in said;
    this.onBusy(this.waiting.size > 0, this.ready);
    if ("bytes" in said) asked?.done(readAnswer(said.bytes));
    else {
      asked?.failed(new EngineFailed(said.failed));
      // An error in Python may have left anything behind, or Python has not even started.
      this.fail(said.failed);
    }
  }

  /**
   * Ends Python with all its questions; the next one starts it again.
   * @param {string} message
   */
  fail(message) {
    this.worker?.terminate();
    this.worker = null;
    this.ready = false;
    const left = [...this.waiting.values()];
    this.waiting.clear();
    for (const { failed } of left) failed(new EngineFailed(message));
    this.onBusy(false, false);
  }
}
