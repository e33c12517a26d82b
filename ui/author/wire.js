// Questions to the server, one at a time; of questions in the same slot only the newest is asked.

const PATIENCE_MS = 20000;

export class Wire {
  /** `send` hands a question to the server; `onBusy(whether)` is told when one is under way. */
  constructor(send, onBusy) {
    Object.assign(this, { send, onBusy, waiting: [], sent: null, number: Date.now() });
  }

  /** Asks what `make()` gives at the moment when it is sent; the reply, or null where a newer one took its place. */
  ask(make, slot = null) {
    return new Promise((resolve) => {
      if (slot) {
        const older = this.waiting.find((each) => each.slot === slot);
        if (older) {
          this.waiting.splice(this.waiting.indexOf(older), 1);
          older.resolve(null);
        }
      }
      this.waiting.push({ make, slot, resolve });
      this.next();
    });
  }

  next() {
    this.onBusy(Boolean(this.sent) || this.waiting.length > 0);
    if (this.sent || !this.waiting.length) return;
    const each = this.waiting.shift();
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

  /** The connection may have been lost with the question. */
  again() {
    if (!this.sent) return;
    this.send({ ...this.sent.question });
    this.timer = setTimeout(() => this.again(), PATIENCE_MS);
  }

  /** A reply has come. */
  take(reply) {
    if (!this.sent || reply.number !== this.sent.question.number) return;
    clearTimeout(this.timer);
    const { resolve } = this.sent;
    this.sent = null;
    resolve(reply);
    Promise.resolve().then(() => this.next()); // after what the reply leads to
  }

  close() {
    clearTimeout(this.timer);
    this.waiting = [];
  }
}

/** What the server sent. */
export async function unpacked(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}
