// The page kit (ui/pages/kit.py): how a page is mounted, how it asks the server, and what those pages share that show
// one view at a time: address, keys, a silent server.
import { addressWith, goTo } from "../player/base/address.ts";
import { el, fill } from "../player/base/dom.ts";
import type { Mounting } from "../player/types/player.ts";

/** How often (ms) a question is sent that has no answer, and how many times in all. */
const AGAIN_MS = 8000;
const TRIES = 4;

type Numbered<Question> = Question & { number: number };

/** A question under way: sent again until its reply is heard, since the connection may be lost with it. */
export class Exchange<Question extends object> {
  post: (question: Numbered<Question>) => void;
  onSilence: () => void;
  tries: number;
  patience: number;
  number: number = Date.now();
  timer?: ReturnType<typeof setTimeout>;
  underWay: { question: Numbered<Question>; resolve: (reply: any) => void } | null = null;

  /**
   * @param onSilence called when the server does not answer
   * @param tries how many times a question is sent
   * @param patience the time (ms) after which it is sent again
   */
  constructor(
    post: (question: Numbered<Question>) => void,
    onSilence: () => void,
    tries: number = TRIES,
    patience: number = AGAIN_MS,
  ) {
    this.post = post;
    this.onSilence = onSilence;
    this.tries = tries;
    this.patience = patience;
  }

  /** Sends a question; whoever waits for another one waits in vain. */
  begin(question: Question, resolve: (reply: any) => void) {
    this.number += 1;
    this.underWay = { question: { ...question, number: this.number }, resolve };
    this.send(this.tries);
  }

  send(left: number) {
    clearTimeout(this.timer);
    if (!this.underWay) return;
    if (left) {
      this.post({ ...this.underWay.question });
      this.timer = setTimeout(() => this.send(left - 1), this.patience);
    } else {
      this.forget();
      this.onSilence();
    }
  }

  /** Hands a reply to whoever asked; returns whether it was one to the question under way. */
  hear(reply: { number?: number } | null) {
    if (!this.underWay || reply?.number !== this.underWay.question.number) return false;
    const { resolve } = this.underWay;
    this.forget();
    resolve(reply);
    return true;
  }

  /** Nobody waits any more for the answer to the question under way. */
  forget() {
    clearTimeout(this.timer);
    this.underWay = null;
  }
}

/** Questions to the server, one at a time; a newer one takes the place of one that has no answer yet. */
export class Asking<Question extends object> extends Exchange<Question> {
  /** Whether a question has no answer yet. */
  get waits() {
    return this.underWay !== null;
  }

  /** @returns the reply; it never comes if another question took the place of this one */
  ask(question: Question): Promise<any> {
    return new Promise((resolve) => this.begin(question, resolve));
  }
}

export type AskingView = { node: HTMLElement; key?: (event: KeyboardEvent) => void; close?: () => void };

export class AskingPage<First extends { words: { silent: string; waits: string } }, Question extends object> {
  host: HTMLElement;
  first: First;
  asking: Asking<Question>;
  view: AskingView | null = null;
  /** the place and the language of what is shown */
  shown: string | null = null;
  onKey = (event: KeyboardEvent) => this.view?.key?.(event);

  constructor(host: HTMLElement, first: First, post: (question: Numbered<Question>) => void) {
    this.host = host;
    this.first = first;
    this.asking = new Asking(post, () => this.silent());
    window.addEventListener("keydown", this.onKey);
  }

  get words(): First["words"] {
    return this.first.words;
  }

  /** The reader may choose another language at any time. */
  speak(first: First) {
    this.first = first;
  }

  /** Shows what the address names, unless it is shown already. */
  open() {}

  /**
   * Notes what is shown.
   * @param sign null so that `open` shows it again
   */
  mark(sign: string | null) {
    this.shown = sign;
  }

  /** Puts a view in the place of the one that is open. */
  put(made: () => AskingView) {
    this.view?.close?.();
    this.view = made();
    const { node } = this.view;
    if (!node.hasChildNodes()) node.append(el("p", "tm-inv-waits", this.words.waits, { role: "status" }));
    fill(this.host, node);
    node.scrollIntoView({ block: "start" });
  }

  /**
   * Writes the part of the address that names what is shown.
   * @param further whether Back leads to what was shown before
   */
  address(query: { [name: string]: string }, further = false) {
    const address = addressWith(Object.entries(query));
    if (further && address.href !== window.location.href) window.history.pushState({}, "", address);
    else goTo(address, false);
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

/** A page as `mounting` mounts it: `speak` hears of another language, `open` of each run of the page. */
interface AskingMounted<First, Question extends object> {
  asking: Asking<Question>;
  speak: (first: First) => void;
  open: () => void;
  close: () => void;
}

/** What Streamlit calls at each run of a page that asks (`asking_page` of ui/pages/kit.py), and after each question. */
export function mounting<First, Question extends object>(
  Page: new (
    host: HTMLElement,
    first: First,
    post: (question: Numbered<Question>) => void,
  ) => AskingMounted<First, Question>,
): (mounting: Mounting<{ first: First; told: any }, { ask: Numbered<Question> }>) => () => void {
  const pages: WeakMap<HTMLElement, AskingMounted<First, Question>> = new WeakMap();
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
