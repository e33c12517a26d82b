// Python in the browser from the page's side: questions wait for their answers, and a dead worker is started again.
import assert from "node:assert/strict";
import test from "node:test";
import { Engine, EngineFailed } from "../../ui/site/engine.js";
import { packedAnswer } from "../../ui/site/desk.js";

/** Every worker that was started, with the questions that it got. */
const started = [];

globalThis.document = { baseURI: "file:///course/" };
globalThis.Worker = class {
  constructor(address) {
    Object.assign(this, { address, asked: [], ended: false, hear: {} });
    started.push(this);
  }

  addEventListener(name, hear) {
    this.hear[name] = hear;
  }

  postMessage(message) {
    this.asked.push(message);
  }

  terminate() {
    this.ended = true;
  }

  says(data) {
    this.hear.message({ data });
  }
};

const FILES = { worker: "files/w.js", glue: "files/p/p.mjs", folder: "files/p/", code: "files/c.zip" };
const answerTo = ({ number }, said) => ({ number, bytes: packedAnswer(0, { said, body: new Uint8Array([7]) }) });

test("a question starts Python once, and each answer goes to whoever asked", async () => {
  started.length = 0;
  const heard = [];
  const engine = new Engine(FILES, (...said) => heard.push(said));
  const answers = [engine.ask("run", "en", { text: "a" }), engine.ask("run", "zh")];
  const [worker] = started;
  assert.equal(started.length, 1);
  assert.equal(worker.address, "file:///course/files/w.js");
  const [start, first, second] = worker.asked;
  assert.equal(start.start.folder, "file:///course/files/p/");
  assert.deepEqual(JSON.parse(first.text), { text: "a", do: "run", language: "en" });
  worker.says(answerTo(second, { it: "second" }));
  worker.says(answerTo(first, { it: "first" }));
  const [{ said, body }, other] = await Promise.all(answers);
  assert.deepEqual([said.it, other.said.it, [...body]], ["first", "second", [7]]);
  assert.deepEqual(heard.at(0), [true, false]);
  assert.deepEqual(heard.at(-1), [false, true]);
});

test("a failure ends every question, and the next one starts Python again", async () => {
  started.length = 0;
  const engine = new Engine(FILES, () => {});
  const [one, two] = [engine.ask("run", "en"), engine.ask("run", "en")];
  started[0].says({ number: started[0].asked[1].number, failed: "out of memory" });
  await assert.rejects(one, EngineFailed);
  await assert.rejects(two, /out of memory/);
  assert.equal(started[0].ended, true);
  const again = engine.ask("run", "en");
  assert.equal(started.length, 2);
  started[1].says(answerTo(started[1].asked[1], {}));
  assert.deepEqual((await again).said, { number: 0 });
  engine.fail("stopped");
  assert.equal(started[1].ended, true);
});
