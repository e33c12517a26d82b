// Questions to the server, one at a time; a newer one takes the place of one that has no answer yet.

const AGAIN_MS = 8000;
const TRIES = 4;

/** @template {object} Question */
export class Asking {
  /**
   * @param {(question: Question & { number: number }) => void} post
   * @param {() => void} onSilence called when the server does not answer
   */
  constructor(post, onSilence) {
    this.post = post;
    this.onSilence = onSilence;
    this.number = Date.now();
    /** @type {number | undefined} */
    this.timer = undefined;
    /** @type {((reply: any) => void) | null} */
    this.resolve = null;
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
      this.send(sent, TRIES);
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
      this.onSilence();
      return;
    }
    this.post({ ...question });
    this.timer = setTimeout(() => this.send(question, left - 1), AGAIN_MS);
  }

  /** @param {{ number: number } | null} reply */
  hear(reply) {
    if (!reply || reply.number !== this.number || !this.resolve) return;
    clearTimeout(this.timer);
    const { resolve } = this;
    this.resolve = null;
    resolve(reply);
  }

  close() {
    clearTimeout(this.timer);
    this.resolve = null;
  }
}
