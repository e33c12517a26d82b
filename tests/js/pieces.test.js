// A large table in pieces: they end at line ends, and together they are the file.
import assert from "node:assert/strict";
import test from "node:test";
import { base64 } from "../../ui/player/base/dom.ts";
import { beginning, cut, linesOf, pieces, unbase64 } from "../../ui/author/wizard.ts";

const CSV = linesOf("utf-8", "csv");
const bytes = (text) => new TextEncoder().encode(text);

/** The pieces of a file with this text, as [text, first line]. */
async function piecesOf(data, size, lines = CSV, encoding = "utf-8", most = 9) {
  const found = [];
  for await (const each of pieces(new Blob([data]), size, most, lines)) {
    found.push([new TextDecoder(encoding).decode(each.bytes), each.line]);
  }
  return found;
}

test("a piece ends after a row, and knows the number of its first line", async () => {
  assert.deepEqual(await piecesOf("a,1\nb,2\nc,3\nd,4", 9), [
    ["a,1\nb,2\n", 1],
    ["c,3\nd,4", 3],
  ]);
});

test("a line end in quotes ends no row; in JSON Lines there are none", async () => {
  assert.deepEqual(await piecesOf('a,"x\ny"\nb,2\n', 9), [
    ['a,"x\ny"\n', 1],
    ["b,2\n", 3],
  ]);
  assert.deepEqual(cut(bytes('{"a":1}\n{"b'), linesOf("utf-8", "json"), 9), { end: 8, lines: 1, full: false });
});

test("a quote that is never closed does not hold up the rest", async () => {
  assert.deepEqual(await piecesOf('a,"x\nb,2\nc,3\n', 9), [
    ['a,"x\nb,2\n', 1],
    ["c,3\n", 3],
  ]);
});

test("a piece has no more lines than may be sent at once, whatever is in quotes", async () => {
  const few = (text) => piecesOf(text, 99, CSV, "utf-8", 2);
  assert.deepEqual(await few("a\nb\nc\nd\n"), [
    ["a\nb\n", 1],
    ["c\nd\n", 3],
  ]);
  assert.deepEqual(await few('a\n"b\nc"\nd'), [
    ["a\n", 1],
    ['"b\nc"\n', 2],
    ["d", 4],
  ]);
  assert.deepEqual(await few('"a\nb\nc\nd'), [
    ['"a\nb\n', 1],
    ["c\nd", 3],
  ]);
});

test("UTF-16 is cut between its pairs of bytes", async () => {
  const little = new Uint8Array(Buffer.from("ts\nĊ,1\nb\n", "utf16le")); // Ċ is U+010A: its low byte is a line end's
  const found = await piecesOf(little, 14, linesOf("utf-16-le", "csv"), "utf-16le");
  assert.deepEqual(found, [
    ["ts\nĊ,1\n", 1],
    ["b\n", 3],
  ]);
  const big = new Uint8Array(Buffer.from(little).swap16());
  assert.deepEqual(await piecesOf(big, 14, linesOf("utf-16-be", "csv"), "utf-16be"), found);
});

test("a file without line ends cannot be cut", async () => {
  await assert.rejects(piecesOf("a".repeat(20), 9), RangeError);
});

test("the beginning is cut after a row, a whole file is not", async () => {
  assert.equal(new TextDecoder().decode(await beginning(new Blob(["a,1\nb,2"]), 6, 9)), "a,1\n");
  assert.equal(new TextDecoder().decode(await beginning(new Blob(["a,1\nb,2"]), 7, 9)), "a,1\nb,2");
  assert.equal(new TextDecoder().decode(await beginning(new Blob(["a,1\nb,2"]), 7, 1)), "a,1\n");
});

test("bytes of any number become base64", () => {
  const many = new Uint8Array(20000).map((_each, index) => index % 256);
  assert.deepEqual(new Uint8Array(Buffer.from(base64(many), "base64")), many);
  assert.deepEqual(unbase64(base64(many)), many);
});
