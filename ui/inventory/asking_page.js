// What the pages have in common whose questions the server answers one by one: views, address, keys, a silent server.
import { el, fill } from "../player/base/dom.js";
import { Asking } from "./wire.js";
/** @import { Mounting } from "../player/types/player.d.ts" */

/** What any page may have in its address. */
const CARRIED = ["lang", "embed", "embed_options"];

/** @typedef {{ node: HTMLElement, key?: (event: KeyboardEvent) => void, close?: () => void }} AskingView */

/**
 * @template {{ words: { silent: string, waits: string } }} First
 * @template {object} Question
 */
export class AskingPage {
  /**
   * @param {HTMLElement} host
   * @param {First} first
   */
  constructor(host, first) {
    this.host = host;
    this.first = first;
    /** @type {Asking<Question>} */
    this.asking = new Asking(
      () => {},
      () => this.silent(),
    );
    /** @type {AskingView | null} */
    this.view = null;
    /** @type {string | null} the place and the language of what is shown */
    this.shown = null;
    this.onKey = (/** @type {KeyboardEvent} */ event) => this.view?.key?.(event);
    window.addEventListener("keydown", this.onKey);
  }

  /** @returns {First["words"]} */
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
  open() {}

  /**
   * Notes what is shown.
   * @param {string | null} sign null so that `open` shows it again
   */
  mark(sign) {
    this.shown = sign;
  }

  /**
   * Puts a view in the place of the one that is open.
   * @param {() => AskingView} made
   */
  put(made) {
    this.view?.close?.();
    this.view = made();
    const { node } = this.view;
    if (!node.hasChildNodes()) node.append(el("p", "tm-inv-waits", this.words.waits, { role: "status" }));
    fill(this.host, node);
    node.scrollIntoView({ block: "start" });
  }

  /**
   * Writes the part of the address that names what is shown.
   * @param {{ [name: string]: string }} query
   * @param {boolean} [further] whether Back leads to what was shown before
   */
  address(query, further = false) {
    const address = new URL(window.location.href);
    const before = address.searchParams;
    const kept = CARRIED.flatMap((name) => before.getAll(name).map((value) => [name, value]));
    address.search = new URLSearchParams([...kept, ...Object.entries(query)]).toString();
    if (further && address.href !== window.location.href) window.history.pushState({}, "", address);
    else window.history.replaceState(window.history.state, "", address);
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

/**
 * What Streamlit calls at each run of such a page, and after each question.
 * @template {{ words: { silent: string, waits: string } }} First
 * @template {object} Question
 * @param {new (host: HTMLElement, first: First) => AskingPage<First, Question>} Page
 * @returns {(mounting: Mounting<{ first: First, told: string }, { ask: Question & { number: number } }>) => () => void}
 */
export function mounting(Page) {
  /** @type {WeakMap<HTMLElement, AskingPage<First, Question>>} */
  const pages = new WeakMap();
  return ({ data, parentElement, setTriggerValue }) => {
    let page = pages.get(parentElement);
    if (!page) {
      const host = el("div", "tm-host");
      parentElement.append(host);
      page = new Page(host, data.first);
      pages.set(parentElement, page);
    }
    page.asking.post = (question) => setTriggerValue("ask", question);
    page.speak(data.first);
    page.asking.hear(JSON.parse(data.told));
    page.open();
    const shown = page;
    return () => {
      shown.close();
      pages.delete(parentElement);
    };
  };
}
