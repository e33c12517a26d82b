// Python in a thread of its own: unpacks the simulator and what the pages ask of it, and answers their questions.
/** @import { Answering, Asked, Started, WorkerSays } from "./types.d.ts" */

const WORKPLACE = "/tidemark";
const DESK = "ui.site.engine";

/** How often (ms) Python looks whether its question was taken back; a look takes two or three. */
const LOOK_MS = 100;

/** Python offers to be interrupted many times in a millisecond; of so many times one looks at the clock. */
const EVERY = 64;

const SIGINT = 2;

/** @type {Promise<Answering> | null} */
let starting = null;

/** The token of the question that is being answered; "" once it was taken back. */
let token = "";

/** @param {WorkerSays} said @param {Transferable[]} [hand] */
function tellPage(said, hand = []) {
  self.postMessage(said, { transfer: hand });
}

/**
 * Whether the page has revoked a token (engine.js). Only a request that waits can be made while Python works.
 * @param {string} address
 */
function isRevoked(address) {
  const request = new XMLHttpRequest();
  request.open("GET", address, false);
  try {
    request.send();
    return false;
  } catch {
    return true;
  }
}

/** What Pyodide reads, as it would read shared memory: the number of a signal, or 0. */
class Signals {
  constructor() {
    this.left = EVERY;
    this.looked = 0;
  }

  /** From now on for another question. */
  begin() {
    this.looked = performance.now();
  }

  get 0() {
    this.left -= 1;
    if (this.left > 0) return 0;
    this.left = EVERY;
    if (!token || performance.now() - this.looked < LOOK_MS) return 0;
    const gone = isRevoked(token);
    this.looked = performance.now();
    if (gone) token = "";
    return gone ? SIGINT : 0;
  }

  set 0(_) {
    // Pyodide confirms a signal, which here is sent once.
  }
}

const signals = new Signals();

/** @param {Started} files */
async function started({ glue, folder, code, token: good }) {
  /** @type {{ loadPyodide: (options: object) => Promise<any> }} */
  const { loadPyodide } = await import(glue);
  const fetched = fetch(code).then((answer) => {
    if (!answer.ok) throw new Error(`${code}: ${answer.status}`);
    return answer.arrayBuffer();
  });
  const pyodide = await loadPyodide({ indexURL: folder });
  pyodide.unpackArchive(await fetched, "zip", { extractDir: WORKPLACE });
  pyodide.runPython(`import sys; sys.path.insert(0, "${WORKPLACE}")`);
  const { answered } = pyodide.pyimport(DESK);
  // Where a token cannot be read at all, Python is not interrupted: the page ends it after a while.
  if (!isRevoked(good)) pyodide.setInterruptBuffer(signals);
  return answered;
}

/** @param {Asked} question */
async function answerAsked({ number, text, token: own }) {
  try {
    const answered = await /** @type {Promise<Answering>} */ (starting);
    token = own;
    signals.begin();
    const proxy = answered(text);
    const bytes = proxy.toJs();
    proxy.destroy();
    tellPage({ number, bytes }, [bytes.buffer]);
  } catch (error) {
    const { type } = /** @type {{ type?: string }} */ (error);
    tellPage(type === "KeyboardInterrupt" ? { number, stopped: true } : { number, failed: String(error) });
  }
}

self.addEventListener("message", ({ data }) => {
  if ("start" in data) starting ??= started(data.start);
  else answerAsked(data);
});
