// Lanes: what stands in a window's box never overlaps or leaves the box, whatever its width.
import assert from "node:assert/strict";
import test from "node:test";
import { BOX_LOOKS, TIGHT_PAD, layBox } from "../../ui/player/picture/box_layout.ts";
import { inOrderAlong } from "../../ui/player/picture/queue.ts";
import { shortenedTo } from "../../ui/player/picture/labels.ts";

const WORDS = {
  open: "open",
  state_cleared: "state cleared",
  state_cleared_short: "cleared",
  chips_more: "{count} records",
  picture: { count_of: "{count} of {most}", no_left: "no left", no_right: "no right" },
};
const wide = (text, size) => text.length * size * 0.5;

function content(item, input = null) {
  return { id: `content:${item}`, item, value: item * 100, input, late: item % 2 === 0 };
}

function output(number, timing, value) {
  return { id: `output:${number}`, row: { row: "pane", timing, pane: number, value } };
}

/** What lies in a box of this width, which holds `count` records and has given two results. */
function box(width, { count = 3, look = BOX_LOOKS.full, inputs = false, status = "open", name = "[0, 5)" } = {}) {
  const contents = Array.from({ length: count }, (_, index) => content(index + 1, index % 2 ? "right" : "left"));
  const outputs = [output(0, "on-time", 12), output(1, "late", 123456)];
  const found = {
    contents,
    outputs,
    evicted: new Set(),
    struck: new Set(["output:0"]),
    gone: [],
    count: null,
    sign: "",
  };
  return layBox({ status, result: 600 }, found, width, { words: WORDS, look, inputs, name, wide });
}

test("no two things in a box overlap, and none leaves it", () => {
  for (const look of Object.values(BOX_LOOKS)) {
    for (let width = 3; width < 420; width += 3) {
      for (const inputs of [false, true]) {
        for (const status of ["open", "cleared"]) {
          const { pieces } = box(width, { look, inputs, status, count: status === "open" ? 4 : 0 });
          let at = TIGHT_PAD;
          for (const piece of pieces) {
            assert.ok(piece.x >= at - 0.01, `${piece.kind} "${piece.text}" in ${width} px`);
            at = piece.x + piece.wide;
          }
          assert.ok(at <= width - TIGHT_PAD + 0.01 || !pieces.length, `${width} px`);
        }
      }
    }
  }
});

test("a box says whether anything has been left out", () => {
  assert.equal(box(600).cut, false);
  assert.equal(box(150).cut, true);
});

test("the newest result is the last to go: without its number, its frame, its end, then its mark alone", () => {
  const kinds = (width) => box(width, { count: 0, name: "" }).pieces.map(({ kind, text }) => `${kind} ${text}`.trim());
  assert.deepEqual(kinds(300), ["equals = 600", "open open", "frame 12", "frame 123456 ↻1"]);
  assert.deepEqual(kinds(95), ["frame 123456"]);
  assert.deepEqual(kinds(85), ["frame 123456"]);
  assert.deepEqual(kinds(60), ["value 123456"]);
  assert.deepEqual(kinds(40), ["mark"]);
  assert.deepEqual(kinds(12), []);
});

test("a narrow box has its sum at least, and one without state says so in a word", () => {
  const texts = (width, row) => {
    const found = { contents: row.status === "open" ? [content(1)] : [], outputs: [], gone: [], count: null };
    const about = { ...found, evicted: new Set(), struck: new Set(), sign: "" };
    const options = { words: WORDS, look: BOX_LOOKS.full, inputs: false, name: "[0, 5)", wide };
    return layBox(row, about, width, options).pieces.map(({ text }) => text);
  };
  assert.deepEqual(texts(50, { status: "open", result: 5 }), ["= 5"]);
  assert.deepEqual(texts(34, { status: "open", result: 5 }), ["5"]);
  assert.deepEqual(texts(22, { status: "open", result: 15 }), ["15"]);
  assert.deepEqual(texts(12, { status: "open", result: 15 }), []);
  assert.deepEqual(texts(130, { status: "cleared", result: null }), ["state cleared"]);
  assert.deepEqual(texts(90, { status: "cleared", result: null }), ["cleared"]);
});

test("records that have no room become their number", () => {
  const kinds = (width) => box(width, { count: 9, name: "" }).pieces.map(({ kind }) => kind);
  assert.ok(kinds(800).includes("chip"));
  assert.ok(kinds(360).includes("many"));
  assert.ok(!kinds(360).includes("chip"));
});

test("a text is shortened to what has room, and left out where not even two letters have", () => {
  const measure = (text) => text.length * 6;
  assert.equal(shortenedTo("watermark", 54, measure), "watermark");
  assert.equal(shortenedTo("watermark", 53, measure), "waterma…");
  assert.equal(shortenedTo("watermark", 18, measure), "wa…");
  assert.equal(shortenedTo("watermark", 17, measure), "");
});

test("chips of a queue stay in order and never overlap, as near as can be to their times", () => {
  const lefts = inOrderAlong([10, 12, 14, 300], [30, 30, 30, 30], 0, 400);
  for (let index = 1; index < lefts.length; index += 1) assert.ok(lefts[index] >= lefts[index - 1] + 30);
  assert.equal(lefts[0], 0);
  assert.equal(lefts[3], 285);
});
