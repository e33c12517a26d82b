// The card of what was put out.
import { MOST_ROWS, card } from "./card.ts";
import { el, patch, signer, tableRow } from "../base/dom.ts";
import { say, short, valueText, type Times } from "../base/format.ts";
import { mark } from "../base/icons.ts";
import { keyText, namedValue, outputsToShow, timingMark } from "../base/reading.ts";
import { resultText } from "../picture/box.ts";
import type { OutputFact, Row } from "../types/player.ts";
import type { Player } from "../player.ts";
import type { PlayerWords } from "#types/words";

/** What the operator has put out, the newest first. */
export class OutputCard {
  player: Player;
  signs;
  node: HTMLElement;
  note: HTMLSpanElement;
  table = el("table", "tm-table tm-output-table", null, { "data-table": "output" });
  rows = el("tbody");

  constructor(player: Player) {
    this.player = player;
    this.signs = signer();
    const { card: node, note, body } = card("output", player.words.output);
    this.node = node;
    this.note = note;
    this.table.append(this.rows);
    const scroll = el("div", "tm-output-rows", null, { role: "group", "aria-label": player.words.output });
    scroll.append(this.table);
    body.append(scroll);
  }

  show(step: number) {
    const { facts, words } = this.player;
    const outputs = outputsToShow(facts, step);
    const void_ = facts.at("void", step).filter((fact) => fact.row.row !== "watermark");
    const newest = [...outputs.slice(-MOST_ROWS), ...void_]
      .sort((a, b) => b.number - a.number || b.from_step - a.from_step)
      .slice(0, MOST_ROWS);
    const fates = new Map(newest.map((fact) => [fact, this.fate(fact, step, void_)]));
    this.note.textContent =
      outputs.length === 1
        ? words.rows_one
        : outputs.length
          ? say(words.rows_many, { count: outputs.length })
          : words.empty;
    patch(
      this.rows,
      newest,
      (fact) => this.signs(fact, `${fact.from_step === step} ${fates.get(fact)}`),
      (fact) => this.row(fact, fact.from_step === step, fates.get(fact)),
    );
  }

  /** Why a result counts no more: it takes another one back, was taken back itself, or a restore withdrew it. */
  fate(fact: OutputFact, step: number, void_: OutputFact[]) {
    if (void_.includes(fact)) return "void";
    if (fact.row.change === "-U") return "withdraws";
    return this.player.facts.where("retracted", "output", fact.id, step).length ? "retracted" : "stands";
  }

  row(fact: OutputFact, current: boolean, fate: string | undefined) {
    const { times, words } = this.player;
    const { kind, name, text, note } = describeOutput(fact.row, this.player);
    const what = el("span");
    const struck = fate !== undefined && fate !== "stands";
    const said = el(struck ? "s" : "span");
    said.append(el(struck ? "span" : "b", "", name), text);
    what.append(said);
    const why = struck ? words.picture[fate ?? ""] : "";
    if (note || why) what.append(" ", el("span", "tm-quiet", [note, why].filter(Boolean).join(words.joints.comma)));
    const at =
      fact.row.batch !== undefined
        ? say(words.batches.at, { number: fact.row.batch })
        : this.player.payload.arrival_axis === "item"
          ? `#${fact.row.item}`
          : times.withUnit(fact.row.at);
    return tableRow([mark(fate === "withdraws" ? "minus" : kind), what, at], {
      numeric: [2],
      className: current ? "tm-hl" : "",
    });
  }
}

/** An output row in words: {kind of mark, name in bold, text, note}. */
function describeOutput(row: Row, { times, words }: { times: Times; words: PlayerWords }) {
  const key = keyText(row.key);
  const value = short(valueText(row.value), 40);
  const alone = row.start === null || row.start === undefined;
  const window = () => times.window(row.start, row.end);
  const named = () => say(words.rows.name, { key, time: times.short(row.ts) });
  switch (row.row) {
    case "pane": {
      const note =
        row.timing === "late" ? `${words.update} ↻${row.pane}` : row.timing === "early" ? words.early_pane : "";
      return {
        kind: timingMark(row.timing),
        name: `${key} ${window()}`,
        text: ` = ${value}`,
        note: [row.change, note].filter(Boolean).join(" "),
      };
    }
    case "dropped": {
      const from =
        row.end === undefined || row.end === null
          ? words.dropped_row
          : say(words.batches.dropped_from, { window: window() });
      return {
        kind: "dropped",
        name: named(),
        text: say(words.rows.lost, { value: namedValue(row.value, words, 40), what: from }),
        note: "",
      };
    }
    case "late":
      return {
        kind: "side",
        name: named(),
        text: say(words.rows.lost, { value: namedValue(row.value, words, 40), what: words.late_row }),
        note: "",
      };
    case "ranked":
      return {
        kind: "fired",
        name: `${key} ${window()}`,
        text: `${words.joints.colon}${say(words.rank_of, { rank: row.rank, value })}`,
        note: times.short(row.ts),
      };
    case "emitted":
      return {
        kind: row.change === "-U" ? "minus" : "fired",
        name: named(),
        text: `${words.joints.colon}${value}`,
        note: row.change ?? "",
      };
    case "joined":
      return {
        kind: "fired",
        name: alone ? key : `${key} ${window()}`,
        text: ` ${resultText(row, 16)}`,
        note: alone
          ? say(words.picture.joined_at, {
              time: times.short(ownTime(row)),
            })
          : "",
      };
    case "group":
      return {
        kind: "fired",
        name: `${key} ${window()}`,
        text: ` ${resultText(row, 16)}`,
        note: words.picture[groupKind(row)],
      };
    case "error":
      return { kind: "dropped", name: row.type, text: `${words.joints.colon}${row.message}`, note: "" };
    default:
      return { kind: "fired", name: key, text: ` ${value}`, note: row.row };
  }
}

/** Which sides of a group there are: both as in an inner join, or one as in an outer one. */
function groupKind({ left, right }: Row) {
  const [one, other] = [left, right].map((side) => Array.isArray(side) && side.length > 0);
  return one && other ? "both" : one ? "left_only" : "right_only";
}

/** The time (ms) of a pair that no window has made; rows of Spark's rules do not carry one. */
function ownTime(row: Row) {
  return row.timestamp ?? Math.max(pairTime(row.left), pairTime(row.right));
}

/** The timestamp (ms) of one record of a pair. */
function pairTime(record: Row["left"] | Row["right"]) {
  return record && !Array.isArray(record) ? (record.ts ?? 0) : 0;
}
