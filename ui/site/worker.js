// Python in a thread of its own: unpacks the simulator and what the pages ask of it, and answers their questions.
/** @import { Answering, Asked, Started, WorkerSays } from "./types.d.ts" */

const WORKPLACE = "/tidemark";
const DESK = "ui.site.engine";

/** @type {Promise<Answering> | null} */
let starting = null;

/** @param {WorkerSays} said @param {Transferable[]} [hand] */
function tellPage(said, hand = []) {
  self.postMessage(said, { transfer: hand });
}

/** @param {Started} files */
async function started({ glue, folder, code }) {
  /** @type {{ loadPyodide: (options: object) => Promise<any> }} */
  const { loadPyodide } = await import(glue);
  const fetched = fetch(code).then((answer) => {
    if (!answer.ok) throw new Error(`${code}: ${answer.status}`);
    return answer.arrayBuffer();
  });
  const pyodide = await loadPyodide({ indexURL: folder });
  pyodide.unpackArchive(await fetched, "zip", { extractDir: WORKPLACE });
  pyodide.runPython(`import sys; sys.path.insert(0, "${WORKPLACE}")`);
  return pyodide.pyimport(DESK).answered;
}

/** @param {Asked} question */
async function answerAsked({ number, text }) {
  try {
    const answered = await /** @type {Promise<Answering>} */ (starting);
    const proxy = answered(text);
    const bytes = proxy.toJs();
    proxy.destroy();
    tellPage({ number, bytes }, [bytes.buffer]);
  } catch (error) {
    tellPage({ number, failed: String(error) });
  }
}

self.addEventListener("message", ({ data }) => {
  if ("start" in data) starting ??= started(data.start);
  else answerAsked(data);
});
