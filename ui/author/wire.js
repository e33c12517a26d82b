// Questions to the server, one at a time; of questions in the same slot only the newest is asked.
/** @import { First, Question, Reply, ReplyTo } from "./types.d.ts" */

/** @typedef {Question & { number: number }} Numbered */

/**
 * @typedef {object} Waiting
 * @property {() => Question | null} make
 * @property {string | null} slot
 * @property {(reply: any) => void} resolve takes what `ask` promised for this question
 */

const PATIENCE_MS = 20000;

export class Wire {
  /**
   * @param {(question: Numbered) => void} send hands a question to the server
   * @param {(busy: boolean) => void} onBusy called with whether a question is under way or waits
   */
  constructor(send, onBusy) {
    this.send = send;
    this.onBusy = onBusy;
    /** @type {Waiting[]} */
    this.waiting = [];
    /** @type {Waiting & { question: Numbered } | null} */
    this.sent = null;
    this.number = Date.now();
    this.closed = false;
    this.onUnanswered = () => this.letGo();
    window.addEventListener("tidemark:unanswered", this.onUnanswered);
  }

  /**
   * Asks what `make` returns at the moment when it is sent, nothing for null.
   * @template {Question} Asked
   * @param {() => Asked | null} make
   * @param {string | null} [slot]
   * @param {string[]} [overtakes] slots of questions whose answer nobody needs once this one is answered
   * @returns {Promise<ReplyTo<Asked> | null>} null where nothing was asked, or a newer question took its place
   */
  ask(make, slot = null, overtakes = ["hints"]) {
    return new Promise((resolve) => {
      if (slot) {
        const older = this.waiting.find((each) => each.slot === slot);
        if (older) {
          this.waiting.splice(this.waiting.indexOf(older), 1);
          older.resolve(null);
        }
      }
      this.waiting.push({ make, slot, resolve });
      if (this.sent?.slot && overtakes.includes(this.sent.slot)) this.overtake();
      this.next();
    });
  }

  next() {
    this.onBusy(Boolean(this.sent) || this.waiting.length > 0);
    if (this.closed || this.sent || !this.waiting.length) return;
    const each = /** @type {Waiting} */ (this.waiting.shift());
    const question = each.make();
    if (!question) {
      each.resolve(null);
      this.next();
      return;
    }
    this.number += 1;
    this.sent = { ...each, question: { ...question, number: this.number } };
    this.onBusy(true);
    this.send(this.sent.question);
    this.timer = setTimeout(() => this.again(), PATIENCE_MS);
  }

  /** Lets the question under way go where that ends its computation: in a site, which listens (ui/site/computed.js). */
  overtake() {
    const event = new CustomEvent("tidemark:overtaken", { cancelable: true });
    if (!window.dispatchEvent(event)) this.letGo();
  }

  /** The question under way gets no answer. */
  letGo() {
    clearTimeout(this.timer);
    const { sent } = this;
    this.sent = null;
    sent?.resolve(null);
    Promise.resolve().then(() => this.next());
  }

  /** The connection may have been lost with the question. */
  again() {
    clearTimeout(this.timer);
    if (!this.sent || this.closed) return;
    this.send({ ...this.sent.question });
    this.timer = setTimeout(() => this.again(), PATIENCE_MS);
  }

  /**
   * Hands a reply to whoever asked; one to an earlier question is ignored.
   * @param {Reply} reply
   */
  take(reply) {
    if (!this.sent || reply.number !== this.sent.question.number) return;
    clearTimeout(this.timer);
    const { resolve } = this.sent;
    this.sent = null;
    resolve(reply);
    Promise.resolve().then(() => this.next()); // after what the reply leads to
  }

  /** A question that reached the server after its page was left would leave the next page empty. */
  close() {
    this.closed = true;
    window.removeEventListener("tidemark:unanswered", this.onUnanswered);
    clearTimeout(this.timer);
    this.waiting = [];
  }
}

/**
 * What the server sent.
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @returns {Promise<First | Reply>}
 */
export async function unpacked(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}
