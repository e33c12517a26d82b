// The page kit (ui/pages/kit.py): how a page is mounted, how it asks the server, and what those pages share that show
// one view at a time: address, keys, a silent server.
import { el, fill } from "../player/base/dom.js";
/** @import { Mounting } from "../player/types/player.d.ts" */

/** How often (ms) a question is sent that has no answer, and how many times in all. */
const AGAIN_MS = 8000;
const TRIES = 4;

/**
 * Questions to the server, one at a time; a newer one takes the place of one that has no answer yet.
 * @template {object} Question
 */
export class Asking {
  /**
   * @param {(question: Question & { number: number }) => void} post
   * @param {() => void} onSilence called when the server does not answer
   * @param {number} [tries] how many times a question is sent
   */
  constructor(post, onSilence, tries = TRIES) {
    this.post = post;
    this.onSilence = onSilence;
    this.tries = tries;
    this.number = Date.now();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** @type {((reply: any) => void) | null} */
    this.resolve = null;
  }

  /** Whether a question has no answer yet. */
  get waits() {
    return this.resolve !== null;
  }

  /**
   * @param {Question} question
   * @returns {Promise<any>} the reply; it never comes if another question took the place of this one
   */
  ask(question) {
    this.number += 1;
    const sent = { ...question, number: this.number };
    return new Promise((resolve) => {
      this.resolve = resolve;
      this.send(sent, this.tries);
    });
  }

  /**
   * The connection may be lost with the question.
   * @param {Question & { number: number }} question
   * @param {number} left
   */
  send(question, left) {
    clearTimeout(this.timer);
    if (!left) {
      this.forget();
      this.onSilence();
      return;
    }
    this.post({ ...question });
    this.timer = setTimeout(() => this.send(question, left - 1), AGAIN_MS);
  }

  /** @param {{ number?: number } | null} reply */
  hear(reply) {
    if (!reply || reply.number !== this.number || !this.resolve) return;
    const { resolve } = this;
    this.forget();
    resolve(reply);
  }

  /** Nobody waits any more for the answer to the question under way. */
  forget() {
    clearTimeout(this.timer);
    this.resolve = null;
  }
}

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
   * @param {(question: Question & { number: number }) => void} post
   */
  constructor(host, first, post) {
    this.host = host;
    this.first = first;
    /** @type {Asking<Question>} */
    this.asking = new Asking(post, () => this.silent());
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
    this.asking.forget();
    window.removeEventListener("keydown", this.onKey);
  }
}

/**
 * A page as `mounting` mounts it: `speak` hears of another language, `open` of each run of the page.
 * @template First
 * @template {object} Question
 * @typedef {object} AskingMounted
 * @property {Asking<Question>} asking
 * @property {(first: First) => void} speak
 * @property {() => void} open
 * @property {() => void} close
 */

/**
 * What Streamlit calls at each run of a page that asks (`asking_page` of ui/pages/kit.py), and after each question.
 * @template First
 * @template {object} Question
 * @param {new (host: HTMLElement, first: First, post: (question: Question & { number: number }) => void) =>
 *   AskingMounted<First, Question>} Page
 * @returns {(mounting: Mounting<{ first: First, told: any }, { ask: Question & { number: number } }>) => () => void}
 */
export function mounting(Page) {
  /** @type {WeakMap<HTMLElement, AskingMounted<First, Question>>} */
  const pages = new WeakMap();
  return ({ data, parentElement, setTriggerValue }) => {
    let page = pages.get(parentElement);
    if (!page) {
      const host = el("div", "tm-host");
      parentElement.append(host);
      page = new Page(host, data.first, (question) => setTriggerValue("ask", question));
      pages.set(parentElement, page);
    }
    page.asking.post = (question) => setTriggerValue("ask", question);
    page.speak(data.first);
    page.asking.hear(data.told);
    page.open();
    const shown = page;
    return () => {
      shown.close();
      pages.delete(parentElement);
    };
  };
}
