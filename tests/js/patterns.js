// Regular expressions of the app's TypeScript that a text can hold up: each is tried with one thing repeated.
import { readdirSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tokenize } from "espree";

const LENGTH = 20_000;
const SLOW_MS = 80; // of processor time: one that is linear needs less than 3, one that is quadratic 250 or more
const USUAL = [...' \na0水"\\-.,:{}`<>/', "a ", "1,", '\\"'];
const BEFORE = ["", '"', "{", "<", "`", "a", "1"];
const AFTER = ["", "\n", "!"];

/** @param {RegExp} pattern */
function slowText(pattern) {
  const own = [...new Set(pattern.source.replace(/\\./g, ""))].filter((each) => !"()[]{}*+?|^$".includes(each));
  for (const before of [...BEFORE, ...own.slice(0, 4)]) {
    for (const repeated of new Set([...USUAL, ...own])) {
      for (const after of AFTER) {
        const text = before + repeated.repeat(LENGTH / repeated.length) + after;
        const began = process.cpuUsage().user;
        pattern.lastIndex = 0;
        text.replace(pattern, "");
        if (process.cpuUsage().user - began > SLOW_MS * 1000) return JSON.stringify([before, repeated, after]);
      }
    }
  }
  return null;
}

const say = (/** @type {unknown} */ line) => process.stdout.write(`${line}\n`);
let count = 0;
const files = process.argv.slice(2).flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf-8" })
    .filter((each) => each.endsWith(".ts"))
    .map((each) => `${folder}/${each}`),
);
for (const file of files) {
  const tokens = tokenize(stripTypeScriptTypes(readFileSync(file, "utf-8")), {
    ecmaVersion: "latest",
    sourceType: "module",
  });
  for (const { type, regex } of tokens) {
    if (type !== "RegularExpression") continue;
    count += 1;
    const slow = slowText(new RegExp(regex.pattern, regex.flags));
    if (slow) say(`${file} /${regex.pattern}/${regex.flags} ${slow}`);
  }
}
say(count);
