// What a browser keeps of the inventory: it survives a reload, and nothing else in its place does harm.
import assert from "node:assert/strict";
import test from "node:test";
import { answersFile, codeOf, emptyForm, keptFrom, newCode } from "../../ui/learning/inventory/keeping.ts";

const EDITION = "ab12cd34";

test("a code is two groups of four, however it is typed", () => {
  assert.match(newCode(), /^[a-z2-9]{4}-[a-z2-9]{4}$/);
  assert.notEqual(newCode(), newCode());
  assert.equal(codeOf(" K7QM 3WXT "), "k7qm-3wxt");
  assert.equal(codeOf("k7qm3wxt"), "k7qm-3wxt");
  for (const typed of ["", "k7qm-3wx", "k7qm-3wxt-a", "k7qm-3wx0", "<b>"]) assert.equal(codeOf(typed), null);
});

test("what is kept comes back as it was", () => {
  const form = { answers: [0, null, 3], at: 2, done: false };
  const kept = { id: "k7qm-3wxt", edition: EDITION, forms: { A: form } };
  assert.deepEqual(keptFrom(kept, EDITION, 3), kept);
});

test("answers to another edition are dropped, the code stays", () => {
  const kept = { id: "k7qm-3wxt", edition: "00000000", forms: { A: { ...emptyForm(3), done: true } } };
  assert.deepEqual(keptFrom(kept, EDITION, 3), { id: "k7qm-3wxt", edition: EDITION, forms: {} });
});

test("whatever else is in that place is nothing", () => {
  for (const read of [null, [], "x", { id: 7 }, { id: "k7qm-3wxt", edition: EDITION, forms: 1 }]) {
    assert.deepEqual(keptFrom(read, EDITION, 3).forms, {});
  }
  const odd = {
    id: "k7qm-3wxt",
    edition: EDITION,
    forms: { A: { answers: [1] }, B: { answers: ["x", 1.5, 2], at: 99 } },
  };
  assert.deepEqual(keptFrom(odd, EDITION, 3).forms, {
    B: { answers: [null, null, 2], at: 2, done: false },
  });
});

test("the file has the finished forms and no score", () => {
  const forms = { A: { answers: [1, 2], at: 1, done: true }, B: { answers: [null, 1], at: 0, done: false } };
  assert.deepEqual(JSON.parse(answersFile({ id: "k7qm-3wxt", edition: EDITION, forms })), {
    tidemark: "inventory",
    edition: EDITION,
    id: "k7qm-3wxt",
    forms: { A: { answers: [1, 2] } },
  });
});
