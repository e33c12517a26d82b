// The card of what was put out.
import { MOST_ROWS, card } from "./now.ts";
import { el, fill, mark, patch, signer, tableRow } from "../base/dom.ts";
import { between, channelSum, say, short, valueText, type Times } from "../base/format.ts";
import { holderOf, keyText, namedValue, outputsToShow, sided, timingMark } from "../base/reading.ts";
import { resultText } from "../picture/box_drawing.ts";
import { openerOf } from "../drawers/state.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { OutputFact, Row } from "../types/player.ts";
import type { Player } from "../player.ts";
import type { PlayerWords } from "#types/words";
import type { ShownChannel } from "#types/payload";

/** What the operator has put out, the newest first. */
export class OutputCard extends PlayerPart {
  signs = signer();
  node: HTMLElement;
  note: HTMLSpanElement;
  table = el("table", "tm-table tm-output-table", null, { "data-table": "output" });
  rows = el("tbody");

  constructor(player: Player) {
    super(player);
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
    const struck = fate !== undefined && fate !== "stands";
    const said = fill(el(struck ? "s" : "span"), el(struck ? "span" : "b", "", name), text);
    const what = fill(el("span"), said);
    const why = struck ? words.picture[fate ?? ""] : "";
    what.append(...this.player.chain.arrows(fact));
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

// The card that shows where the watermark comes from.

/** Channels, what each has seen, and the minimum of the active ones. */
export class WatermarkCard extends PlayerPart {
  signs = signer();
  node: HTMLElement;
  note: HTMLSpanElement;
  channels = el("table", "tm-channels", null, { "data-table": "channels" });
  rows = el("tbody");
  minimum = el("div", "tm-minimum");
  scroller = el("div", "tm-channel-list", null, { role: "group", "aria-label": this.player.words.watermark });
  severalInputs: boolean = new Set(this.player.facts.at("channels", 0).map((row) => row.input)).size > 1;

  constructor(player: Player) {
    super(player);
    const { card: node, head, note, body } = card("watermark", player.words.watermark);
    head.append(openerOf(player, "watermark", player.words.state.whole_tree));
    this.node = node;
    this.note = note;
    this.channels.append(this.rows);
    this.scroller.append(this.channels);
    body.append(this.scroller, this.minimum);
  }

  name(row: ShownChannel) {
    const { facts, words } = this.player;
    if (facts.all("batches").length) return sided(row, words).input;
    return this.severalInputs ? say(words.channel_of, sided(row, words)) : say(words.channel, row);
  }

  show(step: number) {
    const { facts, times, words } = this.player;
    // With dates a formula has no room beside its result; the whole tree has it.
    const formula = (row: ShownChannel) => (times.dated ? "" : channelSum(row, times, words));
    const channels = facts
      .at("channels", step)
      .slice()
      .sort((a, b) => (a.input < b.input ? -1 : a.input > b.input ? 1 : a.channel - b.channel));
    const watermark = facts.at("watermark", step)[0]?.value ?? null;
    const touched = new Set(facts.at("steps", step)[0].touches);
    const holder = holderOf(channels);
    this.scroller.classList.toggle("tm-many", channels.length > 2);
    fill(
      this.note,
      holder ? [words.held_by, between(words.held_by, this.name(holder)), el("b", "", this.name(holder))] : [],
    );
    const sign = (row: ShownChannel) => this.signs(row, String(touched.has(row.id)));
    patch(this.rows, channels, sign, (row) => {
      const classes = [
        row === holder ? "tm-holds" : "",
        row.status === "idle" ? "tm-idle" : "",
        touched.has(row.id) ? "tm-touched" : "",
      ];
      const name = el("span", "tm-channel-name", this.name(row));
      const detail = row.status === "idle" ? words.idle : !row.aligned ? words.not_counted : formula(row);
      return tableRow(
        [name, detail, el("b", "", row.watermark === null ? words.none_yet : times.exact(row.watermark))],
        { numeric: [1, 2], className: classes.join(" ").trim() },
      );
    });
    // Of more channels than have room the one that holds the watermark is in sight.
    if (channels.length > 3) this.rows.querySelector(".tm-holds")?.scrollIntoView({ block: "nearest" });
    fill(
      this.minimum,
      el("span", "", this.player.payload.combined ?? words.minimum),
      el("b", "", times.exact(watermark)),
    );
    this.minimum.classList.toggle("tm-unset", watermark === null);
  }
}

// Room in the column of the cards: what is asked, its answer and what an author says are seen whole. Other cards give
// way to them, in one column the picture does.

/** The cards that give way, one after the other, the least needed first; at last the choices that were not tried. */
const YIELDING = ["", "timers", "timers output", "timers output watermark", "timers output watermark untried"];

export class Room extends PlayerPart {
  // An answer adds text: whoever shows it need not know about the room.
  observer = new MutationObserver(() => this.make());

  constructor(player: Player) {
    super(player);
    for (const node of [player.now.beat, player.predictor.node]) {
      this.observer.observe(node, { childList: true, subtree: true, characterData: true });
    }
  }

  show() {
    this.make();
  }

  make() {
    const { root, now, predictor, why } = this.player;
    const predicts = !predictor.node.hidden;
    const asks = predicts || (!now.beat.hidden && root.classList.contains("tm-asking"));
    if (why.isOpen || (!asks && now.beat.hidden)) {
      delete root.dataset.yields;
    } else {
      now.code.fit();
      const box = predicts ? predictor.node : now.said;
      // A question keeps its room from the start, so that its answer moves nothing.
      for (const yielding of asks ? YIELDING.slice(1) : YIELDING) {
        if (yielding) root.dataset.yields = yielding;
        else delete root.dataset.yields;
        if (box.scrollHeight <= box.clientHeight + 1) break;
      }
    }
    now.code.fit();
    this.tell(asks || !now.beat.hidden);
  }

  /** On a phone the picture takes what a question or an author leaves of the screen (css/f-narrow.css). */
  tell(grows: boolean) {
    const { root, why, narrow, join, lanes } = this.player;
    // A join, which has two sides to show, needs all of its height.
    const high = grows && !why.isOpen && narrow.on && !join.on && !lanes.joins ? `${narrow.node.offsetHeight}px` : "";
    if (root.style.getPropertyValue("--tm-said") === high) return;
    root.style.setProperty("--tm-said", high);
    // The picture is drawn for its new height at once, not a frame later.
    if (this.player.laid) this.player.layout();
  }

  close() {
    this.observer.disconnect();
  }
}
