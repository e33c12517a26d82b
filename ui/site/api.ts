// The simulator for any page of the same origin: `import { run } from "…/tidemark.js"`, then `await run(text)`.
import { Engine } from "./engine.ts";
import type { EngineFiles } from "./types.ts";

/** A scenario was refused; the message is what `python -m simulator check` prints. */
export class Refused extends Error {}

let simulator: Promise<Engine> | null = null;

/** The files of the engine lie beside this one, which keeps its name from version to version. */
async function simulatorHere() {
  const address = new URL("engine.json", import.meta.url).href;
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: status ${answer.status}; was the site made without Python?`);
  const files: Omit<EngineFiles, "sizes"> = await answer.json();
  const at = (path: string) => new URL(path, import.meta.url).href;
  const { worker, glue, folder, library, code } = files;
  const there = { worker: at(worker), glue: at(glue), folder: at(folder), library: at(library), code: at(code) };
  return new Engine(there, () => {});
}

/** the name of the file, the language of messages */
type RunOptions = { file?: string; language?: string };

/**
 * The rows of a scenario, as the JSON Lines that `python -m simulator run` prints. Rejects with `Refused`, or with
 * another error where Python cannot be started; the next call tries again.
 * @param text YAML, or JSON where the file's name ends so
 */
export async function run(text: string, options?: RunOptions) {
  if (!simulator) {
    simulator = simulatorHere();
    // What could not be fetched may be there the next time.
    simulator.catch(() => (simulator = null));
  }
  return runWith(await simulator, text, options);
}

/** The same with an engine that is there already. */
export async function runWith(
  engine: Engine,
  text: string,
  { file = "scenario.yaml", language = "en" }: RunOptions = {},
) {
  const { said, body } = await engine.ask("run", language, { text, file });
  if (said.problem) throw new Refused(said.problem);
  return new TextDecoder().decode(body);
}
