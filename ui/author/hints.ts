// Hints at what the author may not have meant. They need more runs, so the page asks for them after the draft is shown.
import type { Author } from "./author.ts";
import type { Check } from "./types.ts";

const WAIT_MS = 350;

export class Hints {
  author: Author;
  /** the last ones; they stay until others come */
  list: Check[] = [];
  waiting?: number;

  constructor(author: Author) {
    this.author = author;
  }

  /** The checks with the hints: what is wrong, the hints, what is well. */
  among(checks: Check[]) {
    const wrong = checks.filter((each) => each.mark !== "ok");
    return [...wrong, ...this.list, ...checks.filter((each) => each.mark === "ok")];
  }

  /** Asks for the hints of the draft, once nothing has changed for a moment. */
  ask() {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.find(), WAIT_MS);
  }

  async find() {
    const { author } = this;
    const reply = await author.wire.ask(() => (author.sound ? { text: author.text, hints: true } : null), "hints");
    if (!reply && author.sound && !author.closed) this.ask();
    if (!reply?.hints || author.closed || !author.sound) return;
    this.list = reply.hints;
    author.checks.show(this.among(author.shown.checks));
    author.cards.forEach((card) => card.tell());
    author.head.show();
  }
}
