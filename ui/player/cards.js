// The cards at the right: what happens now and why, timers, watermark, output.
import { el, fill, patch, signer, tableRow } from "./dom.js";
import { say, short, valueText } from "./format.js";
import { icon, mark } from "./icons.js";
import { keyText, outputsToShow, timingMark } from "./reading.js";

const MOST_ROWS = 100;

/** A card with a head line; returns {card, head, note, body}. */
function card(name, title) {
  const node = el("section", `tm-card tm-${name}`);
  const head = el("div", "tm-card-head");
  const heading = el("h2", "", title);
  const note = el("span", "tm-card-note");
  head.append(heading, note);
  const body = el("div", "tm-card-body");
  node.append(head, body);
  return { card: node, head, note, body };
}

/** What happened, why, and the rule with its numbers. */
export class NowCard {
  constructor(player) {
    this.player = player;
    const { card: node, note, body } = card("now", player.words.now);
    this.node = node;
    this.place = note;
    this.place.classList.add("tm-mono");
    this.trail = el("div", "tm-trail");
    this.what = el("p", "tm-what", "", { "aria-live": "polite" });
    this.why = el("p", "tm-why");
    this.beat = el("div", "tm-beat");
    this.rule = el("div", "tm-rule");
    body.append(this.trail, this.what, this.why, this.beat, this.rule);
  }

  show(step) {
    const { facts, payload, words } = this.player;
    const fact = facts.at("steps", step)[0];
    this.place.textContent = fact.place;
    fill(this.trail, fact.trail.slice(-5).map((word, index, all) => el("span", index === all.length - 1 ? "tm-here" : "", word)));
    if (this.what.textContent !== fact.what) this.what.textContent = fact.what;
    this.why.textContent = fact.why;
    const number = payload.beats.findIndex((beat) => beat.step === step);
    this.beat.hidden = number < 0;
    this.node.classList.toggle("tm-asking", number >= 0 && payload.beats[number].choices.length > 0);
    this.showRule(fact);
    this.why.hidden = false;
    if (number >= 0) this.showBeat(payload.beats[number], say(words.beat, { number: number + 1, count: payload.beats.length }), fact);
    this.node.lastChild.scrollTop = 0;
  }

  /** What the author says here, or asks: then the reason waits for the right choice. */
  showBeat(beat, number, fact) {
    const text = el("div", "tm-beat-text");
    text.append(el("span", "tm-beat-number", number), el("p", "", beat.text));
    const because = el("p", "tm-because", "", { "aria-live": "polite" });
    const buttons = beat.choices.map((choice, index) => {
      const button = el("button", "tm-choice", choice, { type: "button" });
      button.addEventListener("click", () => {
        button.classList.add(index === beat.answer ? "tm-right" : "tm-wrong");
        button.prepend(mark(index === beat.answer ? "right" : "dropped"));
        button.disabled = true;
        if (index !== beat.answer) return;
        because.textContent = beat.because;
        this.why.hidden = false;
        this.showRule(fact);
      });
      return button;
    });
    text.append(...buttons, because);
    if (buttons.length) this.why.hidden = this.rule.hidden = true;
    fill(this.beat, icon("flag"), text);
  }

  /** The condition that was evaluated: its formula, and under it the same with the numbers, as it is true. */
  showRule({ rule, predicate }) {
    this.rule.hidden = !rule;
    if (!rule) return;
    const formula = el("div", "tm-rule-line");
    formula.append(el("code", "", rule.formula));
    const filled = el("div", "tm-rule-line tm-rule-now");
    filled.append(el("span", "", rule.holds ? this.player.words.holds : this.player.words.holds_not), el("code", "", predicate));
    fill(this.rule, formula, filled);
  }
}

/** Waiting timers, the next one first. */
export class TimersCard {
  constructor(player) {
    this.player = player;
    this.signs = signer();
    const { card: node, note, body } = card("timers", player.words.timers);
    this.node = node;
    this.note = note;
    const { columns } = player.words;
    this.table = el("table", "tm-table", null, { "data-table": "timers" });
    this.rows = el("tbody");
    const head = el("thead");
    head.append(tableRow([columns.time, columns.key, columns.window, columns.does, player.words.watermark_to_go], { header: true, numeric: [0, 4] }));
    this.table.append(head, this.rows);
    body.append(this.table);
  }

  show(step) {
    const { facts, words } = this.player;
    const timers = facts.at("timers", step).slice().sort((a, b) => a.timestamp - b.timestamp || a.order - b.order);
    const shown = Math.min(3, timers.length);
    this.note.textContent = !timers.length ? words.timers_none
      : timers.length > 3 ? say(words.timers_waiting_next, { count: timers.length, shown })
      : say(words.timers_waiting, { count: timers.length });
    const watermark = facts.at("watermark", step)[0]?.value ?? null;
    const clock = facts.at("clock", step)[0]?.value ?? null;
    const touched = new Set(facts.at("steps", step)[0].touches);
    const sign = (timer) => this.signs(timer, `${watermark} ${timer.domain === "event" ? "" : clock} ${touched.has(timer.id)}`);
    patch(this.rows, timers.slice(0, MOST_ROWS), sign, (timer) => this.row(timer, watermark, clock, touched));
  }

  row(timer, watermark, clock, touched) {
    const { times, words } = this.player;
    const does = { fire: words.fires, cleanup: words.cleans_up, "fire+cleanup": words.fires_and_cleans, sort: words.releases }[timer.purpose] ?? timer.purpose;
    const reference = timer.domain === "event" ? watermark : clock;
    const to = reference === null ? words.none_yet : say(words.in_time, { time: times.span(Math.max(timer.timestamp - reference, 0)) });
    const window = timer.start === null && timer.purpose === "sort" ? "–" : times.window(timer.start, timer.end);
    const time = el("b", "", times.exact(timer.timestamp));
    return tableRow([time, short(keyText(timer.key), 12), window, does, to], { numeric: [0, 4], className: touched.has(timer.id) ? "tm-hl" : "" });
  }
}

/** Channels, what each has seen, and the minimum of the active ones. */
export class WatermarkCard {
  constructor(player) {
    this.player = player;
    this.signs = signer();
    const { card: node, note, body } = card("watermark", player.words.watermark);
    this.node = node;
    this.note = note;
    this.channels = el("table", "tm-channels", null, { "data-table": "channels" });
    this.rows = el("tbody");
    this.channels.append(this.rows);
    this.minimum = el("div", "tm-minimum");
    this.scroller = el("div", "tm-channel-list");
    this.scroller.append(this.channels);
    const inputs = new Set(player.facts.all("channels").map((row) => row.input));
    this.severalInputs = inputs.size > 1;
    body.append(this.scroller, this.minimum);
  }

  name(row) {
    const { words } = this.player;
    return this.severalInputs ? say(words.channel_of, row) : say(words.channel, row);
  }

  show(step) {
    const { facts, times, words } = this.player;
    const channels = facts.at("channels", step).slice().sort((a, b) => (a.input < b.input ? -1 : a.input > b.input ? 1 : a.channel - b.channel));
    const watermark = facts.at("watermark", step)[0]?.value ?? null;
    const touched = new Set(facts.at("steps", step)[0].touches);
    const holder = channels.find((row) => row.holds);
    fill(this.note, holder && channels.length > 1 ? [`${words.held_by} `, el("b", "", this.name(holder))] : []);
    const sign = (row) => this.signs(row, touched.has(row.id));
    patch(this.rows, channels, sign, (row) => {
      const classes = [row.holds && channels.length > 1 ? "tm-holds" : "", row.status === "idle" ? "tm-idle" : "", touched.has(row.id) ? "tm-touched" : ""];
      const name = el("span", "tm-channel-name", this.name(row));
      const detail = row.status === "idle" ? words.idle : !row.aligned ? words.not_counted : row.formula ?? "";
      return tableRow([name, detail, el("b", "", row.watermark === null ? words.none_yet : times.exact(row.watermark))], { numeric: [1, 2], className: classes.join(" ").trim() });
    });
    fill(this.minimum, el("span", "", words.minimum), el("b", "", times.exact(watermark)));
    this.minimum.classList.toggle("tm-unset", watermark === null);
  }
}

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
