// The pages and requests that Python answers: each goes to the function that answers it in the app (ui/site/engine.py).
import { embeddedInAddress, linkTo } from "../player/base/address.ts";
import { say } from "../player/base/format.ts";
import { Engine, EngineFailed, TakenBack } from "./engine.ts";
import { Folders } from "./folder.ts";
import { joined, moduleAt } from "./store.ts";
import { el } from "../player/base/dom.ts";
import type { Question as CompareQuestion } from "../compare/types.ts";
import type { LibraryData } from "../library/types.ts";
import type { Question } from "../player/types/share.ts";
import type { Header } from "./header.ts";
import type { Stage } from "./stage.ts";
import type { Answered, EngineFiles, Manifest, Reading } from "./types.ts";
import type { SiteWords } from "#types/words";

/** The slot of what the page that is open asks: a newer question, or another page, takes an older one back. */
const PAGE = "page";

/** The slot of the library, which a last question of the page before must not take back. */
const LIBRARY_SLOT = "library";

/** How long (ms) an answer may take before the reader is told, and may stop it. */
const LONG_MS = 6000;

/** The questions that concern the reader's folder, beside the commands of the Author page. */
const OF_FOLDER = new Set(["library", "lessons", "open", "compare"]);

/** When Python is started for a reader who has not needed it yet: once the browser has nothing else to do. */
const AT_LEISURE_MS = 4000;

/** `LONG_SEARCHES` of ui/compare/desk.py. */
const LONG_SEARCHES = ["smallest", "stream"];

export class Computed {
  stage: Stage;
  header: Header;
  show: () => void;
  vega: string;
  reading = { language: "", texts: "" };
  words: SiteWords | null = null;
  waiting: Waiting | null;
  engine: Engine | null;
  folders: Folders | null;
  long?: ReturnType<typeof setTimeout>;
  /** the searches on the page Compare */
  searches: { [search: string]: string } = {};
  /** The last of them to be begun. */
  begun = "";
  /** Whether a question of the page Author was taken back when an address was opened, which may be the same one. */
  lost = false;
  /** what the reader has handed in there, once */
  handed: CompareQuestion | null = null;
  leisure: number;

  /** @param show shows what the address names */
  constructor(manifest: Manifest, stage: Stage, header: Header, show: () => void) {
    this.stage = stage;
    this.header = header;
    this.show = show;
    this.vega = manifest.vega;
    const waiting = (this.waiting = manifest.engine && new Waiting(manifest.engine.sizes));
    this.engine =
      manifest.engine &&
      new Engine(
        manifest.engine,
        (busy, ready) => this.say(busy, ready),
        (address) => waiting?.hear(address),
      );
    this.folders = this.engine && new Folders(this.engine);
    this.leisure = setTimeout(() => this.prepare(), AT_LEISURE_MS);
    // The page Author has a newer question (ui/author/wire.ts).
    window.addEventListener("tidemark:overtaken", (event) => event.preventDefault());
  }

  speak(reading: Reading, words: SiteWords) {
    this.reading = reading;
    this.words = words;
  }

  /**
   * @param busy whether somebody waits for an answer
   * @param ready whether Python runs
   */
  say(busy: boolean, ready: boolean) {
    clearTimeout(this.long);
    const { words } = this;
    if (!words) return;
    if (busy && !ready) this.header.saysStarting(words);
    else this.header.say("");
    if (busy && ready) this.long = setTimeout(() => this.offerStop(words), LONG_MS);
  }

  offerStop({ long, stop }: SiteWords) {
    this.header.say(long, { name: stop, act: () => this.engine?.stop() });
  }

  /** Whether Python is being started. */
  get starting() {
    return Boolean(this.engine?.worker && !this.engine.ready);
  }

  /** Another page opens: what the one before has asked is needed no more. */
  leave() {
    this.engine?.takeBack(PAGE);
  }

  /** Says that a page gets no answer, and why. */
  sayWhy(error: EngineFailed) {
    if (!this.words || (error instanceof TakenBack && !error.byReader)) return;
    this.header.say(error instanceof TakenBack ? this.words.stopped : this.words.no_engine);
    window.dispatchEvent(new CustomEvent("tidemark:unanswered"));
  }

  /** The answer for a page that is open. Where there is none, the page stays as it is and the header says why. */
  async reply(what: string, more: { [part: string]: unknown }): Promise<Answered | null> {
    try {
      return await this.ask(what, more, PAGE);
    } catch (error) {
      if (!(error instanceof EngineFailed)) throw error;
      this.sayWhy(error);
      return null;
    }
  }

  /** Starts Python before it is needed, where that costs the reader nothing. */
  prepare() {
    // A page may have many frames, of which most only show something.
    if (embeddedInAddress()) return;
    const { connection } = navigator as { connection?: { saveData?: boolean } };
    if (!connection?.saveData && this.engine) this.engine.ask("ready", this.reading.texts).catch(() => {});
  }

  /**
   * Asks Python; if it dies, once more.
   * @returns null for a site without Python
   */
  async ask(what: string, more: { [part: string]: unknown }, slot?: string): Promise<Answered | null> {
    const { engine, folders, reading, words } = this;
    if (!engine || !folders || !words) return null;
    const askOnce = (files: object) => engine.ask(what, reading.texts, { ...more, ...files }, slot);
    const askTwice = async (files: object) => {
      try {
        return await askOnce(files);
      } catch (error) {
        if (error instanceof TakenBack) throw error;
        return askOnce(files);
      }
    };
    const { asked } = more as { asked?: { command?: unknown } };
    const concerned = OF_FOLDER.has(what) || (what === "author" && (!asked || Boolean(asked.command)));
    const lent = what === "lessons" && !folders.picked;
    return lent || folders.isDue(concerned) ? folders.ask(askTwice, lent, words) : askTwice({});
  }

  /** What the player asks about the scenario that is open. */
  async desk(asked: Question) {
    const query = Object.fromEntries(new URLSearchParams(window.location.search));
    try {
      return await this.ask("desk", { query, asked });
    } catch (error) {
      if (!(error instanceof EngineFailed)) throw error;
      return { said: { problem: this.words?.no_engine }, body: new Uint8Array(0) };
    }
  }

  /** What draws a page, or what is wrong with its address; null for a page that Python does not answer. */
  async page(page: string, address: URLSearchParams): Promise<(() => unknown) | string | null> {
    const query = Object.fromEntries(address);
    if (!this.engine) return null;
    if (page === "author") return this.author(query);
    if (page === "compare") return this.compare(query);
    return ["inventory", "practice", "lessons", "sql"].includes(page) ? this.asking(page) : null;
  }

  async author(query: { [name: string]: string }) {
    const first = await this.ask("author", { query }, PAGE);
    if (!first) return null;
    if (first.said.problem) return first.said.problem as string;
    /** The number of the question that waits; the page asks it again when it takes long. */
    let waiting = 0;
    const tell = (message: Uint8Array<ArrayBuffer>): unknown =>
      this.stage.show("author", message, {
        ask: async (asked) => {
          if (asked.number === waiting) return;
          waiting = asked.number;
          const reply = await this.reply("author", { asked });
          if (asked.number === waiting) waiting = 0;
          this.lost = !reply;
          if (!reply || this.stage.component !== "author") return;
          const { problem } = reply.said;
          const { number } = asked;
          tell(problem ? await joined("{}", JSON.stringify({ kind: "reply", number, told: { problem } })) : reply.body);
        },
      });
    return async () => {
      await tell(first.body);
      // A page that gets the same first message goes on with what it has asked.
      if (this.lost) window.dispatchEvent(new CustomEvent("tidemark:lost"));
      this.lost = false;
    };
  }

  async compare(query: { [name: string]: string }) {
    const { handed } = this;
    this.handed = null;
    const answer = await this.ask("compare", { query, searches: this.searches, handed }, PAGE).catch((error) => {
      // A search that the reader has stopped must not begin again with the next question.
      if (error instanceof TakenBack && error.byReader) delete this.searches[this.begun];
      throw error;
    });
    if (!answer) return null;
    if (answer.said.problem) return answer.said.problem as string;
    const ask = async (question: CompareQuestion) => {
      if (question.what === "address") {
        for (const name of LONG_SEARCHES) delete this.searches[name];
        this.goToComparison(question.address);
      } else if (question.what === "open") {
        const opened = await this.reply("compare", { query, searches: {}, handed: question });
        if (!opened) return;
        if (opened.said.address) this.goToComparison(opened.said.address);
        else {
          this.handed = question;
          this.show();
        }
      } else {
        const { what, setting, shows, window: of } = question;
        if (what === "sweep") this.bringVega();
        this.begun = what;
        this.searches[what] = setting ?? shows ?? of ?? "";
        this.show();
      }
    };
    return () => this.stage.show("compare", answer.body, { ask });
  }

  /** Has the browser load what draws curves, and hands it to whoever waits for it (ui/compare/tools.ts). */
  async bringVega() {
    const shared = (globalThis.tidemarkVega ??= {});
    shared.promise ??= new Promise((resolve) => {
      shared.resolve = resolve;
    });
    if (shared.started) return;
    shared.started = true;
    try {
      shared.resolve?.(await moduleAt(this.vega));
    } catch {
      shared.started = false;
      if (this.words) this.header.say(say(this.words.damaged, { file: this.vega }));
    }
  }

  goToComparison(address: { [name: string]: string }) {
    window.history.pushState({}, "", linkTo("compare", address));
    this.show();
  }

  /** The library with the scenarios of the reader's folder; `written` as the site was made. */
  async library(written: Omit<LibraryData, "refused">) {
    if (!this.folders?.picked) return written;
    const answer = await this.ask("library", {}, LIBRARY_SLOT).catch((error) => {
      if (!(error instanceof EngineFailed)) throw error;
      this.sayWhy(error);
      return null;
    });
    if (answer?.said.problem) this.header.say(answer.said.problem);
    if (!answer || answer.said.problem) return written;
    const found: Omit<LibraryData, "refused"> = JSON.parse(new TextDecoder().decode(answer.body));
    const known = new Map(written.cards.map((card) => [card.name, card]));
    const cards = found.cards.map((card) => {
      const { picture, proofs } = (card.own ? null : known.get(card.name)) ?? card;
      return { ...card, picture, proofs };
    });
    return { ...found, cards };
  }

  /**
   * A page whose questions are answered one by one, and which keeps everything else itself. The page Lessons saves into
   * the reader's folder, or the file is downloaded.
   */
  async asking(page: string) {
    const first = await this.ask(page, {}, PAGE);
    if (!first) return null;
    if (first.said.problem && !first.said.words) return first.said.problem as string;
    const tell = (told: object | null): unknown =>
      this.stage.show(
        page,
        { first: first.said, told },
        {
          ask: async (asked) => {
            const reply = await this.reply(page, { asked });
            if (!reply || this.stage.component !== page) return;
            const downloaded = reply.said.saved && !this.folders?.picked;
            const note = downloaded ? this.words?.lessons_saved : undefined;
            tell({ number: asked.number, ...reply.said, note });
          },
        },
      );
    return () => tell(null);
  }
}

// What a page shows while Python is being started for it: what is awaited, why, and how far it is.

const MB = 1_000_000;

/** What Python still has to do once all of it is here, as a share of the whole. */
const TO_START = 0.15;

export class Waiting {
  sizes: EngineFiles["sizes"];
  all: number;
  arrived: Set<string> = new Set();
  bar = el("progress", "tm-site-progress", null, { max: "1" });

  constructor(sizes: EngineFiles["sizes"]) {
    this.sizes = sizes;
    this.all = Object.values(sizes).reduce((sum, size) => sum + size, 0);
  }

  /** How much of Python is here, from 0 to 1; what it does then to start has a share of its own. */
  get share() {
    const here = [...this.arrived].reduce((sum, path) => sum + this.sizes[path], 0);
    return (here / this.all) * (1 - TO_START);
  }

  /** A file of Python has arrived. */
  hear(address: string) {
    const path = Object.keys(this.sizes).find((each) => new URL(each, document.baseURI).href === address);
    if (path === undefined) return;
    this.arrived.add(path);
    this.bar.value = this.share;
  }

  node({ loading, waiting }: SiteWords) {
    const node = el("section", "tm-site-waiting", null, { role: "status" });
    this.bar.setAttribute("aria-label", loading);
    this.bar.value = this.share;
    const why = say(waiting, { size: Math.ceil(this.all / MB) });
    node.append(el("p", "tm-site-says", loading), this.bar, el("p", "tm-site-why", why));
    return node;
  }
}
