// Practice: an exercise or the boxes, as the address says. What comes next is decided by what this browser keeps.
import { el, fill } from "../player/base/dom.js";
import { Asking } from "../inventory/wire.js";
import { BoxesView } from "./boxes.js";
import { ExerciseView } from "./exercise.js";
import { keepPractice, keptPractice, nextExercise } from "./keeping.js";
/** @import { First, Named, Question } from "./types.d.ts" */

/** What any page may have in its address. */
const CARRIED = ["lang", "embed", "embed_options"];

/** @typedef {{ node: HTMLElement, key?: (event: KeyboardEvent) => void, close?: () => void }} PracticeView */

export class PracticePage {
  /**
   * @param {HTMLElement} host
   * @param {First} first
   */
  constructor(host, first) {
    this.host = host;
    this.first = first;
    this.kept = keptPractice(first.levels, first.most_seed);
    /** @type {Asking<Question>} */
    this.asking = new Asking(
      () => {},
      () => this.silent(),
    );
    /** @type {PracticeView | null} */
    this.view = null;
    /** @type {string | null} the place and the language of what is shown */
    this.shown = null;
    /** @type {Named | null} */
    this.due = null;
    this.onKey = (/** @type {KeyboardEvent} */ event) => this.view?.key?.(event);
    window.addEventListener("keydown", this.onKey);
  }

  get words() {
    return this.first.words;
  }

  /**
   * The reader may choose another language at any time.
   * @param {First} first
   */
  speak(first) {
    this.first = first;
  }

  /** Shows what the address names, unless it is shown already. */
  open() {
    const query = new URLSearchParams(window.location.search);
    const boxes = query.get("view") === "boxes";
    const named = boxes ? null : this.named(query);
    const sign = JSON.stringify([this.words.title, boxes, named && signOf(named)]);
    if (this.shown === sign) return;
    this.show(named, sign);
  }

  /**
   * @param {Named | null} named null for the boxes
   * @param {string} sign
   * @param {string} [note] what is said above the exercise
   */
  show(named, sign, note = "") {
    this.shown = sign;
    this.view?.close?.();
    this.view = named ? new ExerciseView(this, named, note) : new BoxesView(this);
    fill(this.host, this.view.node);
    this.view.node.scrollIntoView({ block: "start" });
  }

  /**
   * The exercise of an address; without one the exercise that is open, or the next one, which the address then names.
   * @param {URLSearchParams} query
   * @returns {Named}
   */
  named(query) {
    const { open } = this.kept;
    if (query.has("seed") || query.has("level")) {
      /** @type {Named} */
      const asked = {
        seed: wholeIn(query.get("seed") ?? "0"),
        level: wholeIn(query.get("level") ?? String(this.kept.level)),
        kind: query.get("kind") ?? "",
        about: query.get("about") ?? "",
      };
      return open && signOf(open) === signOf(asked) ? open : this.due?.seed === asked.seed ? this.due : asked;
    }
    const named = open && open.answer === null ? open : this.drawn();
    this.write(named);
    return named;
  }

  /** The next exercise; until it is open the page knows whether it is one that came back. */
  drawn() {
    this.due = nextExercise(this.kept, Date.now(), this.first.most_seed);
    return this.due;
  }

  /**
   * The next exercise.
   * @param {string} [note]
   */
  next(note = "") {
    const named = this.drawn();
    this.show(named, this.write(named), note);
  }

  /**
   * The exercise is there: it is kept as the open one, and the address names it.
   * @param {Named} named
   */
  opened(named) {
    const { open } = this.kept;
    if (!open || signOf(open) !== signOf(named)) this.kept.open = { ...named, answer: null };
    keepPractice(this.kept);
    this.shown = this.write(named);
  }

  /**
   * Writes an exercise into the address, and returns its sign.
   * @param {Named} named
   */
  write({ seed, level, kind, about }) {
    const query = { seed: String(seed), level: String(level), ...(kind && { kind }), ...(about && { about }) };
    this.go(query);
    return JSON.stringify([this.words.title, false, signOf({ seed, level, kind, about })]);
  }

  /** @param {{ [name: string]: string }} query */
  go(query) {
    const address = new URL(window.location.href);
    const before = address.searchParams;
    const kept = CARRIED.flatMap((name) => before.getAll(name).map((value) => [name, value]));
    address.search = new URLSearchParams([...kept, ...Object.entries(query)]).toString();
    window.history.replaceState(window.history.state, "", address);
  }

  /**
   * Another view of the page.
   * @param {{ [name: string]: string }} query
   */
  turn(query) {
    this.go(query);
    this.open();
  }

  /** The server does not answer. */
  silent() {
    this.view?.node.prepend(el("p", "tm-inv-problem", this.words.silent, { role: "alert" }));
  }

  close() {
    this.view?.close?.();
    this.asking.close();
    window.removeEventListener("keydown", this.onKey);
  }
}

/** @param {Named} named */
function signOf({ seed, level, kind, about }) {
  return JSON.stringify([seed, level, kind, about]);
}

/**
 * A number of the address. What is none stays as it is: the server says that there is no such exercise.
 * @param {string} text
 */
function wholeIn(text) {
  return /^\d{1,12}$/.test(text) ? Number(text) : /** @type {number} */ (/** @type {unknown} */ (text.slice(0, 20)));
}
