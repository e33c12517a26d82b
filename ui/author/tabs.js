// Two tabs of one browser: a draft is edited in one of them, and the other says so.
import { HERE, draftOfKey } from "./drafts.js";

const CHANNEL = "tidemark.author";
const HEARING_MS = 120;
const GIVING_MS = 400;

/**
 * "open": this tab opens a draft. "mine": it has one. "take": it takes one over. "given": it has let it go.
 * @typedef {{ kind: "open" | "mine" | "who" | "take" | "given", draft: string, tab: string, since: number }} Message
 */

export class Tabs {
  /**
   * @param {() => string | null} mine the draft that is edited here
   * @param {() => void} lost called when another tab has that draft
   * @param {() => void} giving called before another tab takes it over, so that all of it is stored
   */
  constructor(mine, lost, giving) {
    this.mine = mine;
    this.lost = lost;
    this.giving = giving;
    this.since = Date.now();
    /** @type {((message: Message) => void)[]} */
    this.listening = [];
    this.channel = "BroadcastChannel" in globalThis ? new BroadcastChannel(CHANNEL) : null;
    this.channel?.addEventListener("message", ({ data }) => this.hear(data));
    this.onStorage = (/** @type {StorageEvent} */ { key, newValue }) => {
      const id = draftOfKey(key);
      if (id && newValue !== null && id === this.mine()) this.lost();
    };
    window.addEventListener("storage", this.onStorage);
  }

  /**
   * @param {Message["kind"]} kind
   * @param {string} [draft]
   */
  say(kind, draft = "") {
    this.channel?.postMessage({ kind, draft, tab: HERE, since: this.since });
  }

  /** @param {Message} message */
  hear(message) {
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

  /**
   * The drafts that other tabs have.
   * @returns {Promise<Set<string>>}
   */
  async held() {
    /** @type {Set<string>} */
    const found = new Set();
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

  /**
   * This tab begins with a draft; one that has it already answers.
   * @param {string} draft
   */
  open(draft) {
    this.since = Date.now();
    this.say("open", draft);
  }

  /**
   * Takes a draft over; resolves once all of it is stored.
   * @param {string} draft
   */
  async take(draft) {
    await this.replies("take", draft, (message) => message.kind === "given" && message.draft === draft, GIVING_MS);
    this.since = Date.now();
  }

  /**
   * Says something and hears what the others say to it, until `enough` is true or the time (ms) is over.
   * @param {Message["kind"]} kind
   * @param {string} draft
   * @param {(message: Message) => boolean} enough
   * @param {number} patience
   */
  replies(kind, draft, enough, patience) {
    if (!this.channel) return Promise.resolve();
    return /** @type {Promise<void>} */ (
      new Promise((resolve) => {
        const done = () => {
          clearTimeout(waiting);
          this.listening = this.listening.filter((each) => each !== listen);
          resolve();
        };
        const listen = (/** @type {Message} */ message) => {
          if (enough(message)) done();
        };
        const waiting = setTimeout(done, patience);
        this.listening.push(listen);
        this.say(kind, draft);
      })
    );
  }

  close() {
    this.channel?.close();
    this.channel = null;
    window.removeEventListener("storage", this.onStorage);
  }
}
