// Answers what tests ask, a JSON line each: modules of the app that need no page, in a process that stays.
import { createInterface } from "node:readline";
import { Facts } from "../../ui/player/base/facts.ts";
import { Times } from "../../ui/player/base/format.ts";
import { Telling } from "../../ui/player/base/telling.ts";
import { StepFinder } from "../../ui/player/frame/finder.ts";
import { idleRemedy, remedy } from "../../ui/player/why/holders.ts";

let finder;

const ANSWERS = {
  /** Facts of packed tables at some steps, and all of them; where a column has a value, at the same steps. */
  facts({ tables, strings, steps, where: [table, column, value] = ["", "", null] }) {
    const facts = new Facts(tables, strings);
    const names = Object.keys(tables);
    return {
      at: steps.map((step) => Object.fromEntries(names.map((name) => [name, facts.at(name, step)]))),
      where: steps.map((step) => facts.where(table, column, value, step)),
      all: Object.fromEntries(names.map((name) => [name, facts.all(name)])),
    };
  },

  /** From here on queries are about this payload, of which the steps in `bookmarks` are marked. */
  open({ payload, bookmarks }) {
    const facts = new Facts(payload.tables, payload.strings);
    const times = new Times(payload.style, payload.words);
    new Telling(payload, facts, times);
    finder = new StepFinder({ payload, facts, times, bookmarks: new Set(bookmarks) });
    return null;
  },

  find({ query }) {
    try {
      return finder.find(query);
    } catch (problem) {
      return { wrong: problem.name, fields: problem.fields, at: problem.at, to: problem.to };
    }
  },

  remedies: ({ waiting }) =>
    waiting.map(({ needs, channels, watermark }) => [remedy(needs, channels), idleRemedy(needs, channels, watermark)]),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { about, ...question } = JSON.parse(line);
  process.stdout.write(`${JSON.stringify(ANSWERS[about](question))}\n`);
}
