// A static site: shows the page that the address names, from files alone.
//
// Theory of operation. The pages are the app's own components, mounted by the same call with the same data (stage.ts);
// what Streamlit's server sends there was written into files when the site was made (ui/site/build.py). The address is
// the only state: a link of the navigation pushes another one (ui/pages/place.ts), and each change of it is shown
// again. The page is never left, so what has been fetched stays, and Python goes on running (engine.ts): it answers
// what cannot be written beforehand (computed.ts).
import { linkTo, pageHere } from "../player/base/address.ts";
import { coded, el, fill, save } from "../player/base/dom.ts";
import { say } from "../player/base/format.ts";
import { runWith } from "./api.ts";
import { Computed } from "./computed.ts";
import { SiteDesk } from "./desk.ts";
import { EngineFailed, TakenBack } from "./engine.ts";
import { PLACE_COOKIE, firstScenario, isStep } from "./first.ts";
import { Header } from "./header.ts";
import { keepSite } from "./kept.ts";
import { cookieIn, offeredLanguages, readingOf } from "./languages.ts";
import { Stage } from "./stage.ts";
import { Missing, Store, textOf } from "./store.ts";
import { studentsFile } from "../library/students.ts";
import type { Question } from "../player/types/share.ts";
import type { OpenedPlace } from "../player/types/player.ts";
import type { GivenFile, LibraryData, TakenLesson } from "../library/types.ts";
import type { Common, Manifest } from "./types.ts";

const LIBRARY = "./library/";
const SENDING_KIT_MS = 4000;

/** How long (ms) the page before stays while Python is being started for another one. */
const SOON_MS = 300;

class Site {
  manifest: Manifest;
  store: Store;
  header = new Header();
  name = el("h1", "tm-page-name");
  stage: Stage;
  switch: Stage;
  place: Stage;
  computed: Computed;
  desk: SiteDesk;
  reading = { language: "", texts: "" };
  turn = 0;
  /** the page that is shown */
  page: string | null = null;

  constructor(manifest: Manifest) {
    this.manifest = manifest;
    this.store = new Store(manifest);
    const hidden = el("div", "tm-site-desk");
    const main = fill(el("main", "tm-site-main", null, { "data-testid": "stMain", tabindex: "-1" }), this.name);
    document.body.append(this.header.node, main, hidden);
    this.stage = new Stage(manifest, main);
    this.switch = new Stage(manifest, this.header.languages);
    this.place = new Stage(manifest, hidden);
    this.computed = new Computed(manifest, this.stage, this.header, () => this.show());
    const compute = (asked: Question) => this.computed.desk(asked);
    this.desk = new SiteDesk(manifest, hidden, this.store, compute, () => this.computed.starting);
    this.offerFolder();
  }

  /** Has the pages offer to open a folder, where the browser can. */
  offerFolder() {
    globalThis.tidemarkFolder = this.computed.folders?.picker(() => {
      this.offerFolder();
      // The page Author goes on with its draft.
      if (pageHere() !== "author") this.show();
    });
  }

  /** Shows what the address names. */
  async show() {
    const turn = (this.turn += 1);
    const query = new URLSearchParams(window.location.search);
    const page = pageHere();
    this.computed.leave();
    this.reading = readingOf(this.manifest, {
      search: window.location.search,
      cookie: document.cookie,
      browser: navigator.language,
    });
    try {
      if (page === "") this.fetchAhead(query);
      const common = await this.store.common(this.reading.language);
      this.computed.speak(this.reading, common.site.words);
      // A page that waits for Python has its links meanwhile.
      if (!this.stage.component) this.frame(common, page, query);
      const shown = await this.whileWaiting(turn, page, common, this.contents(page, query, common));
      if (turn !== this.turn) return;
      this.frame(common, page, query);
      if (this.page !== null && this.page !== page) window.scrollTo(0, 0);
      await shown();
      this.page = page;
      this.place.show("place", null);
      this.desk.open(common.site.words);
    } catch (error) {
      if (!(error instanceof Missing) && !(error instanceof EngineFailed)) throw error;
      if (turn !== this.turn) return;
      if (error instanceof TakenBack && this.stage.component === page) this.computed.sayWhy(error);
      else this.stage.put(siteNotice(await this.failed(error), []));
    }
  }

  /**
   * What draws a page; while Python is being started for another page than the one that is shown, that is said in its
   * place.
   */
  async whileWaiting(turn: number, page: string, { site }: Common, contents: Promise<() => unknown>) {
    const soon = setTimeout(() => {
      const { waiting, starting } = this.computed;
      if (turn !== this.turn || !waiting || !starting || page === this.page) return;
      this.page = null;
      this.stage.put(waiting.node(site.words));
    }, SOON_MS);
    return contents.finally(() => clearTimeout(soon));
  }

  async failed(error: Missing | EngineFailed) {
    const common = await this.store.common(this.reading.language).catch(() => null);
    if (!common) return error.message;
    const { words } = common.site;
    if (error instanceof TakenBack) return words.stopped;
    return error instanceof Missing ? say(words.damaged, { file: error.message }) : words.no_engine;
  }

  frame({ site }: Common, page: string, query: URLSearchParams) {
    // The player calls its tab after the scenario.
    if (page !== "" || this.page !== "") document.title = say(site.title, { page: site.names[page] ?? site.name });
    this.name.textContent = site.names[page] ?? site.name;
    this.header.show(site.doors);
    const { languages, scenarios, cookie, link } = this.manifest;
    const name = query.get("scenario") ?? "";
    const files = Object.hasOwn(scenarios, name) ? scenarios[name] : undefined;
    const offered = offeredLanguages(languages, files, this.reading.texts);
    const keep = query.has(link);
    this.switch.show(
      "language",
      { ...offered, label: site.languages, controls: site.controls, losses: site.losses, keep, cookie, link },
      { chosen: () => this.show() },
    );
  }

  /** What draws a page, once its files are here. */
  async contents(page: string, query: URLSearchParams, common: Common): Promise<() => unknown> {
    if (page === "") return this.walkthrough(query, common);
    if (page === "library" || page === "path" || page === "teach") {
      const library = await this.computed.library(await this.store.library(this.reading.language));
      return () => this.library({ ...library, page });
    }
    if (page === "symptoms") {
      const symptoms = await this.store.symptoms(this.reading.language);
      return () => this.stage.show("symptoms", { ...symptoms, chosen: query.get("symptom") ?? "" });
    }
    const name = common.site.names[page] ?? page;
    const shown = await this.computed.page(page, query);
    if (shown) return typeof shown === "string" ? this.notice(common, shown) : shown;
    const { words } = common.site;
    const { page: other, spark, your_stream: yours, vote } = words;
    const needs = { spark, "your-stream": yours, vote }[page] ?? other;
    const scenario = query.get("scenario") ?? "NAME";
    const file = `${this.manifest.own.includes(scenario) ? "" : "scenarios/"}${scenario}.yaml`;
    return this.notice(common, say(needs, { page: name, scenario, file }));
  }

  /** The scenario that a walkthrough's address names, or the one to begin with. */
  named(query: URLSearchParams) {
    const place = cookieIn(document.cookie, PLACE_COOKIE);
    return query.get("scenario") ?? firstScenario(this.manifest, place, query.has("visit"));
  }

  /**
   * Fetches a walkthrough beside the words that all pages need, not after them. Who shows it learns what is missing.
   */
  fetchAhead(query: URLSearchParams) {
    if (["notes", "s", "own"].some((each) => query.has(each))) return;
    this.store.walkthrough(this.named(query), this.reading).catch(() => {});
  }

  async walkthrough(query: URLSearchParams, common: Common): Promise<() => unknown> {
    const { words } = common.site;
    if (query.has("notes")) {
      const { words: texts } = common.payload as { words: { lecture: object } };
      return () => this.stage.show("notes", { words: { lecture: texts.lecture } });
    }
    if (!query.has("scenario") && (query.has("s") || query.has("own"))) return this.own(query, common);
    const name = this.named(query);
    if (this.computed.folders?.picked?.has(name)) return this.own(query, common);
    const packed = await this.store.walkthrough(name, this.reading);
    if (!packed) return this.notice(common, say(words.unknown_scenario, { scenario: name }));
    const steps = this.manifest.scenarios[name]?.steps ?? 0;
    const step = query.get("step");
    if (step !== null && !isStep(step, steps)) {
      const start = [words.to_start, linkTo("", { scenario: name, step: "0" })] as [string, string];
      return this.notice(common, say(words.unknown_step, { title: name, step, last: steps - 1 }), [start]);
    }
    const lecture = query.get("lecture");
    if (lecture !== null) {
      const lectures = await this.store.lectures(this.reading.language);
      globalThis.tidemarkLecture = lectures[lecture] ?? null;
    }
    return () => this.player(packed);
  }

  async player(packed: Uint8Array<ArrayBuffer>) {
    window.dispatchEvent(new CustomEvent("tidemark:lecture"));
    await this.stage.show("player", packed, {
      open: (chosen: OpenedPlace) => this.open(chosen),
    });
    setTimeout(() => this.sendKit(), SENDING_KIT_MS);
  }

  /** A scenario that the link itself carries. */
  async own(query: URLSearchParams, common: Common): Promise<() => unknown> {
    const answer = await this.computed.ask("open", { query: Object.fromEntries(query) });
    if (!answer) return this.notice(common, common.site.words.server);
    const { said, body } = answer;
    return said.problem ? this.notice(common, said.problem) : () => this.player(body);
  }

  /** @param refused what is wrong with the reader's file */
  library(library: Omit<LibraryData, "refused">, refused: LibraryData["refused"] = null) {
    return this.stage.show(
      "library",
      { ...library, refused },
      {
        file: async (file: GivenFile) => {
          const answer = await this.computed.reply("file", { name: file.name, text: file.text });
          if (!answer) return;
          const { said } = answer;
          if (said.problem) this.library(library, { file: said.file, problem: said.problem, at: file.at });
          else this.go(linkTo("", [said.address]));
        },
        lesson: async (asked: TakenLesson) => {
          const problem = await takeLesson(asked, this.store, this.computed).catch((error) => {
            if (error instanceof Missing) return this.failed(error);
            throw error;
          });
          if (problem) this.header.say(problem);
        },
      },
    );
  }

  go(address: string) {
    window.history.pushState({}, "", address);
    this.show();
  }

  /** The reader chose another scenario; or a lecture goes on, and has written its address already. */
  open(chosen: OpenedPlace) {
    if (typeof chosen === "string") this.go(linkTo("", { scenario: chosen }));
    else this.show();
  }

  /** The frame of the offline page, in the words of the page, before somebody exports one. */
  async sendKit() {
    const { language } = this.reading;
    const text = await this.store.part("kit", language).catch(() => null);
    if (text === null || language !== this.reading.language) return;
    const packed = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
    const kit = new Uint8Array(await new Response(packed).arrayBuffer());
    if (globalThis.tidemarkDesk) globalThis.tidemarkDesk.kit = kit;
  }

  /** @param more ways out */
  notice({ site }: Common, text: string, more: [text: string, href: string][] = []) {
    return () => this.stage.put(siteNotice(text, [[site.words.to_library, LIBRARY], ...more]));
  }
}

const manifestPlace = document.getElementById("tidemark-site");
if (manifestPlace) {
  // The root is where this page says: from here on the address changes, and what is relative must not.
  const base = document.querySelector("base");
  if (base) base.setAttribute("href", base.href);
  const manifest = JSON.parse(manifestPlace.textContent ?? "");
  const site = new Site(manifest);
  window.addEventListener("popstate", () => site.show());
  const { engine } = site.computed;
  if (engine) globalThis.tidemark = { run: (text, options) => runWith(engine, text, options) };
  site.show().then(() => keepSite(manifest.version));
}

// A notice in place of a page that cannot be shown: why, and where to go instead.

function siteNotice(text: string, ways: [text: string, href: string][]) {
  const node = el("section", "tm-site-notice", null, { "data-ready": "true" });
  const row = fill(el("p", "tm-site-ways"), ...ways.map(([name, href]) => el("a", "", name, { href })));
  node.append(fill(el("p", "tm-site-says"), coded(text)), row);
  return node;
}

// A lesson to take away: Python makes it from what the page hands over, and the browser saves it.

const TYPES = { html: "text/html", zip: "application/zip" };
const LONGEST_PACKAGE_NAME = 60;

/** As the app names it (ui/pages/opening/server.py). */
function lessonFile({ lesson, as, student }: TakenLesson) {
  if (as === "html") return studentsFile(lesson);
  const name = lesson.replace(/[^A-Za-z0-9-]/g, "-").slice(0, LONGEST_PACKAGE_NAME);
  return `${name}${student ? "-students" : ""}.zip`;
}

/** @returns the problem in words; "" for none, or where the header says it already */
async function takeLesson(asked: TakenLesson, store: Store, computed: Computed): Promise<string> {
  const [shell, fonts, own] = await Promise.all([
    store.part("kit", computed.reading.language),
    store.bytes(store.manifest.fonts).then(textOf),
    store.json(store.manifest.lesson),
  ]);
  const answer = await computed.reply("lesson", { ...asked, kit: { shell, fonts, ...own } });
  if (!answer) return "";
  if (answer.said.problem) return answer.said.problem;
  save(new Blob([answer.body], { type: TYPES[asked.as] }), lessonFile(asked));
  return "";
}
