// The library: cards by lesson, search and level filter, progress as this browser remembers it.
import { el, fill, svg } from "../player/base/dom.js";
import { say } from "../player/base/format.js";
import { icon } from "../player/base/icons.js";
import { fileDoor } from "./file.js";

const VIEWS = new WeakMap();
const WIDE = 268;
const HIGH = 112;

/** What this browser remembers of a scenario: {step, last, finished, when}, or undefined. */
function remembered() {
  try {
    return JSON.parse(window.localStorage.getItem("tidemark.seen") ?? "{}");
  } catch {
    return {};
  }
}

/** The plane of a scenario in small; everything in it is numbers. */
function picture({ bands, steps, bars, results, records }) {
  const root = svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "tm-picture", "aria-hidden": "true", preserveAspectRatio: "none" });
  const x = (value) => (value * (WIDE - 16) + 8).toFixed(1);
  const y = (value) => (value * (HIGH - 14) + 7).toFixed(1);
  for (const [from, to] of bands) root.append(svg("rect", { x: x(from), y: 0, width: Math.max(x(to) - x(from), 0), height: HIGH, class: "tm-pic-band" }));
  for (const [from, to, top] of bars) root.append(svg("path", { d: `M${x(from)} ${y(top)}H${x(to)}`, class: "tm-pic-bar" }));
  const line = steps.map(([from, to, top, bottom]) => `M${x(from)} ${y(top)}L${x(to)} ${y(bottom)}`).join("");
  root.append(svg("path", { d: line, class: "tm-pic-watermark" }));
  for (const [left, top, fate] of records) root.append(dot(Number(x(left)), Number(y(top)), fate));
  for (const [left, top, solid] of results.slice(0, 24)) {
    root.append(svg("rect", { x: Number(x(left)) + 1, y: y(top) - 4, width: 8, height: 8, class: solid ? "tm-pic-fired" : "tm-pic-update" }));
  }
  return root;
}

function dot(left, top, fate) {
  if (fate === "late-accepted") return svg("path", { d: `M${left} ${top - 5}l5 9h-10z`, class: "tm-pic-late" });
  if (fate === "on-time" || fate === "arrived") return svg("circle", { cx: left, cy: top, r: 4, class: "tm-pic-on-time" });
  return svg("path", { d: `M${left - 4} ${top - 4}l8 8m0-8l-8 8`, class: "tm-pic-dropped" });
}

/** The name of an engine with a tick where it gave the same rows, or a cross; the walkthrough's badge says more. */
function proof({ name, good, tick }) {
  const node = el("span", "tm-proof", null, { role: "img", "aria-label": tick, title: tick, "data-good": String(good) });
  node.append(icon(good ? "check" : "cross"), name);
  return node;
}

class Library {
  constructor(host, data, open, give) {
    this.data = data;
    this.words = data.words;
    this.open = open;
    this.level = "";
    this.seen = remembered();
    this.root = el("div", "tidemark-library", null, { "data-ready": "true" });
    this.search = el("input", "tm-search", null, { type: "search", placeholder: say(this.words.search, { count: data.cards.length }), "aria-label": say(this.words.search, { count: data.cards.length }) });
    this.search.addEventListener("input", () => this.show());
    this.levels = el("div", "tm-levels", null, { role: "group", "aria-label": this.words.level });
    this.groups = el("div", "tm-groups");
    const side = el("aside", "tm-library-side");
    side.append(this.search, fileDoor(data, give), this.lessons(), this.onward() ?? "");
    const main = el("main", "tm-library-main");
    main.append(this.levels, this.groups, this.broken());
    this.root.append(side, main);
    fill(host, this.root);
    this.show();
  }

  found() {
    const words = this.search.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    return this.data.cards.filter((card) => (!this.level || card.level === this.level)
      && words.every((word) => `${card.title} ${card.summary} ${card.teaches.join(" ")} ${card.name}`.toLowerCase().includes(word)));
  }

  show() {
    const levels = ["", ...this.data.levels];
    fill(this.levels, levels.map((level) => {
      const button = el("button", "tm-chipbutton", level ? this.words.levels[level] : this.words.all_levels, { type: "button", "aria-pressed": String(level === this.level) });
      button.addEventListener("click", () => { this.level = level; this.show(); });
      return button;
    }));
    const cards = this.found();
    const lessons = this.data.lessons.map((lesson) => ({ lesson, cards: cards.filter((card) => card.lesson === lesson.id) }));
    fill(this.groups, cards.length ? lessons.filter((group) => group.cards.length).map((group) => this.group(group)) : el("p", "tm-empty", this.words.nothing_found));
  }

  group({ lesson, cards }) {
    const section = el("section", "tm-group", null, { id: `lesson-${lesson.id || "other"}` });
    section.append(el("h2", "", lesson.title));
    const grid = el("div", "tm-cards");
    grid.append(...cards.map((card) => this.card(card)));
    section.append(grid);
    return section;
  }

  card(card) {
    const seen = this.seen[card.name];
    const node = el("a", "tm-scenario", null, { href: `/?${new URLSearchParams({ scenario: card.name })}`, "data-scenario": card.name });
    const text = el("div", "tm-scenario-text");
    text.append(el("h3", "", card.title), el("p", "tm-scenario-tags", [this.words.levels[card.level], ...card.teaches].filter(Boolean).join(" · ")));
    if (card.summary) text.append(el("p", "tm-scenario-summary", card.summary));
    const foot = el("div", "tm-scenario-foot");
    const about = el("span", "tm-proofs", card.minutes ? say(this.words.minutes, { minutes: card.minutes }) : "");
    about.append(...card.proofs.map(proof));
    foot.append(about, this.state(seen));
    text.append(foot);
    node.append(card.picture ? picture(card.picture) : el("div", "tm-picture"), text);
    node.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.open({ scenario: card.name, step: seen && !seen.finished ? seen.step : 0 });
    });
    return node;
  }

  state(seen) {
    const node = el("span", "tm-state");
    if (!seen || (!seen.finished && seen.step === 0)) return node;
    node.append(seen.finished ? this.words.finished : say(this.words.step_of, { step: seen.step, last: seen.last }));
    if (seen.finished) node.append(icon("check"));
    return node;
  }

  lessons() {
    const list = el("nav", "tm-lessons", null, { "aria-label": this.words.lessons });
    list.append(el("h2", "", this.words.lessons));
    for (const lesson of this.data.lessons) {
      const cards = this.data.cards.filter((card) => card.lesson === lesson.id);
      const finished = cards.filter((card) => this.seen[card.name]?.finished).length;
      const link = el("a", "", null, { href: `#lesson-${lesson.id || "other"}` });
      link.append(el("span", "", lesson.title), el("span", "tm-quiet", say(this.words.of, { done: finished, count: cards.length })));
      const bar = el("div", "tm-bar");
      for (let i = 0; i < cards.length; i += 1) bar.append(el("i", i < finished ? "tm-done" : ""));
      link.append(bar);
      link.addEventListener("click", (event) => {
        event.preventDefault();
        document.getElementById(`lesson-${lesson.id || "other"}`)?.scrollIntoView({ block: "start" });
      });
      list.append(link);
    }
    return list;
  }

  /** Where the reader stopped last. */
  onward() {
    const names = new Set(this.data.cards.map((card) => card.name));
    const last = Object.entries(this.seen).filter(([name, seen]) => names.has(name) && !seen.finished && seen.step > 0).sort((a, b) => b[1].when - a[1].when)[0];
    if (!last) return null;
    const [name, seen] = last;
    const box = el("div", "tm-onward");
    const go = el("button", "tm-onward-button", this.words.go_on, { type: "button" });
    go.prepend(icon("play"));
    go.addEventListener("click", () => this.open({ scenario: name, step: seen.step }));
    box.append(el("p", "tm-quiet", this.words.stopped), el("b", "", this.data.cards.find((card) => card.name === name).title), el("p", "", say(this.words.step_of, { step: seen.step, last: seen.last })), go);
    return box;
  }

  broken() {
    if (!this.data.broken.length) return "";
    const section = el("section", "tm-broken");
    section.append(el("h2", "", this.words.broken));
    for (const { file, problem } of this.data.broken) {
      section.append(el("b", "", file), el("pre", "", problem));
    }
    return section;
  }
}

/** Streamlit calls this at each run of the page. */
export default function mount({ data, parentElement, setTriggerValue }) {
  let host = VIEWS.get(parentElement);
  if (!host) VIEWS.set(parentElement, (host = el("div", "tm-host")));
  if (!host.isConnected) parentElement.append(host);
  const shown = JSON.stringify(data);
  if (host.shown !== shown) {
    host.shown = shown;
    new Library(host, data, (place) => setTriggerValue("open", place), (file) => setTriggerValue("file", file));
  }
  return () => VIEWS.delete(parentElement);
}
