// What happened and why, in the words of the level that the reader has chosen; all levels came with the facts.
import { say, type Times } from "./format.ts";
import { keepText, keptChoice } from "./kept.ts";
import { Writer, cut } from "./writing.ts";
import type { Facts, Table } from "./facts.ts";
import type { Payload, StepFact } from "../types/player.ts";

const LEVEL_KEY = "tidemark.level";
const MOST_LIVE = 30;
const MOST_WORDS = 6;
const EARLIER = "…";
// A reason that says what such a step is good for; what led to it is told instead.
const PURPOSE = "why.of_";

/**
 * Puts steps into words. A step names its two sentences (`story`, `reason`) and carries raw `fields`; each is written
 * when a sentence asks for it, by the rules of simulator/timeline/wording.py. The rows of `steps` get three columns of
 * text here: `what`, `why`, and `condition`, the predicate with its numbers.
 */
export class Telling {
  telling;
  texts: Record<string, Record<string, string>>;
  levels: string[];
  writer: Writer;
  steps: Table<StepFact>;
  listeners: ((level: string) => void)[] = [];
  level: string;
  times: Times;
  /** where readers of a level stop; found when first asked for */
  stopping: { level: string; steps: number[] } | null = null;

  constructor(payload: Payload, facts: Facts, times: Times) {
    this.telling = payload.telling;
    this.texts = this.telling.texts;
    this.levels = Object.keys(this.texts);
    this.writer = new Writer(this.telling, times);
    this.steps = facts.table("steps");
    this.level = keptChoice(LEVEL_KEY, this.levels) ?? this.levels[0];
    this.times = times;
    this.steps.derive("what", (index) => this.sentence("story", index));
    this.steps.derive("why", (index) => this.why(index));
    this.steps.derive("condition", (index) => this.condition(index));
  }

  /** From now on use the words of `level`, and notify the listeners. */
  choose(level: string) {
    this.take(level);
    keepText(LEVEL_KEY, this.level);
  }

  /** The words of `level` on this page, without keeping the choice: what a link asks for. */
  take(level: string) {
    if (level === this.level || !this.levels.includes(level)) return;
    this.level = level;
    this.steps.forget();
    for (const listener of this.listeners) listener(level);
  }

  /** The next level; after the last one the first. */
  turn() {
    this.choose(this.levels[(this.levels.indexOf(this.level) + 1) % this.levels.length]);
  }

  onChange(listener: (level: string) => void) {
    this.listeners.push(listener);
  }

  sentence(column: "story" | "reason", index: number) {
    const name = this.steps.value(column, index);
    if (!name) return "";
    const template = this.texts[this.level][name];
    const text = this.fill(template, index);
    return template.startsWith("{") ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  }

  /** The reason of a step, after what led to it at steps where readers of this level do not stop. */
  why(index: number) {
    const told = (this.steps.value("since", index) ?? [])
      .filter(([step]) => !this.stopsAt(step))
      .map(([step, part]) => this.sentence(part, step));
    const reason = this.steps.value("reason", index);
    if (reason && !(told.length && reason.startsWith(PURPOSE))) told.push(this.sentence("reason", index));
    return told.reduce((text, each) => (text.endsWith(".") ? `${text} ${each}` : text + each), "");
  }

  /** Whether readers of the chosen level stop at a step. */
  stopsAt(step: number) {
    return this.levels.indexOf(this.steps.value("level", step)) <= this.levels.indexOf(this.level);
  }

  /** The steps at which they stop, in ascending order. */
  get stops() {
    if (this.stopping?.level !== this.level) {
      const steps = Array.from({ length: this.steps.length }, (_, step) => step).filter((step) => this.stopsAt(step));
      this.stopping = { level: this.level, steps };
    }
    return this.stopping.steps;
  }

  /** A template with the fields of a step. */
  fill(template: string, index: number) {
    const fields = this.steps.value("fields", index);
    const asked: { [name: string]: string } = {};
    for (const [, name] of template.matchAll(/\{(\w+)\}/g)) asked[name] ??= this.field(name, fields, index);
    return say(template, asked);
  }

  /** What the step carries; else another of its fields, written in another way; else a number of the rule. */
  field(name: string, fields: { [name: string]: any }, index: number) {
    const { kinds, derived, constants } = this.telling;
    if (name in fields) return this.writer.write(kinds[name], fields[name]);
    const [kind, ...sources] = derived[name] ?? [];
    for (const source of sources) {
      const [of, member] = source.split(".");
      if (of === "step") {
        return this.writer.write(kind, this.steps.value(member as keyof StepFact, index));
      }
      if (of in fields) return this.writer.write(kind, member ? fields[of][member] : fields[of]);
    }
    if (name in constants) return constants[name];
    const of = fields.decided ?? index;
    if (name === "predicate") return this.condition(of);
    return this.writer.number(this.steps.value("rule", of)?.numbers ?? {}, name);
  }

  /** The rule with its numbers: `7.999 <= 8.999`; "" without one. */
  condition(index: number) {
    return this.writer.predicate(this.steps.value("predicate", index));
  }

  /** What stands beside each line of code of the step: its own values at the last one, at the others the rule. */
  live(index: number) {
    const lines = this.steps.value("lines", index) ?? [];
    const shown = this.condition(index);
    const template = this.telling.live[this.steps.value("story", index).slice("what.".length)];
    const own = template === undefined ? shown : this.fill(template, index);
    return lines.map((_, place) => cut(place === lines.length - 1 ? own : shown, MOST_LIVE));
  }

  /**
   * The short words of the steps of this item up to `index`, at most six; equal neighbours once. Those at which readers
   * of this level do not stop are left out, except `index` itself.
   */
  trail(index: number) {
    const item = this.steps.value("item", index);
    const found: string[] = [];
    for (let each = index; each >= 0 && found.length <= MOST_WORDS; each -= 1) {
      if (this.steps.value("item", each) !== item) break;
      if (each !== index && !this.stopsAt(each)) continue;
      const word = this.telling.trail[this.steps.value("event", each)];
      if (found.at(-1) !== word) found.push(word);
    }
    if (found.length > MOST_WORDS) found[found.length - 1] = EARLIER;
    return found.reverse();
  }

  /** {what, why} of a step. */
  told(step: number) {
    return { what: this.sentence("story", step), why: this.why(step) };
  }

  /** Whether times are rounded from now on. */
  round(rounds: boolean) {
    if (rounds !== this.times.rounds) this.steps.forget();
    this.times.rounds = rounds;
  }

  /** The same to the millisecond, rounded or not. */
  exactly(step: number) {
    const { rounds } = this.times;
    this.times.rounds = false;
    const told = this.told(step);
    this.times.rounds = rounds;
    return told;
  }
}
