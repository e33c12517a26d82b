// Compiles Python's own library and the site's code to bytecode, in the Python that the browser will run:
//     node bytecode.mjs FOLDER_OF_PYODIDE CODE_ZIP ENGINE OUT
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, code, engine, out] = process.argv.slice(2);
const LIBRARY = "python_stdlib.zip";
const MADE = "/made";

const { loadPyodide } = await import(pathToFileURL(join(folder, "pyodide.mjs")).href);
const pyodide = await loadPyodide({ indexURL: folder, env: { PYTHONNODEBUGRANGES: "1" } });
/** @type {[string, string][]} each file in Python's own file system, and where it comes from */
const files = [
  [`/${LIBRARY}`, join(folder, LIBRARY)],
  ["/code.zip", code],
];
for (const [name, path] of files) pyodide.FS.writeFile(name, new Uint8Array(await readFile(path)));
pyodide.FS.mkdir(MADE);
pyodide.runPython(await readFile(new URL("bytecode.py", import.meta.url), "utf8"));
pyodide.globals.get("compile_all")(`/${LIBRARY}`, "/code.zip", engine, MADE);
for (const [name] of files) await writeFile(join(out, name), pyodide.FS.readFile(`${MADE}${name}`));
