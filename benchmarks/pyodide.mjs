// Runs a benchmark in Pyodide, as a site does, and prints what it yields, a line of JSON each:
//     node pyodide.mjs FOLDER_OF_PYODIDE CODE_ZIP MODULE OPTIONS
// Python's processor time is that of this process: its own clock there counts the seconds that pass.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, code, module, options] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(join(folder, "pyodide.mjs")).href);
const pyodide = await loadPyodide({ indexURL: folder, stdout: (line) => process.stdout.write(`${line}\n`) });
pyodide.unpackArchive(new Uint8Array(await readFile(code)), "zip", { extractDir: "/site" });
pyodide.globals.set("cpu", () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
});
pyodide.globals.set("said", [module, options]);
pyodide.runPython(`
import gc, json, sys, time
gc.freeze()
gc.set_threshold(100_000)  # as in ui/site/worker.ts
time.process_time = lambda: float(cpu())
sys.path.insert(0, "/site")
from importlib import import_module
module, options = said
for line in import_module(module).measure(**json.loads(options)):
    print(json.dumps(line))
`);
