// Watches and breakpoints: expressions that stay in view above the controls, each with its value at the step. One with
// a breakpoint also stops Play and the arrow keys, where its condition becomes true or its value changes.
import { valueInAddress } from "../base/address.ts";
import { el, fill, icon, pushButton } from "../base/dom.ts";
import { say, short, valueText, type Times } from "../base/format.ts";
import { QueryProblem, readQuery } from "./query.ts";
import { isWorthALine, keyText } from "../base/reading.ts";
import { ALIASES, OWN_VALUE, SHOWN, TABLES, TIMES, type StepFinder } from "./finder.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { Player } from "../player.ts";
import type { StepTest } from "../types/find.ts";

/** How many expressions are kept in view. */
const MOST_WATCHES = 8;
const MOST_EXPRESSION = 400;
const NO_BREAKS: number[] = [];

/** Expressions as one part of a link, joined by ";". */
export function expressionsInLink(texts: string[]) {
  return texts.length ? texts.map((text) => text.replace(/[%;]/g, (mark) => encodeURIComponent(mark))).join(";") : null;
}

/** The expressions that a part of a link holds. */
export function linkedExpressions(part: string | null) {
  return (part ?? "")
    .split(";")
    .map((text) => text.replace(/%25|%3b/gi, (escaped) => decodeURIComponent(escaped)).trim())
    .filter((text) => text && text.length <= MOST_EXPRESSION);
}

/** One expression in the strip. */
class Watch {
  watches: Watches;
  watched: Watched;
  breaks: boolean;
  /** the value that is shown, and the step at which it was read */
  shown: string | null = null;
  step = -1;
  changed = false;
  node = el("li", "tm-watch");
  stop: HTMLButtonElement;
  name: HTMLButtonElement;
  value = el("b", "tm-watch-value");

  constructor(watches: Watches, watched: Watched, breaks: boolean) {
    this.watches = watches;
    this.watched = watched;
    this.breaks = breaks;
    const { words } = watches;
    const { text, isValue } = watched;
    this.stop = this.button("tm-watch-stop", "dot", isValue ? words.stop_value : words.stop, () => {
      watches.setBreak(this, !this.breaks);
    });
    this.name = pushButton("tm-watch-text", null, () => watches.goTurn(watched, 1), {
      title: isValue ? words.next_value : words.next,
    });
    this.name.append(el("code", "", text));
    const remove = this.button("tm-watch-remove", "remove", say(words.remove, { text }), () => watches.remove(this));
    this.node.append(this.stop, this.name, this.value, remove);
    this.node.addEventListener("keydown", (event) => {
      if (event.key === "Delete" || event.key === "Backspace") watches.remove(this);
    });
  }

  button(className: string, symbol: string, label: string, run: () => void) {
    const button = pushButton(`tm-icon-button ${className}`, null, run, {
      title: label,
      "aria-label": `${this.watched.text}: ${label}`,
    });
    button.append(icon(symbol));
    return button;
  }

  /** Shows the value at `step`; one that is another than at the step shown before is marked. */
  show(step: number) {
    const { words } = this.watches;
    const now = this.watched.at(step);
    const text = typeof now === "boolean" ? (now ? words.holds : words.fails) : now;
    if (step !== this.step) this.changed = this.shown !== null && this.shown !== text;
    this.value.title = this.changed ? say(words.before, { value: this.shown ?? "" }) : text;
    if (this.shown !== text) this.value.textContent = text;
    this.shown = text;
    this.step = step;
    // It keeps the width that it once needed: its neighbours stay where they are.
    this.value.style.minWidth = `${Math.max(parseFloat(this.value.style.minWidth) || 0, text.length)}ch`;
    this.stop.setAttribute("aria-pressed", String(this.breaks));
    this.node.dataset.changed = String(this.changed);
    this.node.dataset.hit = String(this.hit);
    if (typeof now === "boolean") this.node.dataset.holds = String(now);
  }

  /** Whether the run stops here because of it. */
  get hit() {
    return this.breaks && this.watches.isOn && this.watched.turns.includes(this.step);
  }
}

export class Watches extends PlayerPart {
  words = this.player.words.watches;
  node = el("div", "tm-watches", null, { role: "group", "aria-label": this.words.title });
  list = el("ul");
  watches: Watch[] = [];
  /** where the run stops; null until somebody asks */
  breaking: number[] | null = null;
  /** the last step up to which breakpoints are marked */
  marked: number | null = null;

  constructor(player: Player) {
    super(player);
    this.node.append(this.list);
    // A mouse without a sideways wheel reaches what has no room, too.
    this.node.addEventListener("wheel", (event) => (this.node.scrollLeft += event.deltaY), { passive: true });
    for (const [part, breaks] of [
      ["watch", false],
      ["break", true],
    ] as [string, boolean][]) {
      for (const text of linkedExpressions(valueInAddress(player.payload.name, part))) this.take(text, breaks);
      Object.defineProperty(player.view, part, { get: () => this.inLink(breaks), enumerable: true });
    }
    this.arrange();
  }

  /** An expression of a link; one that this run does not know is ignored. */
  take(text: string, breaks: boolean) {
    try {
      if (this.watches.length < MOST_WATCHES && !this.named(text)) this.watches.push(this.watch(text, breaks));
    } catch (problem) {
      if (!(problem instanceof QueryProblem)) throw problem;
    }
  }

  watch(text: string, breaks: boolean) {
    return new Watch(this, new Watched(this.player.find.finder, text), breaks);
  }

  named(text: string) {
    return this.watches.find((each) => each.watched.text === text);
  }

  inLink(breaks: boolean) {
    return expressionsInLink(this.watches.filter((each) => each.breaks === breaks).map((each) => each.watched.text));
  }

  /** Whether they are in view and stop the run: a presentation, a course page and the first visit go without. */
  get isOn() {
    const { embed, present, visit } = this.player;
    return !present.on && !visit.on && !embed.on;
  }

  /** The steps at which breakpoints stop the run, ascending. */
  get breaks() {
    if (!this.isOn) return NO_BREAKS;
    if (!this.breaking) {
      const steps = this.watches.filter((each) => each.breaks).flatMap((each) => each.watched.turns);
      this.breaking = steps.length ? [...new Set(steps)].sort((a, b) => a - b) : NO_BREAKS;
    }
    return this.breaking;
  }

  /** The last step of which a breakpoint may tell: nothing that is still to be predicted or answered. */
  get limit() {
    const { asked, predictor, step } = this.player;
    return asked.open ? Math.min(step, predictor.limit) : predictor.limit;
  }

  /**
   * Keeps an expression in view, with a breakpoint or without; says so. One that is there already gets its breakpoint.
   * @throws {QueryProblem} where it is neither a value nor a query
   */
  add(text: string, breaks: boolean) {
    const { player, words } = this;
    const there = this.named(text);
    const watch = there ?? this.watch(text, breaks);
    if (!there && this.watches.length >= MOST_WATCHES) return say(words.full, { count: MOST_WATCHES });
    if (!there) this.watches.push(watch);
    watch.breaks ||= breaks;
    this.arrange();
    this.changed();
    watch.node.scrollIntoView({ block: "nearest", inline: "nearest" });
    const said = say(breaks ? words.set : words.added, { text });
    player.live.tell(said);
    return said;
  }

  setBreak(watch: Watch, breaks: boolean) {
    watch.breaks = breaks;
    this.changed();
    const { words, player } = this;
    player.live.tell(say(breaks ? words.set : words.added, { text: watch.watched.text }));
  }

  remove(watch: Watch) {
    const { player } = this;
    const place = this.watches.indexOf(watch);
    if (place < 0) return;
    this.watches.splice(place, 1);
    this.arrange();
    this.changed();
    (this.watches[Math.min(place, this.watches.length - 1)]?.name ?? player.transport.playButton).focus();
    player.live.tell(say(this.words.removed, { text: watch.watched.text }));
  }

  /** The strip takes its room only while there is something in it. */
  arrange() {
    fill(
      this.list,
      this.watches.map((each) => each.node),
    );
    this.node.hidden = !this.watches.length;
    this.player.root.classList.toggle("tm-with-watches", this.watches.length > 0);
  }

  /** Other expressions, or other breakpoints: the picture may have other room, and the link is another. */
  changed() {
    const { player } = this;
    this.breaking = null;
    this.marked = null;
    player.layout();
    player.place.at(player.step);
  }

  /** The words of the steps have changed, or the bookmarks: conditions may be true elsewhere. */
  again() {
    for (const each of this.watches) each.watched.forget();
    this.breaking = null;
    this.marked = null;
  }

  show(step: number) {
    const limit = this.isOn ? this.limit : -1;
    if (this.marked !== limit) {
      this.marked = limit;
      this.player.scrubber.setBreaks(this.breaks.filter((each) => each <= limit));
    }
    for (const each of this.watches) each.show(step);
  }

  /** Whether a breakpoint stops the run at `step`. */
  stopsAt(step: number) {
    return this.breaks.includes(step);
  }

  /** To the next breakpoint (`direction` 1) or the one before (-1), and from one end to the other. */
  go(direction: number) {
    this.goWithin(this.breaks, direction);
  }

  goTurn(watched: Watched, direction: number) {
    this.goWithin(watched.turns, direction);
  }

  goWithin(steps: number[], direction: number) {
    const { limit } = this;
    this.player.jumps.goTo(
      steps.filter((each) => each <= limit),
      direction,
    );
  }

  /** What is read out at a step: the breakpoints that it is at, and the values that have changed. */
  news() {
    const { words } = this;
    if (!this.isOn) return "";
    return this.watches
      .filter((each) => each.hit || each.changed)
      .map((each) => say(each.hit ? words.hit : words.news, { text: each.watched.text, value: each.shown ?? "" }))
      .join(" ");
  }
}

// One expression in view: what it is at a step, and the steps at which that turns.
//
// It is a value or a condition. A value is a column of the step (`watermark`, `clock`), a table (`timers`, `state`: how
// many, and the newest), or a column of what the step touches (`result`); anything else is a condition, a query of the
// search for steps. A name that is both is a value: who writes `watermark` wants to see it.

const MOST_ITEMS = 3;
const VALUE_LETTERS = 80;
/** What a value is where there is none. */
const MISSING = "–";
const CLOCK = "clock";

/** a fact of a table in a few letters */
type Describe = (row: any, times: Times) => string;

/**
 * The tables, each with what names one of its facts and, where not every fact counts, which of them do. The newest
 * facts are named; of timers the next ones.
 */
const DESCRIBED: { [table: string]: { describe: Describe; counts?: (row: any) => boolean; by?: string } | undefined } =
  {
    records: { describe: (row, times) => times.short(row.ts), counts: (row) => row.fate !== "ahead" },
    windows: {
      describe: (row, times) => `${keyText(row.key)} ${times.window(row.start, row.end)}`,
      counts: (row) => row.status === "open" || row.status === "fired",
    },
    contents: { describe: (row) => valueText(row.value) },
    timers: { describe: (row, times) => times.exact(row.timestamp), by: "timestamp" },
    outputs: {
      describe: ({ row }) => (row.value === undefined ? row.row : valueText(row.value)),
      counts: isWorthALine,
    },
    state: {
      describe: (row) => `${keyText(row.key)} ${row.value === null ? `(${row.entries})` : valueText(row.value)}`,
    },
    queue: { describe: (row, times) => times.short(row.ts), by: "ts" },
    buffers: { describe: (row, times) => times.short(row.ts) },
    channels: { describe: (row, times) => times.exact(row.watermark) },
  };

export class Watched {
  finder: StepFinder;
  text: string;
  /** the table that it counts */
  table: string | null = null;
  /** null for a value */
  test: StepTest | null = null;
  /** the value, or nothing for a condition */
  read: (step: number) => string = () => "";
  found: number[] | null = null;

  /** @throws {QueryProblem} where it is neither a value nor a query */
  constructor(finder: StepFinder, text: string) {
    finder.prepare();
    this.finder = finder;
    this.text = text;
    this.understand(text.trim().toLowerCase());
  }

  get isValue() {
    return this.test === null;
  }

  understand(plain: string) {
    const { finder } = this;
    const name = plain === CLOCK ? "at" : (ALIASES[plain] ?? plain);
    if (finder.own.has(name)) {
      const own = (SHOWN[name] ?? name) as "at";
      this.read = (step) => this.column(name, finder.steps.value(own, step));
    } else if (TABLES.some((each) => each === plain) && !OWN_VALUE.has(plain)) {
      this.table = plain;
      this.read = (step) => this.facts(plain, step);
    } else if (finder.fieldOf(plain) && !finder.words.has(plain) && !finder.events.has(plain)) {
      const { times } = finder.player;
      const values = finder.valuesOf(name);
      this.read =
        name === "window"
          ? (step) => listed(finder.windows(step).map(([start, end]) => times.window(Number(start), Number(end))))
          : (step) => listed(values(step).map((value) => this.column(name, value)));
    } else {
      this.test = finder.test(readQuery(this.text));
    }
  }

  /** The value at `step` as text; whether it holds, of a condition. */
  at(step: number): string | boolean {
    return this.test ? this.test(step) : short(this.read(step), VALUE_LETTERS);
  }

  /** A value of a column: a time to the millisecond, anything else as it is. */
  column(name: string, value: unknown) {
    const { times } = this.finder.player;
    if (TIMES.has(name.split(".").at(-1) ?? name)) return times.exact(value as number | null);
    return value === null || value === undefined || value === "" ? MISSING : valueText(value);
  }

  /** How many facts of a table there are, and a few of them: `4: …, 8, 2, 5`; of the counters each that is not 0. */
  facts(name: string, step: number) {
    const { facts, times } = this.finder.player;
    const all: any[] = facts.table(name as "records").at(step);
    const { describe, counts, by } = DESCRIBED[name] ?? {};
    if (!describe) return listed(all.flatMap(amounts));
    const rows = counts ? all.filter(counts) : all;
    if (!rows.length) return "0";
    if (by) {
      const next = rows.toSorted((a, b) => a[by] - b[by]).slice(0, MOST_ITEMS);
      return `${rows.length}: ${next.map((row) => describe(row, times)).join(", ")}${more(rows, ", …")}`;
    }
    const newest = rows.slice(-MOST_ITEMS).map((row) => describe(row, times));
    return `${rows.length}: ${more(rows, "…, ")}${newest.join(", ")}`;
  }

  /**
   * The steps at which a condition becomes true and a value changes, ascending; a table changes with any of its facts.
   */
  get turns() {
    return (this.found ??= this.table ? this.begunOrEnded(this.table) : this.compared());
  }

  /** Its turns may be others from now on: the words of the steps have changed, or the bookmarks. */
  forget() {
    this.found = null;
  }

  compared() {
    const { test, read } = this;
    const turns = [];
    let before: string | boolean = test ? false : read(0);
    for (let step = 0; step < this.finder.count; step += 1) {
      const now = test ? test(step) : read(step);
      if (now !== before && now !== false) turns.push(step);
      before = now;
    }
    return turns;
  }

  begunOrEnded(name: string) {
    const table = this.finder.player.facts.table(name as "records");
    const steps: Set<number> = new Set();
    const { counts } = DESCRIBED[name] ?? {};
    for (let index = 0; index < table.length; index += 1) {
      if (counts && !counts(table.row(index))) continue;
      steps.add(table.value("from_step", index));
      steps.add(table.value("until_step", index) ?? 0);
    }
    steps.delete(0);
    return [...steps].filter((step) => step < this.finder.count).sort((a, b) => a - b);
  }
}

/** What a row of counters counts, as far as it is there. */
function amounts(row: { [name: string]: unknown }) {
  return Object.entries(row).flatMap(([name, count]) =>
    typeof count === "number" && count && !name.endsWith("_step") ? [`${name} ${count}`] : [],
  );
}

function listed(texts: string[]) {
  return texts.join(", ") || MISSING;
}

function more(rows: unknown[], text: string) {
  return rows.length > MOST_ITEMS ? text : "";
}
