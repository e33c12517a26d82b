// Python in a thread of its own: unpacks the simulator and what the pages ask of it, and answers their questions.
import { live } from "./life.ts";
import type { Answering, Asked, Started, WorkerSays } from "./types.ts";

const WORKPLACE = "/tidemark";
const DESK = "tidemark.ui.site.engine";

/**
 * An answer leaves few cycles behind, and the modules none. Python's collector would walk through all of them again and
 * again, which took a sixth of a sweep.
 */
const COLLECTS_SELDOM = "import gc; gc.freeze(); gc.set_threshold(100_000)";

/** How often (ms) Python looks whether its question was taken back; a look takes two or three. */
const LOOK_MS = 100;

/** Python offers to be interrupted many times in a millisecond; of so many times one looks at the clock. */
const EVERY = 64;

const SIGINT = 2;

let starting: Promise<Answering> | null = null;

/** The token of the question that is being answered; "" once it was taken back. */
let token = "";

function tellPage(said: WorkerSays, hand: Transferable[] = []) {
  self.postMessage(said, { transfer: hand });
}

/** Whether the page has revoked a token (engine.ts). Only a request that waits can be made while Python works. */
function isRevoked(address: string) {
  const request = new XMLHttpRequest();
  request.open("GET", address, false);
  try {
    request.send();
    return false;
  } catch {
    return true;
  }
}

/** Shared memory, as Pyodide knows it: the number of a signal, until Python has taken it. */
const signal = [0];

let left = EVERY;
let looked = 0;

/** What Pyodide finds whenever it looks for a signal: nothing, in next to no time, or SIGINT. */
function signalled() {
  if (signal[0]) return signal;
  left -= 1;
  if (left > 0) return undefined;
  left = EVERY;
  if (!token || performance.now() - looked < LOOK_MS) return undefined;
  if (isRevoked(token)) {
    token = "";
    signal[0] = SIGINT;
  }
  looked = performance.now();
  return signal[0] ? signal : undefined;
}

/**
 * Lets Python be interrupted. An object with a getter for its member 0 would do as a buffer, but engines run getters
 * of numbered members slowly: that took 6 % of all time. So the buffer itself is a getter, and there is none mostly.
 */
function interruptible(pyodide: any) {
  pyodide.setInterruptBuffer(signal);
  Object.defineProperty(pyodide._module, "Py_EmscriptenSignalBuffer", { get: signalled });
}

/** Tells the page of each file that has arrived. Returns what ends that. */
function tellWhatArrives() {
  const watching = new PerformanceObserver((seen) => {
    for (const { name } of seen.getEntries()) tellPage({ arrived: name });
  });
  watching.observe({ type: "resource", buffered: true });
  return () => watching.disconnect();
}

async function started({ glue, folder, library, code, token: good }: Started) {
  live(good, () => tellPage({ lives: good }));
  const allHere = tellWhatArrives();
  const { loadPyodide }: { loadPyodide: (options: object) => Promise<any> } = await import(glue);
  const fetched = fetch(code).then((answer) => {
    if (!answer.ok || !answer.body) throw new Error(`${code}: ${answer.status}`);
    return new Response(answer.body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  });
  const pyodide = await loadPyodide({ indexURL: folder, stdLibURL: library });
  allHere();
  pyodide.unpackArchive(await fetched, "zip", { extractDir: WORKPLACE });
  pyodide.runPython(`import sys; sys.path.insert(0, "${WORKPLACE}")`);
  const { answered } = pyodide.pyimport(DESK);
  pyodide.runPython(COLLECTS_SELDOM);
  // Where a token cannot be read at all, Python is not interrupted: the page ends it after a while.
  if (!isRevoked(good)) interruptible(pyodide);
  return answered;
}

async function answerAsked({ number, text, token: own }: Asked) {
  try {
    const answered = await (starting as Promise<Answering>);
    token = own;
    looked = performance.now();
    const proxy = answered(text);
    const bytes = proxy.toJs();
    proxy.destroy();
    tellPage({ number, bytes }, [bytes.buffer]);
  } catch (error) {
    const { type } = error as { type?: string };
    tellPage(type === "KeyboardInterrupt" ? { number, stopped: true } : { number, failed: String(error) });
  }
}

self.addEventListener("message", ({ data }) => {
  if ("start" in data) starting ??= started(data.start);
  else answerAsked(data);
});
