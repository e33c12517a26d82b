// Reads packed payloads, one path a line, and prints what the browser shows: a JSON line for each payload and level.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { Facts } from "../../ui/player/base/facts.ts";
import { Times, duration } from "../../ui/player/base/format.ts";
import { Telling } from "../../ui/player/base/telling.ts";

const [, , kind, path] = process.argv;
const given = readFileSync(path, "utf-8");

if (kind === "steps") {
  for (const file of given.trim().split("\n")) {
    const payload = JSON.parse(gunzipSync(readFileSync(file)).toString("utf-8"));
    const facts = new Facts(payload.tables, payload.strings);
    const telling = new Telling(payload, facts, new Times(payload.style, payload.words));
    for (const level of telling.levels) {
      telling.take(level);
      const told = [];
      for (let step = 0; step < facts.table("steps").length; step += 1) {
        const { what, why } = telling.told(step);
        told.push([what, why, telling.condition(step), telling.live(step), telling.trail(step)]);
      }
      process.stdout.write(`${JSON.stringify(told)}\n`);
    }
  }
} else {
  const { style, times, durations } = JSON.parse(given);
  const writes = new Times(style, {});
  process.stdout.write(
    JSON.stringify({
      exact: times.map((ms) => writes.precise(ms)),
      record: times.map((ms) => writes.record(ms)),
      window: times.map((ms) => writes.window(ms, ms)),
      durations: durations.map(duration),
    }),
  );
}
