// The simulator for any page of the same origin: `import { run } from "…/tidemark.js"`, then `await run(text)`.
import { Engine } from "./engine.js";
/** @import { EngineFiles } from "./types.d.ts" */

/** A scenario was refused; the message is what `python -m simulator check` prints. */
export class Refused extends Error {}

/** @type {Promise<Engine> | null} */
let simulator = null;

/** The files of the engine lie beside this one, which keeps its name from version to version. */
async function simulatorHere() {
  const address = new URL("engine.json", import.meta.url).href;
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: status ${answer.status}; was the site made without Python?`);
  /** @type {Omit<EngineFiles, "sizes">} */
  const files = await answer.json();
  const at = (/** @type {string} */ path) => new URL(path, import.meta.url).href;
  const { worker, glue, folder, library, code } = files;
  const there = { worker: at(worker), glue: at(glue), folder: at(folder), library: at(library), code: at(code) };
  return new Engine(there, () => {});
}

/** @typedef {{ file?: string, language?: string }} RunOptions the name of the file, the language of messages */

/**
 * The rows of a scenario, as the JSON Lines that `python -m simulator run` prints. Rejects with `Refused`, or with
 * another error where Python cannot be started; the next call tries again.
 * @param {string} text YAML, or JSON where the file's name ends so
 * @param {RunOptions} [options]
 */
export async function run(text, options) {
  if (!simulator) {
    simulator = simulatorHere();
    // What could not be fetched may be there the next time.
    simulator.catch(() => (simulator = null));
  }
  return runWith(await simulator, text, options);
}

/**
 * The same with an engine that is there already.
 * @param {Engine} engine
 * @param {string} text
 * @param {RunOptions} [options]
 */
export async function runWith(engine, text, { file = "scenario.yaml", language = "en" } = {}) {
  const { said, body } = await engine.ask("run", language, { text, file });
  if (said.problem) throw new Refused(said.problem);
  return new TextDecoder().decode(body);
}
