// Which draft a tab opens: the one that it had, the one in its address, another one of this browser, or a new one.
import { changeAddress, inAddress } from "../player/base/address.ts";
import { el } from "../player/base/dom.ts";
import { takeHanded, takeLeftOut } from "../player/base/kept.ts";
import { HERE, allDrafts, draftOfKey, draftOfTab, keepOfTab } from "./drafts.ts";
import { History, keptDraft } from "./history.ts";
import { ElsewhereLine, KeptLine } from "./told.ts";
import { AuthorPart } from "./author_part.ts";
import type { Author } from "./author.ts";
import type { KeptDraft } from "./types.ts";

const NAMED_BY_ADDRESS = ["scenario", "s", "own", "file", "new", "step", "draft"];

/** The name of the draft in the address, null for none. */
export function draftInAddress() {
  return inAddress("draft");
}

export class Opening extends AuthorPart {
  kept = new KeptLine(this.author.words);
  elsewhere = new ElsewhereLine(
    this.author.words,
    () => this.continueHere(),
    () => this.copy(),
  );
  node = el("div", "tm-au-notices");
  tabs: Tabs;

  constructor(author: Author) {
    super(author);
    this.node.append(this.elsewhere.node, this.kept.node);
    this.tabs = new Tabs(
      () => (author.history && !author.history.elsewhere ? author.history.id : null),
      () => this.lost(),
      () => author.keepTyping(),
    );
  }

  /** @param before the draft that was open on this page */
  async start(before: History | null | undefined) {
    const { author } = this;
    if (before) {
      this.open(before);
      return;
    }
    const handed = takeHanded();
    if (handed) {
      await author.doors.fresh({ name: "upload", file: handed.name, content: handed.text });
      return;
    }
    const { start } = author.base;
    const { origin, text, file } = start ?? {};
    const leftOut = takeLeftOut(origin);
    if (start?.problem || leftOut) author.tell(start?.problem || leftOut);
    const named = text ? () => new History({ origin, texts: [text], ...(file ? { file, saved: text } : {}) }) : null;
    const wanted = draftInAddress();
    const kept = keptDraft(wanted) ?? (await this.ofTab(origin ?? "", Boolean(named)));
    if (author.closed) return;
    if (wanted && kept?.id !== wanted) author.tell(author.words.kept[kept ? "gone" : "gone_alone"]);
    if (kept) {
      this.open(kept);
      if (named && text !== kept.text) this.kept.show(kept, () => this.open(named()));
    } else if (named) {
      this.open(named());
    } else {
      author.root.dataset.empty = "true";
      author.root.dataset.ready = "true";
    }
    if (start?.fresh || !author.history) author.doors.begin();
  }

  /**
   * The draft that this tab had, else the newest that no other tab has; null for none. Where something is `named` in
   * the address, only a draft that began as that, at `origin`.
   */
  async ofTab(origin: string, named: boolean) {
    const had = keptDraft(draftOfTab());
    if (had && (!named || had.origin === origin)) return had;
    const others = allDrafts().filter((each) => each.at !== null && (!named || each.origin === origin));
    if (!others.length) return null;
    const held = await this.tabs.held();
    return keptDraft(others.find((each) => !held.has(each.id))?.id ?? null);
  }

  /** @param history the draft that takes the page */
  open(history: History) {
    const { author } = this;
    delete author.root.dataset.empty;
    this.kept.hide();
    this.settle(false);
    author.history = history;
    history.onParted = () => {
      this.name();
      author.tell(author.words.kept.parted);
    };
    history.onFull = () => author.tell(author.words.kept.no_room);
    author.chosen = null;
    author.hints.list = [];
    author.picture.step = null;
    if (!history.turn) history.keep();
    this.name();
    this.tabs.open(history.id);
    author.pane.show(history.text);
    author.story.opened = null;
    const done = author.refresh(null).then(() => author.history === history && author.half.reopen());
    this.again(history);
    return done;
  }

  /** Opens a new draft; the one that was open stays among the drafts of this browser. */
  openNew(text: string, more: Omit<KeptDraft, "texts">) {
    this.author.keepTyping();
    return this.open(new History({ texts: [text], ...more }));
  }

  /** The address and this tab name the draft. What the address named until now is known to the links of the page. */
  name() {
    const { id } = this.author.draft;
    keepOfTab(id);
    window.dispatchEvent(new CustomEvent("tidemark:placed"));
    changeAddress((query) => {
      for (const name of NAMED_BY_ADDRESS) query.delete(name);
      query.set("draft", id);
    });
  }

  /** Edits that the server has never answered are asked for again. */
  async again(history: History) {
    const asked = history.pending;
    history.pending = [];
    for (const edit of asked) {
      if (this.author.history !== history) return;
      await this.author.edit(edit); // one after another, as they were made
    }
  }

  // --- two tabs ----------------------------------------------------------------------------------------------------

  /** Another tab has the draft: here it is only looked at. */
  lost() {
    const { author } = this;
    if (!author.history || author.history.elsewhere) return;
    author.keepTyping();
    author.history.elsewhere = true;
    this.settle(true);
  }

  settle(away: boolean) {
    const { root } = this.author;
    for (const node of root.children) {
      if (node !== this.node && node instanceof HTMLElement) node.inert = away;
    }
    this.kept.node.inert = away;
    if (away) this.elsewhere.show();
    else this.elsewhere.hide();
  }

  async continueHere() {
    const { id } = this.author.draft;
    await this.tabs.take(id);
    const kept = keptDraft(id) ?? this.author.draft;
    kept.elsewhere = false;
    kept.turn = Math.max(kept.turn, 1);
    this.open(kept);
    kept.keep();
  }

  copy() {
    const kept = keptDraft(this.author.draft.id) ?? this.author.draft;
    kept.part();
    kept.at = Date.now();
    this.open(kept);
  }

  close() {
    this.tabs.close();
  }
}

// Two tabs of one browser: a draft is edited in one of them, and the other says so.

const CHANNEL = "tidemark.author";
const HEARING_MS = 120;
const GIVING_MS = 400;

/** "open": this tab opens a draft. "mine": it has one. "take": it takes one over. "given": it has let it go. */
type Message = { kind: "open" | "mine" | "who" | "take" | "given"; draft: string; tab: string; since: number };

class Tabs {
  mine: () => string | null;
  lost: () => void;
  giving: () => void;
  since: number = Date.now();
  listening: ((message: Message) => void)[] = [];
  channel: BroadcastChannel | null = "BroadcastChannel" in globalThis ? new BroadcastChannel(CHANNEL) : null;
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
