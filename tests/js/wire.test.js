// The questions of the Author page: one at a time, every edit made, and none computed that nobody will look at.
import assert from "node:assert/strict";
import test, { beforeEach } from "node:test";
import { EDIT, Wire } from "../../ui/author/wire.ts";

const BEFORE = ["show", "typing", "preview", "hints", EDIT];

/** Whether a question under way ends when the page says that it is overtaken: so in a site. */
let ends = false;
let overtaken = 0;

const page = new EventTarget();
page.addEventListener("tidemark:overtaken", (event) => {
  overtaken += 1;
  if (ends) event.preventDefault();
});

beforeEach(() => {
  overtaken = 0;
});

/** A page with the questions that it has sent. */
function opened() {
  globalThis.window = page;
  const sent = [];
  const letGo = [];
  const wire = new Wire(
    (question) => sent.push(question),
    () => {},
    (question) => letGo.push(question),
  );
  const edit = (name) => wire.ask(() => ({ text: "", before: null, edit: name }), EDIT, BEFORE);
  const answer = async (more = {}) => {
    wire.hear({ ...sent.at(-1), ...more });
    await Promise.resolve();
  };
  return { wire, sent, letGo, edit, answer };
}

const asked = (sent) => sent.map(({ edit, only_text: onlyText }) => [edit, Boolean(onlyText)]);

test("of edits that wait, all are made and the last one is shown", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  ends = false;
  const { sent, edit, answer } = opened();
  const replies = ["a", "b", "c"].map((name) => edit(name));
  await answer();
  await answer();
  await answer();
  assert.deepEqual(asked(sent), [
    ["a", false],
    ["b", true],
    ["c", false],
  ]);
  assert.deepEqual(
    (await Promise.all(replies)).map((reply) => reply.edit),
    ["a", "b", "c"],
  );
});

test("in a site a long edit ends for the next one, and is made all the same", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  ends = true;
  const { wire, sent, edit, answer } = opened();
  const first = edit("a");
  const next = edit("b");
  context.mock.timers.tick(200);
  assert.equal(overtaken, 0, "a quick one is shown first");
  context.mock.timers.tick(300);
  await Promise.resolve();
  assert.equal(overtaken, 1);
  wire.hear({ ...sent[0], said: "too late" });
  await answer({ said: "made" });
  await answer();
  assert.deepEqual(asked(sent), [
    ["a", false],
    ["a", true],
    ["b", false],
  ]);
  assert.deepEqual([(await first).said, (await next).edit], ["made", "b"]);
});

test("in the app, which cannot end a computation, the next edit waits for it", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  ends = false;
  const { sent, edit, answer } = opened();
  edit("a");
  edit("b");
  context.mock.timers.tick(1000);
  await Promise.resolve();
  assert.deepEqual(asked(sent), [["a", false]]);
  await answer();
  assert.deepEqual(asked(sent).at(-1), ["b", false]);
});

test("an edit that the reader stops is not made, and the page hears of it", async () => {
  const { sent, letGo, edit } = opened();
  const first = edit("a");
  page.dispatchEvent(new Event("tidemark:unanswered"));
  assert.equal(await first, null);
  assert.equal(sent.length, 1);
  await Promise.resolve();
  assert.deepEqual(letGo, sent);
});

test("a question that an address took back, which opens the same page, is asked again", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const { wire, sent, edit, answer } = opened();
  edit("a");
  page.dispatchEvent(new CustomEvent("tidemark:lost"));
  assert.deepEqual(asked(sent), [
    ["a", false],
    ["a", false],
  ]);
  await answer();
  page.dispatchEvent(new CustomEvent("tidemark:lost"));
  assert.equal(sent.length, 2);
  wire.close();
});
