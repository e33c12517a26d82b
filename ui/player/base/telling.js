// What happened and why, in the words of the level that the reader has chosen; all levels came with the facts.
import { say } from "./format.js";

const LEVEL_KEY = "tidemark.level";

/**
 * Fills the sentences of a level. A step names its two sentences (`story`, `reason`) and has the `fields` of both; so
 * the rows of `steps` get their columns `what` and `why` here.
 */
export class Telling {
  constructor(payload, facts) {
    this.texts = payload.levels;
    this.levels = Object.keys(payload.levels);
    this.steps = facts.table("steps");
    this.listeners = [];
    this.level = this.remembered();
    this.steps.derive("what", (index) => this.sentence("story", index));
    this.steps.derive("why", (index) => this.sentence("reason", index));
  }

  remembered() {
    try {
      const level = window.localStorage.getItem(LEVEL_KEY);
      if (this.levels.includes(level)) return level;
    } catch {
      // Storage may be forbidden; then the choice holds for this page alone.
    }
    return this.levels[0];
  }

  /** From now on the words of `level`; whoever listens is told. */
  choose(level) {
    this.take(level);
    try {
      window.localStorage.setItem(LEVEL_KEY, this.level);
    } catch {
      // As above.
    }
  }

  /** The words of `level` on this page, without keeping the choice: what a link asks for. */
  take(level) {
    if (level === this.level || !this.levels.includes(level)) return;
    this.level = level;
    this.steps.forget();
    for (const listener of this.listeners) listener(level);
  }

  /** The next level; after the last one the first. */
  turn() {
    this.choose(this.levels[(this.levels.indexOf(this.level) + 1) % this.levels.length]);
  }

  onChange(listener) {
    this.listeners.push(listener);
  }

  sentence(column, index) {
    const name = this.steps.value(column, index);
    if (!name) return "";
    const template = this.texts[this.level][name];
    const text = say(template, {
      predicate: this.steps.value("predicate", index) ?? "",
      ...this.steps.value("fields", index),
    });
    return template.startsWith("{") ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  }

  /** {what, why} of a step. */
  told(step) {
    return { what: this.sentence("story", step), why: this.sentence("reason", step) };
  }
}
