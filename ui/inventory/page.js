// The inventory: which of its views is open. The address says so; what is kept decides between questions and result.
import { el, fill } from "../player/base/dom.js";
import { say } from "../player/base/format.js";
import { ClassView } from "./class.js";
import { FormView } from "./form.js";
import { emptyForm, keepInventory, keptInventory } from "./keeping.js";
import { ResultView } from "./result.js";
import { StartView } from "./start.js";
import { Asking } from "./wire.js";
/** @import { First, FormKept, Question } from "./types.d.ts" */

/** What any page may have in its address. */
const KEPT_IN_ADDRESS = ["lang", "embed", "embed_options"];

/** @typedef {{ node: HTMLElement, key?: (event: KeyboardEvent) => void, close?: () => void }} OpenView */

export class InventoryPage {
  /**
   * @param {HTMLElement} host
   * @param {First} first
   */
  constructor(host, first) {
    this.host = host;
    this.first = first;
    this.kept = keptInventory(first.edition, first.count);
    /** @type {Asking<Question>} */
    this.asking = new Asking(
      () => {},
      () => this.silent(),
    );
    /** @type {OpenView | null} */
    this.view = null;
    /** @type {string | null} the place and the language of what is shown */
    this.shown = null;
    /** @type {ClassView["files"]} the files of a class, for another language */
    this.files = [];
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
    const form = query.get("form");
    const place = query.get("view") === "class" ? "class" : form === null ? "" : `form ${form}`;
    const sign = `${place} ${this.words.title}`;
    if (this.shown === sign) return;
    this.shown = sign;
    this.view?.close?.();
    this.view = this.viewOf(place, form);
    fill(this.host, this.view.node);
    this.view.node.querySelector("h1")?.focus({ preventScroll: true });
    this.view.node.scrollIntoView({ block: "start" });
  }

  /**
   * @param {string} place
   * @param {string | null} form
   * @returns {OpenView}
   */
  viewOf(place, form) {
    if (place === "class") return new ClassView(this);
    if (form === null) return new StartView(this);
    if (!this.first.forms.includes(form)) {
      return new StartView(this, say(this.words.unknown_form, { form: form.slice(0, 20) }));
    }
    return this.of(form).done ? new ResultView(this, form) : new FormView(this, form);
  }

  /**
   * Opens a view: its part of the address.
   * @param {{ [name: string]: string }} query
   */
  go(query) {
    const address = new URL(window.location.href);
    const before = address.searchParams;
    const kept = KEPT_IN_ADDRESS.flatMap((name) => before.getAll(name).map((value) => [name, value]));
    address.search = new URLSearchParams([...kept, ...Object.entries(query)]).toString();
    window.history.replaceState(window.history.state, "", address);
    this.shown = null;
    this.open();
  }

  /**
   * The kept answers to a form.
   * @param {string} form
   * @returns {FormKept}
   */
  of(form) {
    return this.kept.forms[form] ?? emptyForm(this.first.count);
  }

  /**
   * @param {string} form
   * @param {FormKept} answers
   */
  keep(form, answers) {
    this.kept.forms[form] = answers;
    keepInventory(this.kept);
  }

  /** @param {string} form */
  forget(form) {
    delete this.kept.forms[form];
    keepInventory(this.kept);
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
