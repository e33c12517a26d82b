// The button that reads SQL: it says that it reads, and can be pressed again, whatever came of it.
import assert from "node:assert/strict";
import test from "node:test";
import { readSql } from "../../ui/author/from_sql.ts";

const WORDS = { sql: { read: "Read", reading: "Reading" }, doors: { too_large: "{limit} kB at most" } };

/** A dialog whose drafts are opened by `fresh`. */
function doorsWith(fresh) {
  return { author: { words: WORDS, base: { most_bytes: 2048, sql_example: "SELECT 1" } }, problem: {}, fresh };
}

/** What became of the button after a press, and what it was while the text was read. */
async function pressed(fresh, files = []) {
  const button = { disabled: false, textContent: "Read" };
  let during = null;
  const doors = doorsWith(async (command) => {
    during = { ...button };
    await fresh(command);
  });
  const ended = await readSql(doors, { value: "" }, { files }, button).then(
    () => "",
    (error) => error.message,
  );
  return { button, during, ended, doors };
}

test("while it reads the button says so, and then it reads again", async () => {
  const { button, during } = await pressed(() => {});
  assert.deepEqual(during, { disabled: true, textContent: "Reading" });
  assert.deepEqual(button, { disabled: false, textContent: "Read" });
});

test("a draft that cannot be opened leaves a button that can be pressed", async () => {
  const { button, ended } = await pressed(() => {
    throw new Error("the page could not draw it");
  });
  assert.equal(ended, "the page could not draw it");
  assert.deepEqual(button, { disabled: false, textContent: "Read" });
});

test("a file that is too large is not sent", async () => {
  const { doors, during } = await pressed(() => {}, [{ size: 4096 }]);
  assert.equal(during, null);
  assert.equal(doors.problem.textContent, "2 kB at most");
});
