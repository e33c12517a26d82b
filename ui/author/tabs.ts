// Two tabs of one browser: a draft is edited in one of them, and the other says so.
import { HERE, draftOfKey } from "./drafts.ts";

const CHANNEL = "tidemark.author";
const HEARING_MS = 120;
const GIVING_MS = 400;

/** "open": this tab opens a draft. "mine": it has one. "take": it takes one over. "given": it has let it go. */
type Message = { kind: "open" | "mine" | "who" | "take" | "given"; draft: string; tab: string; since: number };

export class Tabs {
  mine: () => string | null;
  lost: () => void;
  giving: () => void;
  since: number;
  listening: ((message: Message) => void)[] = [];
  channel: BroadcastChannel | null;
  onStorage;

  /**
   * @param mine the draft that is edited here
   * @param lost called when another tab has that draft
   * @param giving called before another tab takes it over, so that all of it is stored
   */
  constructor(mine: () => string | null, lost: () => void, giving: () => void) {
    this.mine = mine;
    this.lost = lost;
    this.giving = giving;
    this.since = Date.now();
    this.channel = "BroadcastChannel" in globalThis ? new BroadcastChannel(CHANNEL) : null;
    this.channel?.addEventListener("message", ({ data }) => this.hear(data));
    this.onStorage = ({ key, newValue }: StorageEvent) => {
      const id = draftOfKey(key);
      if (id && newValue !== null && id === this.mine()) this.lost();
    };
    window.addEventListener("storage", this.onStorage);
  }

  say(kind: Message["kind"], draft = "") {
    this.channel?.postMessage({ kind, draft, tab: HERE, since: this.since });
  }

  hear(message: Message) {
    const { kind, draft, tab, since } = message;
    if (tab === HERE) return;
    for (const listen of [...this.listening]) listen(message);
    const mine = this.mine();
    if (kind === "who" && mine) this.say("mine", mine);
    if (!mine || draft !== mine) return;
    if (kind === "open") this.say("mine", mine);
    if (kind === "mine" && (since < this.since || (since === this.since && tab < HERE))) this.lost();
    if (kind === "take") {
      this.giving();
      this.lost();
      this.say("given", draft);
    }
  }

  /** The drafts that other tabs have. */
  async held(): Promise<Set<string>> {
    const found: Set<string> = new Set();
    await this.replies(
      "who",
      "",
      ({ kind, draft }) => {
        if (kind === "mine") found.add(draft);
        return false;
      },
      HEARING_MS,
    );
    return found;
  }

  /** This tab begins with a draft; one that has it already answers. */
  open(draft: string) {
    this.since = Date.now();
    this.say("open", draft);
  }

  /** Takes a draft over; resolves once all of it is stored. */
  async take(draft: string) {
    await this.replies("take", draft, (message) => message.kind === "given" && message.draft === draft, GIVING_MS);
    this.since = Date.now();
  }

  /** Says something and hears what the others say to it, until `enough` is true or the time (ms) is over. */
  replies(kind: Message["kind"], draft: string, enough: (message: Message) => boolean, patience: number) {
    if (!this.channel) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(waiting);
        this.listening = this.listening.filter((each) => each !== listen);
        resolve();
      };
      const listen = (message: Message) => {
        if (enough(message)) done();
      };
      const waiting = setTimeout(done, patience);
      this.listening.push(listen);
      this.say(kind, draft);
    }) as Promise<void>;
  }

  close() {
    this.channel?.close();
    this.channel = null;
    window.removeEventListener("storage", this.onStorage);
  }
}
