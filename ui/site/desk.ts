// Answers what the player asks its server (ui/share/desk.py): with a file of the site where that is the answer.
import { Stage } from "./stage.ts";
import type { Desk, Question } from "../player/types/share.ts";
import type { SiteWords } from "#types/words";
import type { Answered, Manifest } from "./types.ts";
import type { Store } from "./store.ts";

const NO_BODY = new Uint8Array(0);

/** How requests begin that only a server can answer: a question to a class. */
const SERVED = "room-";

/** What Python in a browser has no library for. */
const UNWRITTEN = ["parquet"];

/**
 * An answer as ui/share/desk.ts unpacks it: four bytes for the length of what is said, that as JSON, and the bytes.
 * @param number of the question
 */
export function packedAnswer(number: number, { said, body }: Answered) {
  const head = new TextEncoder().encode(JSON.stringify({ ...said, number }));
  const packed = new Uint8Array(4 + head.length + body.length);
  new DataView(packed.buffer).setUint32(0, head.length);
  packed.set(head, 4);
  packed.set(body, 4 + head.length);
  return packed;
}

export class SiteDesk {
  stage: Stage;
  fonts: string;
  store: Store;
  compute: (question: Question) => Promise<Answered | null>;
  starting: () => boolean;
  words: SiteWords | null = null;

  /**
   * @param compute asks Python; null where there is none
   * @param starting whether Python is being started
   */
  constructor(
    manifest: Manifest,
    parent: HTMLElement,
    store: Store,
    compute: (question: Question) => Promise<Answered | null>,
    starting: () => boolean,
  ) {
    this.stage = new Stage(manifest, parent);
    this.fonts = manifest.fonts;
    this.store = store;
    this.compute = compute;
    this.starting = starting;
  }

  open(words: SiteWords) {
    const first = !this.words;
    this.words = words;
    if (!first) return;
    const desk: Desk = (globalThis.tidemarkDesk ??= { waiting: new Map(), number: Date.now() });
    desk.unwritten = UNWRITTEN;
    desk.starting = this.starting;
    this.tell(NO_BODY);
  }

  tell(answer: Uint8Array<ArrayBuffer>) {
    this.stage.show("desk", answer, {
      ask: async (question: Question) => this.tell(packedAnswer(question.number, await this.answer(question))),
    });
  }

  async answer(question: Question): Promise<Answered> {
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
