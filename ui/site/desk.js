// Answers what the player asks its server (ui/share/desk.py): with a file of the site where that is the answer.
import { Stage } from "./stage.js";
/** @import { Desk, Question } from "../player/types/share.d.ts" */
/** @import { SiteWords } from "../player/types/words.d.ts" */
/** @import { Answered, Manifest } from "./types.d.ts" */
/** @import { Store } from "./store.js" */

const NO_BODY = new Uint8Array(0);

/** How requests begin that only a server can answer: a question to a class. */
const SERVED = "room-";

/** What Python in a browser has no library for. */
const UNWRITTEN = ["parquet"];

/**
 * An answer as ui/share/desk.js unpacks it: four bytes for the length of what is said, that as JSON, and the bytes.
 * @param {number} number of the question
 * @param {Answered} answered
 */
export function packedAnswer(number, { said, body }) {
  const head = new TextEncoder().encode(JSON.stringify({ ...said, number }));
  const packed = new Uint8Array(4 + head.length + body.length);
  new DataView(packed.buffer).setUint32(0, head.length);
  packed.set(head, 4);
  packed.set(body, 4 + head.length);
  return packed;
}

export class SiteDesk {
  /**
   * @param {Manifest} manifest
   * @param {HTMLElement} parent
   * @param {Store} store
   * @param {(question: Question) => Promise<Answered | null>} compute asks Python; null where there is none
   * @param {() => boolean} starting whether Python is being started
   */
  constructor(manifest, parent, store, compute, starting) {
    this.stage = new Stage(manifest, parent);
    this.fonts = manifest.fonts;
    this.store = store;
    this.compute = compute;
    this.starting = starting;
    /** @type {SiteWords | null} */
    this.words = null;
  }

  /** @param {SiteWords} words */
  open(words) {
    const first = !this.words;
    this.words = words;
    if (!first) return;
    /** @type {Desk} */
    const desk = (globalThis.tidemarkDesk ??= { waiting: new Map(), number: Date.now() });
    desk.unwritten = UNWRITTEN;
    desk.starting = this.starting;
    this.tell(NO_BODY);
  }

  /** @param {Uint8Array<ArrayBuffer>} answer */
  tell(answer) {
    this.stage.show("desk", answer, {
      ask: async (/** @type {Question} */ question) =>
        this.tell(packedAnswer(question.number, await this.answer(question))),
    });
  }

  /**
   * @param {Question} question
   * @returns {Promise<Answered>}
   */
  async answer(question) {
    const { kind } = question;
    if (kind === "fonts") {
      // Without them the browser's own fonts do.
      return { said: { type: "text/css" }, body: await this.store.bytes(this.fonts).catch(() => NO_BODY) };
    }
    const answered = kind.startsWith(SERVED) ? null : await this.compute(question);
    const problem = kind.startsWith(SERVED) ? this.words?.votes : this.words?.server;
    return answered ?? { said: { problem }, body: NO_BODY };
  }
}
