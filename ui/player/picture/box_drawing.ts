// Draws what box_layout.ts has laid out: chips, results in their frames, and texts, in the middle of a window's box.
import { mark, svg } from "../base/dom.ts";
import { RESULT_FRAME } from "./box_layout.ts";
import { px, textAt } from "./svg.ts";
import { short, valueText } from "../base/format.ts";
import { pairValue, windowContents } from "../base/reading.ts";
import type { BoxLook, LaidBox, LaneWindow, Piece } from "../types/lanes.ts";
import type { Row } from "../types/player.ts";
import type { Facts } from "../base/facts.ts";
import type { Json, WindowFact } from "#types/payload";

// How far below the middle the baseline of a text lies, in parts of its size.
const HALF_CAPITAL = 0.34;
const HATCH_APART = 9.2;

/**
 * The box of a window with everything in it; of the smallest size the box alone.
 * @param title what the box holds, for where not all of it has room
 */
export function drawBox(
  { row, x, y, wide, high }: LaneWindow,
  laid: LaidBox | null,
  look: BoxLook | undefined,
  title: string,
) {
  const group = svg("g", {
    class: `tm-lane-box tm-${row.status}`,
    "data-id": row.id,
    transform: `translate(${px(x)} ${px(y)})`,
  });
  const frame = { width: px(wide), height: px(high), rx: look ? 5 : 3 };
  group.append(
    svg("rect", { x: -2, y: -2, width: px(wide + 4), height: px(high + 4), rx: 6, class: "tm-lane-outline" }),
    svg("rect", { ...frame, class: "tm-lane-ground", "data-mark": "window" }),
  );
  if (row.status === "cleared" && look) {
    group.append(svg("path", { d: hatch(wide, high), class: "tm-lane-hatch" }));
  }
  if (title) {
    const whole = svg("title");
    whole.textContent = title;
    group.append(whole);
  }
  if (laid && look) for (const piece of laid.pieces) group.append(drawPiece(piece, high / 2, look));
  return group;
}

/**
 * Slanting lines that fill a box: they show that its state is gone. A pattern would be another document's in a file.
 */
function hatch(wide: number, high: number) {
  const lines = [];
  for (let foot = HATCH_APART / 2; foot < wide + high - 2; foot += HATCH_APART) {
    const [left, right] = [Math.max(foot - high + 1, 1), Math.min(foot - 1, wide - 1)];
    if (right - left > 1) lines.push(`M${px(left)} ${px(foot - left)}L${px(right)} ${px(foot - right)}`);
  }
  return lines.join("");
}

function drawPiece(piece: Piece, middle: number, look: BoxLook) {
  switch (piece.kind) {
    case "rule":
      return svg("path", { d: `M${px(piece.x)} ${px(middle - 11)}v22`, class: "tm-lane-side-rule" });
    case "mark":
      return squareAt(piece, piece.x, middle);
    case "value":
      return valueAt(piece, middle);
    case "frame":
      return frameAt(piece, middle, look);
    case "chip":
      return chipAt(piece, middle, look);
    default:
      return wordAt(piece, middle);
  }
}

function wordAt(piece: Piece, middle: number) {
  const { kind, x, wide, size, pad } = piece;
  const group = svg("g", { class: `tm-lane-${kind}` });
  if (kind === "count" || kind === "cleared") {
    const half = Math.min(size * 0.5 + 4, 12);
    group.append(
      svg("rect", {
        x: px(x),
        y: px(middle - half),
        width: px(wide),
        height: px(2 * half),
        rx: kind === "count" ? 9 : 3,
      }),
    );
  }
  group.append(lettersIn(piece, x + pad, middle));
  return group;
}

function lettersIn(
  { text: said, size, weight, kind }: Piece,
  x: number,
  middle: number,
  more: { [name: string]: string | number } = {},
) {
  return textAt(said, x, middle + size * HALF_CAPITAL, {
    "font-size": size,
    "font-weight": weight,
    "data-label": kind,
    ...more,
  });
}

function chipAt(piece: Piece, middle: number, look: BoxLook) {
  const { x, wide, side, late, struck, id } = piece;
  const high = look.chip.high;
  const looks = [late && "tm-late", struck && "tm-evicted", side === "none" && "tm-none"].filter(Boolean).join(" ");
  const group = svg("g", { class: `tm-lane-chip ${looks}`.trim(), ...(id && { "data-id": id }) });
  const top = middle - high / 2;
  group.append(svg("rect", { x: px(x), y: px(top), width: px(wide), height: high, rx: 4, "data-mark": "chip" }));
  if (side === "left" || side === "right") {
    const at = side === "left" ? x + 1.5 : x + wide - 1.5;
    group.append(svg("path", { d: `M${px(at)} ${px(top)}v${high}`, class: "tm-lane-input" }));
  }
  group.append(lettersIn(piece, x + wide / 2, middle, { "text-anchor": "middle" }));
  return group;
}

/** A result: its mark says when it came, and a line through it that it has been taken back. */
function frameAt(piece: Piece, middle: number, look: BoxLook) {
  const { x, wide, struck, gone, id } = piece;
  const high = look.frame.high;
  const group = svg("g", {
    class: `tm-lane-frame${struck ? " tm-struck" : ""}${gone ? " tm-gone" : ""}`,
    ...(id && { "data-id": id }),
  });
  group.append(
    svg("rect", {
      x: px(x + 1),
      y: px(middle - high / 2 + 1),
      width: px(wide - 2),
      height: high - 2,
      rx: 3,
      "data-mark": "result",
    }),
    squareAt(piece, x + RESULT_FRAME.left, middle),
    lettersIn(piece, x + RESULT_FRAME.left + RESULT_FRAME.mark + RESULT_FRAME.gap, middle),
  );
  return group;
}

/** The value of a result alone, in a box that has no room for its frame. */
function valueAt(piece: Piece, middle: number) {
  const { id, struck } = piece;
  const group = svg("g", { class: `tm-lane-frame${struck ? " tm-struck" : ""}`, ...(id && { "data-id": id }) });
  group.append(lettersIn(piece, piece.x, middle));
  return group;
}

/** The mark of a result alone. */
function squareAt(piece: Piece, x: number, middle: number) {
  const node = mark(piece.mark ?? "fired");
  const place = { x, y: middle - RESULT_FRAME.mark / 2, width: RESULT_FRAME.mark, height: RESULT_FRAME.mark };
  for (const [name, value] of Object.entries(place)) node.setAttribute(name, px(value));
  return node;
}

// What a window's box holds at a step, and how records and results are written there.

/** What stands on a record's chip: its value, or its number where the value has parts. */
export function chipText(row: { value: Json; item: number }) {
  return row.value !== null && typeof row.value === "object" ? `#${row.item}` : short(valueText(row.value), 8);
}

/** Whether a value has columns. */
export function isRow(value: unknown) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/**
 * The text of a result: of a pane its value, of a ranked row its place too, of a join both sides; ∅ where a side is
 * empty.
 */
export function resultText(row: Row, most = 12) {
  const side = (values: any) => (values === null || values?.length === 0 ? "∅" : short(valueText(values), most));
  if (row.row === "joined") return `${side(pairValue(row.left))} ⋈ ${side(pairValue(row.right))}`;
  if (row.row === "group") return `${side(row.left)} · ${side(row.right)}`;
  if (row.row === "ranked") return `${row.rank}) ${short(valueText(row.value), most)}`;
  const value = short(valueText(row.value), isRow(row.value) ? 2 * most : most);
  return `${value}${row.timing === "late" ? ` ↻${row.pane}` : ""}`;
}

/** Everything that a window's box shows at `step`; `sign` changes when any of it does. */
export function boxFacts(facts: Facts, row: WindowFact, step: number) {
  const held = windowContents(facts, row, step);
  const evicted = new Set(facts.where("evicted", "holder", row.holder, step).map((each) => each.id));
  const there = new Set(held.map((each) => each.id));
  const leaving = facts.where("evicted", "holder", row.holder, step).filter((each) => !there.has(each.id));
  const contents = [...held, ...leaving].sort((a, b) => a.order - b.order);
  const outputs = facts.where("outputs", "window", row.id, step).filter((each) => each.row.change !== "-U");
  const struck = new Set(
    outputs.filter((each) => facts.where("retracted", "output", each.id, step).length).map((each) => each.id),
  );
  const gone = facts.where("void", "window", row.id, step);
  const count = facts.where("counts", "window", row.id, step)[0] ?? null;
  const sign = [
    contents.length,
    contents.at(-1)?.id,
    evicted.size,
    outputs.length,
    struck.size,
    gone.length,
    count?.count,
  ].join(" ");
  return { contents, evicted, outputs, struck, gone, count, sign };
}
