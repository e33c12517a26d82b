// Questions to the server, one at a time; of questions in the same slot only the newest is asked.
//
// Edits have no slot: each one is made. While the next edit waits, nobody will look at what one leads to, so only its
// text is asked for; where that ends the computation under way (in a site), a long one is asked anew in that way.
import { Exchange } from "../pages/kit.ts";
import type { Question, Reply, ReplyTo } from "./types.ts";

interface Waiting {
  make: () => Question | null;
  slot: string | null;
  overtakes: string[];
  /** takes what `ask` promised for this question */
  resolve: (reply: any) => void;
}

const PATIENCE_MS = 20000;

/** An edit that has been computed for so long (ms) makes way for the next one; a quicker one is shown first. */
const SHORT_MS = 400;

/** The name, among the slots that a question overtakes, of edits of which only the text may be asked for. */
export const EDIT = "edit";

/** The slot of the search for a stream that tells the draft from its earlier text; any edit overtakes it. */
export const MATTERS = "matters";

export class Wire extends Exchange<Question> {
  onBusy: (busy: boolean) => void;
  onLetGo: (question: Question, slot: string | null) => void;
  waiting: Waiting[] = [];
  /** what is under way; `at`: when it was asked, as `performance.now()` */
  sent: (Waiting & { at: number }) | null = null;
  closed = false;
  onUnanswered;
  onLost;
  hurrying?: number;

  /**
   * @param post hands a question to the server
   * @param onBusy called with whether a question is under way or waits
   * @param onLetGo called with a question that gets no answer, after whoever asked
   */
  constructor(
    post: (question: Question & { number: number }) => void,
    onBusy: (busy: boolean) => void,
    onLetGo: (question: Question, slot: string | null) => void = () => {},
  ) {
    super(post, () => {}, Infinity, PATIENCE_MS);
    this.onBusy = onBusy;
    this.onLetGo = onLetGo;
    this.onUnanswered = () => this.letGo();
    this.onLost = () => this.again();
    window.addEventListener("tidemark:unanswered", this.onUnanswered);
    window.addEventListener("tidemark:lost", this.onLost);
  }

  /**
   * Asks what `make` returns at the moment when it is sent, nothing for null.
   * @param overtakes slots of questions whose answer nobody needs once this one is answered; `EDIT` among
   * them: of an edit before this one only the text is needed
   * @returns null where nothing was asked, or a newer question took its place
   */
  ask<Asked extends Question>(
    make: () => Asked | null,
    slot: string | null = null,
    overtakes: string[] = ["hints"],
  ): Promise<ReplyTo<Asked> | null> {
    return new Promise((resolve) => {
      if (slot && slot !== EDIT) {
        const older = this.waiting.find((each) => each.slot === slot);
        if (older) {
          this.waiting.splice(this.waiting.indexOf(older), 1);
          older.resolve(null);
        }
      }
      this.waiting.push({ make, slot, overtakes, resolve });
      if (this.sent?.slot && overtakes.includes(this.sent.slot)) this.hurry(this.sent);
      this.next();
    });
  }

  next() {
    this.onBusy(Boolean(this.sent) || this.waiting.length > 0);
    if (this.closed || this.sent || !this.waiting.length) return;
    const each = this.waiting.shift() as Waiting;
    const question = each.make();
    if (!question) {
      each.resolve(null);
      this.next();
      return;
    }
    const onlyText = each.slot === EDIT && this.waiting.some(({ overtakes }) => overtakes.includes(EDIT));
    this.sent = { ...each, at: performance.now() };
    this.onBusy(true);
    this.begin({ ...question, ...(onlyText ? { only_text: true } : {}) }, each.resolve);
  }

  /** Makes way for a question that waits: at once, or for an edit when it has had its time. */
  hurry(sent: Waiting & { at: number }) {
    clearTimeout(this.hurrying);
    if (sent.slot !== EDIT) this.overtake();
    else if (this.underWay && !("only_text" in this.underWay.question)) {
      const left = sent.at + SHORT_MS - performance.now();
      this.hurrying = setTimeout(() => this.sent === sent && this.overtake(), Math.max(left, 0));
    }
  }

  /** Lets the question under way go where that ends its computation: in a site, which listens (ui/site/computed.ts). */
  overtake() {
    const event = new CustomEvent("tidemark:overtaken", { cancelable: true });
    if (window.dispatchEvent(event)) return;
    if (this.sent?.slot === EDIT) this.waiting.unshift(this.sent);
    else this.sent?.resolve(null);
    this.leave();
  }

  /** The reader needs no answer to what is under way in `slot`. */
  stop(slot: string) {
    if (this.sent?.slot !== slot) return;
    this.sent.resolve(null);
    this.leave();
  }

  /** The question under way gets no answer. */
  letGo() {
    const { sent, underWay } = this;
    sent?.resolve(null);
    this.leave();
    if (sent && underWay) Promise.resolve().then(() => this.onLetGo(underWay.question, sent.slot));
  }

  /** Nothing is under way any more. */
  leave() {
    this.forget();
    this.sent = null;
    Promise.resolve().then(() => this.next()); // after what a reply leads to
  }

  /** The connection may have been lost with the question. */
  again() {
    if (!this.closed) this.send(this.tries);
  }

  hear(reply: Reply) {
    const mine = super.hear(reply);
    if (mine) this.leave();
    return mine;
  }

  /** A question that reached the server after its page was left would leave the next page empty. */
  close() {
    this.closed = true;
    window.removeEventListener("tidemark:unanswered", this.onUnanswered);
    window.removeEventListener("tidemark:lost", this.onLost);
    clearTimeout(this.timer);
    clearTimeout(this.hurrying);
    this.waiting = [];
  }
}
