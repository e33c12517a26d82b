// The library: lessons at the left, cards by topic or in the order of the lecture; all filters answer in the browser.
import { coded, dataNodes, el, fill, icon, nearest, pushButton } from "../player/base/dom.ts";
import { minutesAlong, say } from "../player/base/format.ts";
import { handFile, scenariosSeen } from "../player/base/kept.ts";
import {
  addressOfPlace,
  cardNode,
  editLink,
  fileLink,
  fixLink,
  progress,
  symptomLinks,
  termList,
  visitDoor,
} from "./card.ts";
import { Filters, Finding } from "./filters.ts";
import { pathPage, teachPage } from "./path.ts";
import type { Mounting } from "../player/types/player.ts";
import type { AllSeen, Card, GivenFile, Lecture, Lesson, LibraryData, Open, Opened, TakenLesson } from "./types.ts";
import type { LibraryWords } from "#types/words";

/** A library on the page with what it shows: all of it, and without what can be changed where it stands. */
type View = { host: HTMLElement; library?: Library; shown: string; rest: string };

const VIEWS: WeakMap<HTMLElement, View> = new WeakMap();
/** Where a search leaves more cards than these, it shows the likeliest term of the glossary alone. */
const FEW = 3;

const ARROWS: { [key: string]: [number, number] | undefined } = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowDown: [0, 1],
  ArrowUp: [0, -1],
};

class Library {
  data: LibraryData;
  words: LibraryWords;
  open: Open;
  seen: AllSeen = scenariosSeen();
  /** the cards that are shown, by name */
  cards: Map<string, Card> = new Map();
  /** the scenarios that are learned in order, in the first visit and on the path; the others are for reference */
  learned: Set<string>;
  /** the topic last gone to, and where (px) it was put */
  gone: { id: string; top: number } | null = null;
  filters: Filters;
  finding: Finding;
  root = el("div", "tidemark-library", null, { "data-ready": "true" });
  groups = el("div", "tm-groups");
  status = el("p", "tm-found", "", { role: "status" });
  list: HTMLElement;
  broken = el("div");
  brokenNote = el("div");
  watcher: IntersectionObserver;

  constructor(host: HTMLElement, data: LibraryData, open: Open, give: (file: GivenFile) => void) {
    this.data = data;
    this.words = data.words;
    this.open = open;
    this.learned = new Set([...(data.visit ?? []), ...data.path.flatMap((stage) => stage.names)]);
    this.filters = new Filters(data, () => this.show());
    this.finding = new Finding(data, (card) => this.filters.textOf(card));
    const side = el("aside", "tm-library-side");
    this.list = lessonList(data, this.seen, (id) => this.goTo(id));
    side.append(
      this.filters.box,
      this.list,
      onward(data, this.seen, open) ?? "",
      visitDoor(data) ?? "",
      fileDoor(data, give),
      folderDoor(data) ?? "",
    );
    const main = el("main", "tm-library-main");
    main.append(this.filters.node, this.brokenNote, this.status, this.groups, this.broken);
    this.root.append(side, main);
    this.root.addEventListener("keydown", (event) => this.key(event));
    this.watcher = new IntersectionObserver((entries) => this.passed(entries), { rootMargin: "-60px 0px -70% 0px" });
    fill(host, this.root);
    this.show();
  }

  /** The same library with pictures or proofs that were not ready before. */
  update(data: LibraryData) {
    this.data = data;
    this.filters.data = data;
    const card: HTMLElement | null | undefined = document.activeElement?.closest(".tm-scenario");
    const focused = card?.dataset.scenario;
    this.show();
    if (focused) dataNodes(this.groups, `[data-scenario="${focused}"]`)[0]?.focus();
  }

  show() {
    const { data, words, filters } = this;
    const left = data.cards.filter((card) => filters.shows(card, this.seen[card.name]));
    const found = filters.typed ? this.finding.names(filters.typed) : null;
    this.cards = new Map(left.filter(({ name }) => !found || found.includes(name)).map((card) => [card.name, card]));
    this.root.dataset.view = filters.view;
    this.root.dataset.searching = String(found !== null);
    this.watcher.disconnect();
    const lessons = () => data.lessons.map((lesson) => this.lesson(lesson));
    const groups = found ? this.found(found) : filters.view === "lecture" ? this.lectures() : lessons();
    const shown = groups.filter((group) => group !== null);
    fill(
      this.groups,
      shown.length ? shown : el("p", "tm-empty", data.cards.length ? words.nothing_found : words.ways.empty),
    );
    for (const section of this.groups.querySelectorAll(".tm-group[id]")) this.watcher.observe(section);
    this.status.textContent = filters.narrow
      ? say(words.shelf.found, { count: this.cards.size, all: data.cards.length })
      : "";
    fill(this.broken, this.brokenFiles());
    fill(this.brokenNote, data.broken.length ? this.noteOfBroken() : null);
  }

  /** At the top, since what it leads to stands below all cards: a file with a mistake is only missing among these. */
  noteOfBroken() {
    const text = say(this.words.broken_note, { count: this.data.broken.length });
    const note = el("a", "tm-broken-note", text, { href: "#broken" });
    note.addEventListener("click", (event) => {
      event.preventDefault();
      const title = this.broken.querySelector("h2");
      title?.scrollIntoView({ block: "center" });
      title?.focus({ preventScroll: true });
    });
    return note;
  }

  /** What the search has found, the best first, the complaints and the terms that it may be. */
  found(names: string[]) {
    const ids = this.finding.symptoms(this.filters.typed);
    const symptoms = ids.flatMap((id) => this.data.symptoms.find((each) => each.id === id) ?? []);
    const terms = this.finding.terms(this.filters.typed).slice(0, this.cards.size > FEW ? 1 : undefined);
    const asked = this.finding.asksForGlossary(this.filters.typed);
    const there = names.some((name) => this.cards.has(name));
    return [
      symptoms.length ? symptomLinks(symptoms, this.words, this.open) : null,
      terms.length || asked ? termList(terms, this.data) : null,
      there ? this.group("found", this.words.shelf.best_first, "", names) : null,
    ];
  }

  lesson(lesson: Lesson) {
    const topics = lesson.topics.filter((topic) => topic.names.some((name) => this.cards.has(name)));
    if (!topics.length) return null;
    const head = el("div", "tm-lesson-head");
    if (topics.length > 1 || topics[0].title !== lesson.title) head.append(el("h2", "tm-lesson-title", lesson.title));
    const node = fill(el("section", "tm-lesson", null, { "aria-label": lesson.title }), head);
    node.append(...topics.map((topic) => this.group(`topic-${topic.id}`, topic.title, topic.about, topic.names)));
    return node;
  }

  lectures() {
    return this.data.lectures.flatMap((lecture) => this.lecture(lecture));
  }

  /** The scenarios of one lecture, with the minutes at which each begins and ends as far as all so far say how long. */
  lecture(lecture: Lecture) {
    const minutes = new Map(this.data.cards.map((card) => [card.name, card.minutes]));
    const when = new Map();
    minutesAlong(lecture.names.map((name) => minutes.get(name))).forEach((planned, index) => {
      if (planned) when.set(lecture.names[index], say(this.words.shelf.lecture_minutes, planned));
    });
    const there = (names: string[]) => names.some((name) => this.cards.has(name));
    return [
      there(lecture.names) ? this.group(lecture.id, lecture.title, lecture.about, lecture.names, when) : null,
      there(lecture.lab)
        ? this.group(`${lecture.id}-lab`, this.words.shelf.lab, this.words.shelf.lab_about, lecture.lab)
        : null,
    ];
  }

  /** @param when what stands in the foot of a card by the name of its scenario */
  group(id: string, title: string, about: string, names: string[], when: Map<string, string> = new Map()) {
    const head = el("div", "tm-group-head");
    head.append(el("h3", "", title, { id: `${id}-title`, tabindex: "-1" }), el("p", "tm-quiet", about));
    const grid = el("div", "tm-cards");
    const last = stoppedAt(this.data.cards, this.seen);
    for (const card of names.flatMap((name) => this.cards.get(name) ?? [])) {
      const node = cardNode(card, {
        words: this.words,
        seen: this.seen[card.name],
        when: when.get(card.name),
        asks: this.filters.view !== "lecture" && !this.learned.has(card.name),
        saving: this.data.saving,
        open: this.open,
      });
      node.classList.toggle("tm-last", card.name === last);
      const place = fill(el("div", "tm-card-place"), node);
      if (this.data.saving) {
        place.append(editLink(card, this.words, this.open), fileLink(card, this.words, this.open) ?? "");
      }
      place.classList.toggle("tm-card-own", "file" in card.edit);
      grid.append(place);
    }
    return fill(el("section", "tm-group", null, { id, "aria-labelledby": `${id}-title` }), head, grid);
  }

  brokenFiles() {
    if (!this.data.broken.length) return null;
    const section = fill(el("section", "tm-broken"), el("h2", "", this.words.broken, { tabindex: "-1" }));
    for (const { file, problem, fix } of this.data.broken) {
      section.append(
        el("b", "", file),
        fill(el("pre"), coded(problem)),
        fix ? fixLink(fix, this.words, this.open) : "",
      );
    }
    return section;
  }

  /** @param id of a topic */
  goTo(id: string) {
    if (this.filters.view === "lecture") {
      this.filters.view = "cards";
      this.filters.change();
    }
    const section = document.getElementById(`topic-${id}`);
    if (!section) return;
    section.scrollIntoView({ block: "start" });
    section.querySelector("h3")?.focus({ preventScroll: true });
    this.gone = { id: section.id, top: section.getBoundingClientRect().top };
    this.mark(section);
  }

  /**
   * The list marks the topic at the top of the page, or the one last gone to for as long as it lies where it was put:
   * the last topics never come to the top.
   */
  passed(entries: IntersectionObserverEntry[]) {
    const found = entries.find((entry) => entry.isIntersecting);
    const stays = this.gone && document.getElementById(this.gone.id)?.getBoundingClientRect().top === this.gone.top;
    if (found && !stays) this.mark(found.target);
  }

  mark(section: Element) {
    for (const link of dataNodes(this.list, ".tm-topic")) {
      if (`topic-${link.dataset.topic}` === section.id) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }

  /** Arrows go from card to card as they lie on the page. */
  key(event: KeyboardEvent) {
    const from = nearest(event, ".tm-scenario");
    const way = ARROWS[event.key];
    if (!from || !way || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const [right, down] = way;
    const here = from.getBoundingClientRect();
    const ahead = [...dataNodes(this.groups, ".tm-scenario")]
      .map((node) => ({ node, box: node.getBoundingClientRect() }))
      .map(({ node, box }) => ({ node, x: box.x - here.x, y: box.y - here.y }))
      .filter(({ x, y }) => (right ? Math.abs(y) < 8 && x * right > 8 : y * down > 8))
      .sort((a, b) =>
        right ? Math.abs(a.x) - Math.abs(b.x) : Math.abs(a.y) - Math.abs(b.y) || Math.abs(a.x) - Math.abs(b.x),
      );
    event.preventDefault();
    ahead[0]?.node.focus();
  }
}

/** "/" goes to the search of whichever library is on the page. */
function toSearch(event: KeyboardEvent) {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (nearest(event, "input, textarea, select, [contenteditable]")) return;
  const [search] = dataNodes(document, ".tidemark-library .tm-search");
  if (!search) return;
  event.preventDefault();
  search.focus();
}

/** Streamlit calls this at each run of the page. */
export default function mount({ data, parentElement, setTriggerValue }: Mounting<LibraryData>) {
  const view = VIEWS.get(parentElement) ?? { host: el("div", "tm-host"), shown: "", rest: "" };
  if (!VIEWS.has(parentElement)) {
    VIEWS.set(parentElement, view);
    document.addEventListener("keydown", toSearch);
  }
  const { host } = view;
  if (!host.isConnected) parentElement.append(host);
  const { cards, ...frame } = data;
  const rest = JSON.stringify([
    { ...frame, refused: null },
    cards.map(({ name, title, number }) => [name, title, number]),
  ]);
  const shown = JSON.stringify(data);
  const open = (place: Opened) => globalThis.tidemarkPlaces?.open(addressOfPlace(place));
  if (data.page !== "library") {
    const make = data.packages === "made" ? (asked: TakenLesson) => setTriggerValue("lesson", asked) : null;
    if (view.shown !== shown) fill(host, data.page === "path" ? pathPage(data, open) : teachPage(data, open, make));
    view.library = undefined;
  } else if (!view.library || view.rest !== rest || (data.refused && view.shown !== shown)) {
    view.library = new Library(host, data, open, (file: GivenFile) => setTriggerValue("file", file));
  } else if (view.shown !== shown) {
    view.library.update(data);
  }
  Object.assign(view, { rest, shown });
  return () => {
    VIEWS.delete(parentElement);
    document.removeEventListener("keydown", toSearch);
  };
}

// How a reader opens a scenario of their own: the file is read here and sent to the server as text.

/** the file that was sent last, which may be refused */
let lastGiven: GivenFile | null = null;

/** Opens a folder of the reader's own, on pages without a server; null where the browser cannot. */
function folderDoor({ words }: LibraryData) {
  const { tidemarkFolder } = globalThis;
  if (!tidemarkFolder) return null;
  const { name, choose } = tidemarkFolder;
  const opened = el("div", "tm-file");
  const button = pushButton("tm-file-button", null, choose);
  button.append(icon("up"), words.folder.open);
  opened.append(button, el("p", "tm-quiet", name ? say(words.folder.opened, { folder: name }) : words.folder.note));
  return opened;
}

/** The button, and under it what is wrong with the file that was sent last. */
function fileDoor({ words, refused, most_bytes: most }: LibraryData, give: (file: GivenFile) => void) {
  const said = el("div", "tm-file-said", null, { role: "alert" });
  const problem = (title: string, text: string) =>
    said.replaceChildren(el("b", "", title), fill(el("pre"), coded(text)));
  const input = el("input", "tm-file-input", null, {
    type: "file",
    accept: ".yaml,.yml,.json",
    "aria-label": words.file.open,
  });
  const button = fill(el("label", "tm-file-button", null, {}), icon("up"), words.file.open, input);
  input.addEventListener("change", async () => {
    const [file] = input.files ?? [];
    input.value = "";
    if (!file) return;
    if (file.size > most) {
      problem(say(words.file.refused, { file: file.name }), say(words.file.too_large, { limit: most / 1024 }));
      return;
    }
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
      lastGiven = { name: file.name, text, at: Date.now() };
      give(lastGiven);
      said.textContent = words.file.opening;
    } catch {
      problem(say(words.file.refused, { file: file.name }), words.file.not_text);
    }
  });
  if (refused) problem(refused.file, refused.problem);
  if (refused && lastGiven?.at === refused.at) said.append(toAuthor(lastGiven, words.file.to_author));
  return fill(el("div", "tm-file"), button, el("p", "tm-quiet", words.file.note), said);
}

/**
 * The way to the page where the file can be mended.
 * @param name what the button says
 */
function toAuthor(file: GivenFile, name: string) {
  return pushButton("tm-file-button", name, () => handFile(file) && globalThis.tidemarkPlaces?.open("./author"));
}

// The left column's lessons: how many scenarios of each topic are finished, and where the reader stopped last.

/**
 * The lessons with their topics; a topic is a link to its cards.
 * @param go takes the id of a topic
 */
function lessonList({ words, lessons, cards }: LibraryData, seen: AllSeen, go: (topic: string) => void) {
  const finished = (names: string[]) => names.filter((name) => progress(seen[name]) === "finished").length;
  const head = el("div", "tm-lessons-head");
  head.append(
    el("h2", "", words.lessons),
    el(
      "span",
      "tm-quiet",
      say(words.shelf.finished_of, { done: finished(cards.map((card) => card.name)), count: cards.length }),
    ),
  );
  const list = fill(el("nav", "tm-lessons", null, { "aria-label": words.lessons }), head);
  for (const lesson of lessons) {
    const alone = lesson.topics.length === 1 && lesson.topics[0].title === lesson.title;
    if (!alone) list.append(el("h3", "tm-lesson-name", lesson.title));
    for (const topic of lesson.topics) {
      const done = finished(topic.names);
      const link = el("a", alone ? "tm-topic tm-topic-alone" : "tm-topic", null, {
        href: `#topic-${topic.id}`,
        "data-topic": topic.id,
      });
      link.append(
        el("span", "", topic.title),
        el("span", "tm-quiet", say(words.of, { done, count: topic.names.length })),
      );
      const bar = el("div", "tm-bar", null, { "aria-hidden": "true" });
      topic.names.forEach((name) => bar.append(el("i", progress(seen[name]) === "finished" ? "tm-done" : "")));
      link.append(bar);
      link.addEventListener("click", (event) => {
        event.preventDefault();
        go(topic.id);
      });
      list.append(link);
    }
  }
  return list;
}

/** The name of the scenario at which the reader stopped last, null if there is none. */
function stoppedAt(cards: Card[], seen: AllSeen) {
  const names = new Set(cards.map((card) => card.name));
  const begun = Object.entries(seen).filter(([name, each]) => names.has(name) && progress(each) === "begun");
  return begun.sort(([, a], [, b]) => (b?.when ?? 0) - (a?.when ?? 0))[0]?.[0] ?? null;
}

/** The way back to where the reader stopped last; null if there is none. */
function onward({ words, cards }: LibraryData, seen: AllSeen, open: Open) {
  const name = stoppedAt(cards, seen);
  const stopped = name ? seen[name] : undefined;
  if (!name || !stopped) return null;
  const { step, last } = stopped;
  const go = pushButton("tm-onward-button", words.go_on, () => open({ scenario: name, step }));
  go.prepend(icon("play"));
  return fill(
    el("div", "tm-onward"),
    el("p", "tm-quiet", words.stopped),
    el("b", "", cards.find((card) => card.name === name)?.title),
    el("p", "", say(words.step_of, { step, last })),
    go,
  );
}
