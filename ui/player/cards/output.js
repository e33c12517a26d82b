// The card of what was put out.
import { MOST_ROWS, card } from "./card.js";
import { el, patch, signer, tableRow } from "../base/dom.js";
import { say, short, valueText } from "../base/format.js";
import { mark } from "../base/icons.js";
import { keyText, outputsToShow, timingMark } from "../base/reading.js";

/** What the operator has put out, the newest first. */
export class OutputCard {
  constructor(player) {
    this.player = player;
    this.signs = signer();
    const { card: node, note, body } = card("output", player.words.output);
    this.node = node;
    this.note = note;
    this.table = el("table", "tm-table tm-output-table", null, { "data-table": "output" });
    this.rows = el("tbody");
    this.table.append(this.rows);
    body.append(this.table);
  }

  show(step) {
    const { facts, words } = this.player;
    const outputs = outputsToShow(facts, step);
    const newest = outputs.slice(-MOST_ROWS).reverse();
    this.note.textContent = outputs.length === 1 ? words.rows_one : outputs.length ? say(words.rows_many, { count: outputs.length }) : words.empty;
    patch(this.rows, newest, (fact) => this.signs(fact, fact.from_step === step), (fact) => this.row(fact, fact.from_step === step));
  }

  row(fact, current) {
    const { times } = this.player;
    const { kind, name, text, note } = describeOutput(fact.row, this.player);
    const what = el("span");
    what.append(el("b", "", name), text);
    if (note) what.append(" ", el("span", "tm-quiet", note));
    const at = this.player.payload.arrival_axis === "item" ? `#${fact.row.item}` : times.withUnit(fact.row.at);
    return tableRow([mark(kind), what, at], { numeric: [2], className: current ? "tm-hl" : "" });
  }
}

/** An output row in words: {kind of mark, name in bold, text, note}. */
export function describeOutput(row, { times, words }) {
  const key = keyText(row.key);
  const value = short(valueText(row.value), 40);
  const window = () => times.window(row.start, row.end);
  switch (row.row) {
    case "pane": {
      const note = row.timing === "late" ? `${words.update} ↻${row.pane}` : row.timing === "early" ? words.early_pane : "";
      return { kind: timingMark(row.timing), name: `${key} ${window()}`, text: ` = ${value}`, note: [row.change, note].filter(Boolean).join(" ") };
    }
    case "dropped": return { kind: "dropped", name: `${key} at ${times.short(row.ts)}`, text: `, value ${value}: ${words.dropped_row}`, note: "" };
    case "late": return { kind: "side", name: `${key} at ${times.short(row.ts)}`, text: `, value ${value}: ${words.late_row}`, note: "" };
    case "emitted": return { kind: "fired", name: `${key} at ${times.short(row.ts)}`, text: `: ${value}`, note: "" };
    case "joined": return { kind: "fired", name: `${key} ${row.start === null ? "" : window()}`, text: ` ${valueText(row.left.value)} ⋈ ${valueText(row.right.value)}`, note: "" };
    case "group": return { kind: "fired", name: `${key} ${window()}`, text: ` ${valueText(row.left)} · ${valueText(row.right)}`, note: "" };
    case "error": return { kind: "dropped", name: row.type, text: `: ${row.message}`, note: "" };
    default: return { kind: "fired", name: key, text: ` ${value}`, note: row.row };
  }
}
