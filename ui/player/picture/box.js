// What stands in a window's box: results (struck through once they are taken back), what a firing would give, records.
import { el, fill } from "../base/dom.js";
import { say, short, textWidth, valueText } from "../base/format.js";
import { mark } from "../base/icons.js";
import { recordId } from "../base/identity.js";
import { pairValue, timingMark, windowContents } from "../base/reading.js";
/** @import { BoxFacts, Row } from "../types/player.d.ts" */
/** @import { ContentFact, Json, WindowFact } from "../types/payload.d.ts" */
/** @import { Facts } from "../base/facts.js" */
/** @import { PlayerWords } from "../types/words.d.ts" */

/**
 * What stands on a record's chip: its value, or its number where the value has parts.
 * @param {{ value: Json, item: number }} row
 */
export function chipText(row) {
  return row.value !== null && typeof row.value === "object" ? `#${row.item}` : short(valueText(row.value), 8);
}

/**
 * The text of a result: of a pane its value, of a join both sides; ∅ where a side is empty.
 * @param {Row} row
 */
export function resultText(row, most = 12) {
  const side = (/** @type {any} */ values) =>
    values === null || values?.length === 0 ? "∅" : short(valueText(values), most);
  if (row.row === "joined") return `${side(pairValue(row.left))} ⋈ ${side(pairValue(row.right))}`;
  if (row.row === "group") return `${side(row.left)} · ${side(row.right)}`;
  return `${short(valueText(row.value), most)}${row.timing === "late" ? ` ↻${row.pane}` : ""}`;
}

/**
 * Everything that a window's box shows at `step`; `sign` changes when any of it does.
 * @param {Facts} facts
 * @param {WindowFact} row
 * @param {number} step
 */
export function boxFacts(facts, row, step) {
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

/**
 * Fills `box`, `width` px wide, as far as its room goes: results first, the newest before older ones.
 * @param {HTMLElement} box
 * @param {WindowFact} row
 * @param {BoxFacts} found
 * @param {number} width
 * @param {{ words: PlayerWords, inputs: boolean, small: boolean, name: string }} options
 */
export function fillBox(box, row, found, width, { words, inputs, small, name }) {
  let room = width - 18;
  const forName = name ? textWidth(name, 13) + 12 : 0;
  const frames = [];
  const results = [
    ...found.gone.map((fact) => ({ fact, struck: true, gone: true })),
    ...found.outputs.map((fact) => ({ fact, struck: found.struck.has(fact.id), gone: false })),
  ];
  for (const { fact, struck, gone } of results.reverse()) {
    const text = resultText(fact.row);
    const kind = timingMark(fact.row.timing);
    const wide = textWidth(text) + 34;
    if (wide > room && frames.length) break;
    if (wide > room + 14) {
      frames.unshift(el("span", "tm-frame-mark"));
      frames[0].append(mark(kind));
      room -= 18;
      break;
    }
    const frame = el("span", `tm-frame${struck ? " tm-struck" : ""}${gone ? " tm-gone" : ""}`);
    frame.dataset.id = fact.id;
    frame.append(mark(kind), el(struck ? "s" : "span", "", text));
    frames.unshift(frame);
    room -= wide + 4;
  }
  const left = [];
  const named = forName > 0 && forName <= room;
  if (named) room -= forName;
  if (row.status === "cleared" && !found.contents.length) {
    if (room > textWidth(words.state_cleared) + 16) left.push(el("span", "tm-cleared-word", words.state_cleared));
  } else {
    const equals = row.result === null ? "" : `= ${short(valueText(row.result), 14)}`;
    const count = found.count ? say(words.picture.count_of, found.count) : "";
    const forResult = (equals ? textWidth(equals) + 10 : 0) + (count ? textWidth(count) + 14 : 0);
    const groups = inputs ? sides(found, words) : [found.contents.map((each) => chip(each, found))];
    const wide = groups.flat().reduce((sum, each) => sum + each.wide + 4, 0) + (groups.length - 1) * 12;
    if (wide + forResult <= room) {
      groups.forEach((chips, index) => {
        if (index) left.push(el("i", "tm-side-rule"));
        left.push(...chips.map((each) => each.node));
      });
      room -= wide;
    } else if (found.contents.length) {
      const counts = ["left", "right"].map((side) => found.contents.filter((each) => each.input === side).length);
      const many = inputs ? `${counts[0]} · ${counts[1]}` : say(words.chips_more, { count: found.contents.length });
      if (textWidth(many) + forResult + 8 <= room) {
        left.push(el("span", "tm-many", many));
        room -= textWidth(many) + 8;
      }
    }
    if (forResult && forResult <= room) {
      if (equals) left.push(el("b", "tm-equals", equals));
      if (count) left.push(el("span", "tm-counted", count));
      room -= forResult;
    }
    if (row.status === "open" && !small && room > textWidth(words.open) + 12) {
      left.push(el("span", "tm-quiet tm-open-word", words.open));
    }
  }
  if (named) left.unshift(el("span", "tm-window-name", name));
  fill(box, fill(el("span", "tm-lane-left"), left), fill(el("span", "tm-lane-right"), frames));
}

/**
 * A record's chip; struck through when an evictor takes it out.
 * @param {ContentFact} record
 * @param {BoxFacts} found
 */
function chip(record, { evicted }) {
  const text = chipText(record);
  const gone = evicted.has(record.id);
  const node = el(gone ? "s" : "span", `tm-chip${record.late ? " tm-late" : ""}${gone ? " tm-evicted" : ""}`, text, {
    "data-id": recordId(record.item),
  });
  return { node, wide: Math.max(textWidth(text) + 18, 27) };
}

/**
 * Of two inputs the chips of either; an empty side says so.
 * @param {BoxFacts} found
 * @param {PlayerWords} words
 */
function sides(found, words) {
  return ["left", "right"].map((side) => {
    const chips = found.contents.filter((each) => each.input === side).map((each) => chip(each, found));
    for (const each of chips) each.node.classList.add(`tm-of-${side}`);
    if (chips.length) return chips;
    const text = words.picture[`no_${side}`];
    return [{ node: el("span", "tm-chip tm-none", text), wide: textWidth(text, 13) + 18 }];
  });
}
