// The frame of the offline page: it may come after the reader has asked for the file.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { ask, kit } from "../../ui/player/share/desk.ts";

const frame = new Uint8Array([31, 139]);

/** What the component of ui/share/desk.py does when Streamlit mounts it. */
function mounted() {
  const desk = (globalThis.tidemarkDesk ??= { waiting: new Map(), number: 0 });
  desk.kit = frame;
  desk.kitCame?.();
}

afterEach(() => {
  globalThis.tidemarkDesk = undefined;
});

test("a frame that is there is given at once", async () => {
  mounted();
  assert.equal(await kit(), frame);
});

test("whoever asks before it has come gets it when it comes, however many ask", async () => {
  const asked = [kit(), kit()];
  mounted();
  assert.deepEqual(await Promise.all(asked), [frame, frame]);
});

test("a page that gets none says so after a while", async () => {
  await assert.rejects(kit(1), /unanswered/);
});

test("a question waits for Python that is being started, and no longer than that", async () => {
  let looks = 0;
  globalThis.tidemarkDesk = { waiting: new Map(), number: 0, starting: () => (looks += 1) < 3 };
  await assert.rejects(ask("tryout", {}, 1), /unanswered/);
  assert.equal(looks, 3);
});

test("an answer that comes after Python has started is taken", async () => {
  globalThis.tidemarkDesk = { waiting: new Map(), number: 0, starting: () => true };
  const asked = ask("tryout", {}, 1);
  await new Promise((resolve) => {
    setTimeout(resolve, 20);
  });
  const [{ done }] = globalThis.tidemarkDesk.waiting.values();
  done({ said: {}, body: new Uint8Array(0) });
  assert.deepEqual((await asked).said, {});
});
