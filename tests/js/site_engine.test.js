// Python in the browser from the page's side: questions wait for their answers, and a dead worker is started again.
import assert from "node:assert/strict";
import test from "node:test";
import { Engine, EngineFailed, TakenBack } from "../../ui/site/engine.ts";
import { packedAnswer } from "../../ui/site/desk.ts";
import { Waiting } from "../../ui/site/computed.ts";

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

/** The tokens that Python can still read. */
const tokens = new Set();
let made = 0;
URL.createObjectURL = () => {
  made += 1;
  tokens.add(`blob:${made}`);
  return `blob:${made}`;
};
URL.revokeObjectURL = (token) => tokens.delete(token);

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
  const [start, first] = worker.asked;
  assert.equal(start.start.folder, "file:///course/files/p/");
  assert.deepEqual(JSON.parse(first.text), { text: "a", do: "run", language: "en" });
  assert.equal(worker.asked.length, 2, "one question is under way, the other one waits");
  worker.says(answerTo(first, { it: "first" }));
  worker.says(answerTo(worker.asked[2], { it: "second" }));
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

test("a worker that ends without a word is noticed at once, one that was ended is not", async () => {
  started.length = 0;
  const watched = new Map();
  const locks = { request: (name, { signal }, died) => new Promise(() => watched.set(name, { signal, died })) };
  Object.defineProperty(globalThis, "navigator", { value: { locks } });
  const engine = new Engine(FILES, () => {});
  const asked = engine.ask("run", "en");
  started[0].says({ lives: "blob:1" });
  watched.get("blob:1").died();
  await assert.rejects(asked, EngineFailed);
  const again = engine.ask("run", "en");
  started[1].says({ lives: "blob:2" });
  assert.equal(watched.get("blob:2").signal.aborted, false);
  engine.fail("ended by the page");
  await assert.rejects(again, /ended by the page/);
  assert.equal(watched.get("blob:2").signal.aborted, true);
});

test("a newer question in its slot takes one back: Python goes on, and answers the newer one", async () => {
  started.length = 0;
  const engine = new Engine(FILES, () => {});
  const ready = engine.ask("ready", "en");
  started[0].says(answerTo(started[0].asked[1], {}));
  await ready;
  const [older, waits, newer] = ["a", "b", "c"].map((text) => engine.ask("compare", "en", { text }, "page"));
  await assert.rejects(older, (error) => error instanceof TakenBack && !error.byReader);
  await assert.rejects(waits, TakenBack);
  const [worker] = started;
  assert.equal(worker.asked.length, 3, "Python has not stopped yet");
  const under = worker.asked[2];
  assert.equal(tokens.has(under.token), false);
  worker.says({ number: under.number, stopped: true });
  assert.equal(JSON.parse(worker.asked[3].text).text, "c");
  assert.equal(tokens.has(worker.asked[3].token), true);
  worker.says(answerTo(worker.asked[3], { it: "c" }));
  assert.equal((await newer).said.it, "c");
  assert.deepEqual([started.length, worker.ended], [1, false]);
});

test("a stopped question ends at once; Python that does not notice is started again for the next", async (context) => {
  started.length = 0;
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const heard = [];
  const engine = new Engine(FILES, (busy) => heard.push(busy));
  const ready = engine.ask("ready", "en");
  started[0].says(answerTo(started[0].asked[1], {}));
  await ready;
  const long = engine.ask("compare", "en");
  engine.stop();
  await assert.rejects(long, (error) => error instanceof TakenBack && error.byReader);
  assert.equal(heard.at(-1), false);
  const next = engine.ask("run", "en");
  context.mock.timers.tick(10_000);
  assert.deepEqual([started.length, started[0].ended], [2, true]);
  started[1].says(answerTo(started[1].asked[1], { it: "next" }));
  assert.equal((await next).said.it, "next");
});

test("what has arrived of Python is counted by the bytes that were sent", () => {
  started.length = 0;
  globalThis.document.createElement = () => ({ setAttribute: () => {}, dataset: {} });
  const waiting = new Waiting({ "files/p/p.wasm": 3_000_000, "files/c.zip": 1_000_000 });
  const engine = new Engine(
    FILES,
    () => {},
    (address) => waiting.hear(address),
  );
  engine.ask("ready", "en").catch(() => {});
  assert.equal(waiting.share, 0);
  started[0].says({ arrived: "file:///course/files/p/p.wasm" });
  started[0].says({ arrived: "file:///course/files/p/p.wasm" });
  started[0].says({ arrived: "file:///course/files/something-else.js" });
  assert.equal(waiting.share, 0.75 * 0.85);
  started[0].says({ arrived: "file:///course/files/c.zip" });
  assert.equal(waiting.share, 0.85, "it still has to start");
  engine.fail("the end");
});
