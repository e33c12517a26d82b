// What narrows the library down: words, level, what is taught, kind of operator, length, whether it is finished.
import { dataNodes, el, fill, icon } from "../player/base/dom.ts";
import { say } from "../player/base/format.ts";
import { readKept, writeKept } from "../player/base/kept.ts";
import { progress, tagName } from "./card.ts";
import { Matcher } from "../player/base/matching.ts";
import { Complaints } from "./symptoms/view.ts";
import type { Card, LibraryData, Phrases, Seen } from "./types.ts";

const KEPT = "tidemark.library";
const VIEWS_OF_CARDS = ["cards", "texts", "lecture"];

/** The row of filters and the search box. */
export class Filters {
  data: LibraryData;
  words;
  changed: () => void;
  level = "";
  open: boolean;
  view: string;
  box = el("div", "tm-searchbox");
  search: HTMLInputElement;
  clearing: HTMLButtonElement;
  node: HTMLDivElement;
  levels: HTMLDivElement;
  views: HTMLDivElement;
  teaches: HTMLSelectElement;
  kind: HTMLSelectElement;
  minutes: HTMLSelectElement;
  unfinished: HTMLButtonElement;

  /** @param changed is called after every change */
  constructor(data: LibraryData, changed: () => void) {
    this.data = data;
    this.words = data.words.filter;
    this.changed = changed;
    this.open = false;
    this.view =
      readKept(KEPT, ({ view }) => (VIEWS_OF_CARDS.includes(view) ? String(view) : null)) ?? VIEWS_OF_CARDS[0];
    this.search = this.searchBox();
    this.clearing = el("button", "tm-chipbutton", this.words.clear, { type: "button" });
    this.clearing.addEventListener("click", () => this.clear());
    this.node = el("div", "tm-filters", null, { role: "group", "aria-label": this.words.filters });
    this.levels = el("div", "tm-chips", null, { role: "group", "aria-label": data.words.level });
    this.views = el("div", "tm-views", null, { role: "group", "aria-label": this.words.view });
    const sorted = (values: string[]) => [...new Set(values)].sort((a, b) => (a > b ? 1 : -1));
    const { cards, kinds } = data;
    const tags: [string, string][] = sorted(cards.flatMap((card) => card.teaches)).map((tag) => [
      tag,
      tagName(tag, data.words),
    ]);
    tags.sort(([, a], [, b]) => a.localeCompare(b, document.documentElement.lang || undefined));
    this.teaches = this.choice("teaches", this.words.any_topic, tags);
    this.kind = this.choice(
      "kind",
      this.words.any_kind,
      sorted(cards.map((card) => card.kind)).map((kind) => [kind, kinds[kind] ?? kind]),
    );
    const lengths = [...new Set(cards.flatMap((card) => card.minutes || []))].sort((a, b) => a - b);
    this.minutes = this.choice(
      "minutes",
      this.words.any_minutes,
      lengths.slice(0, -1).map((minutes) => [String(minutes), say(this.words.most_minutes, { minutes })]),
    );
    this.unfinished = this.toggle(
      this.words.only_open,
      () => this.open,
      () => (this.open = !this.open),
    );
    this.node.append(this.levels, this.teaches, this.kind, this.minutes, this.unfinished, this.clearing, this.views);
    this.show();
  }

  searchBox() {
    const label = say(this.data.words.search, { count: this.data.cards.length });
    const input = el("input", "tm-search", null, {
      type: "search",
      placeholder: label,
      "aria-label": label,
      "aria-keyshortcuts": "/",
    });
    input.addEventListener("input", () => this.change());
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !input.value) return;
      input.value = "";
      this.change();
    });
    this.box.append(icon("search"), input, el("kbd", "tm-key", "/", { "aria-hidden": "true" }));
    return input;
  }

  /**
   * @param any the text of the option that leaves nothing out
   * @param options values with their texts
   */
  choice(name: string, any: string, options: [string, string][]) {
    const select = el("select", "tm-chipselect", null, { "aria-label": this.words[name], "data-filter": name });
    select.append(
      el("option", "", any, { value: "" }),
      ...options.map(([value, text]) => el("option", "", text, { value })),
    );
    select.addEventListener("change", () => this.change());
    return select;
  }

  toggle(text: string, pressed: () => boolean, act: () => void) {
    const button = el("button", "tm-chipbutton", text, { type: "button", "aria-pressed": String(pressed()) });
    button.addEventListener("click", () => {
      act();
      this.change();
    });
    return button;
  }

  change() {
    this.show();
    this.changed();
  }

  clear() {
    this.level = "";
    this.open = false;
    for (const field of [this.search, this.teaches, this.kind, this.minutes]) field.value = "";
    this.change();
    this.search.focus();
  }

  show() {
    this.pressed(
      this.levels,
      ["", ...this.data.levels],
      (level) => (level ? this.data.words.levels[level] : this.data.words.all_levels),
      "level",
      "tm-chipbutton",
    );
    const views = this.data.lectures.length ? VIEWS_OF_CARDS : VIEWS_OF_CARDS.slice(0, -1);
    if (!views.includes(this.view)) [this.view] = views;
    this.pressed(this.views, views, (view) => this.words[view], "view", "tm-viewbutton");
    this.unfinished.setAttribute("aria-pressed", String(this.open));
    for (const select of [this.teaches, this.kind, this.minutes]) select.dataset.chosen = String(select.value !== "");
    this.clearing.hidden = !this.narrow;
    writeKept(KEPT, { view: this.view });
  }

  /** One button for each of `values`, the current one pressed; a button that is there keeps its focus. */
  pressed(
    group: HTMLElement,
    values: string[],
    text: (value: string) => string,
    field: "level" | "view",
    className: string,
  ) {
    if (!group.children.length) {
      fill(
        group,
        values.map((value) => {
          const button = el("button", className, text(value), { type: "button", "data-value": value });
          button.addEventListener("click", () => {
            this[field] = value;
            this.change();
          });
          return button;
        }),
      );
    }
    for (const button of dataNodes(group, "button")) {
      button.setAttribute("aria-pressed", String(button.dataset.value === this[field]));
    }
  }

  /** Whether anything is left out now. */
  get narrow() {
    return Boolean(
      this.typed || this.level || this.teaches.value || this.kind.value || this.minutes.value || this.open,
    );
  }

  /** What was typed into the search. */
  get typed() {
    return this.search.value.trim();
  }

  /** Everything that is written on a card, for the search. */
  textOf(card: Card) {
    const tags = card.teaches.flatMap((tag) => [tag, tagName(tag, this.data.words)]);
    return [card.title, card.question, card.summary, ...tags, card.name, this.data.kinds[card.kind] ?? ""].join(" ");
  }

  /** Whether the filters leave a card; the search is another matter (finding.ts). */
  shows(card: Card, seen: Seen | undefined) {
    return (
      (!this.level || card.level === this.level) &&
      (!this.teaches.value || card.teaches.includes(this.teaches.value)) &&
      (!this.kind.value || card.kind === this.kind.value) &&
      (!this.minutes.value || (card.minutes && card.minutes <= Number(this.minutes.value))) &&
      (!this.open || progress(seen) !== "finished")
    );
  }
}

// The search of the library: which scenarios answer what somebody typed, the best first, and which complaints it is.

/** A phrase answers from here on; what scores less than this part of the best answer is left out. */
const ENOUGH = 0.58;
const PART_OF_BEST = 0.62;
/** Each scenario of a phrase counts a little less than the one before it. */
const LESS = 0.004;
/** What the words of a card can reach: the text of the card, and more if they are in its title. */
const TEXT = 0.6;
const TITLE = 0.32;
const MOST_SYMPTOMS = 2;
const MOST_TERMS = 3;
/** So much of what was typed stands in a text that answers it. */
const IN_A_TEXT = 0.74;
/** What no comparison reaches. */
const SURE = 2;
const IDENTIFIER = /[a-z_][a-z\d_]*/g;

/** What can be found: the cards and the phrases that people use. */
export class Finding {
  cards: Card[];
  phrases: Phrases[];
  /** the phrases that have a name in their code, by that name in lower case */
  ofCode: Map<string, Phrases[]> = new Map();
  glossary: LibraryData["glossary"];
  called: string[];
  textOf: (card: Card) => string;
  complaints: Complaints;
  matcher: Matcher;

  /** @param textOf everything that is written on a card */
  constructor(data: LibraryData, textOf: (card: Card) => string) {
    const { cards, phrases, symptoms, glossary } = data;
    this.cards = cards;
    this.phrases = phrases;
    this.glossary = glossary;
    this.called = data.glossary_called;
    this.textOf = textOf;
    for (const each of phrases) {
      for (const written of each.code) {
        const name = written.toLowerCase();
        this.ofCode.set(name, [...(this.ofCode.get(name) ?? []), each]);
      }
    }
    const terms = phrases.filter(({ symptom }) => !symptom).map(({ says }) => says);
    this.complaints = new Complaints(symptoms, terms);
    this.matcher = new Matcher([...phrases.flatMap(({ says }) => says), ...cards.map(({ title }) => title)]);
  }

  /**
   * The names of the scenarios that answer `typed`, the best first; those that answer equally well in their own order.
   * Somebody who types the name of a scenario means that one, and who types a name of Flink's code nothing that only
   * has a word in common with it.
   */
  names(typed: string): string[] {
    const { matcher } = this;
    if (this.cards.some(({ name }) => name === typed)) return [typed];
    const coded = this.coded(typed).flatMap(({ names }) => names);
    if (coded.length) return [...new Set(coded)];
    const scores: Map<string, number> = new Map();
    const raise = (name: string, score: number) => scores.set(name, Math.max(score, scores.get(name) ?? 0));
    for (const [{ names }, score] of this.scored(typed)) {
      names.forEach((name, at) => raise(name, score - LESS * at));
    }
    for (const card of this.cards) {
      const text = matcher.part(typed, this.textOf(card));
      if (text > IN_A_TEXT) raise(card.name, TEXT * text + TITLE * matcher.score(typed, card.title));
    }
    if (!scores.size) this.standing(typed).forEach((name, at) => raise(name, 1 - LESS * at));
    const best = Math.max(0, ...scores.values());
    return this.cards
      .map(({ name }) => ({ name, score: scores.get(name) ?? 0 }))
      .filter(({ score }) => score > 0 && score >= PART_OF_BEST * best)
      .sort((one, other) => other.score - one.score)
      .map(({ name }) => name);
  }

  /** The phrases whose code has a name that stands in `typed`, or one with what it belongs to: `Time.hours`. */
  coded(typed: string): Phrases[] {
    const names = typed.toLowerCase().match(IDENTIFIER) ?? [];
    const found = names.flatMap((name, at) => [`${names[at - 1]}.${name}`, name]);
    return [...new Set(found.flatMap((name) => this.ofCode.get(name) ?? []))];
  }

  /** What answers the phrases that stand in a longer text, such as a sentence or a query; those that say most first. */
  standing(typed: string): string[] {
    const found = this.phrases.map(
      (each) => [each, Math.max(0, ...each.says.map((phrase) => this.matcher.inside(phrase, typed)))] as const,
    );
    const most = Math.max(...found.map(([, weight]) => weight));
    return found
      .filter(([, weight]) => weight && weight > PART_OF_BEST * most)
      .sort(([, one], [, other]) => other - one)
      .flatMap(([{ names }]) => names);
  }

  /** The ids of the complaints that `typed` may be, the likeliest first. */
  symptoms(typed: string) {
    if (this.coded(typed).length) return [];
    return this.complaints.ids(typed).slice(0, MOST_SYMPTOMS);
  }

  /** The terms of the glossary that `typed` may mean, the likeliest first. */
  terms(typed: string) {
    const { matcher } = this;
    const asWritten = this.phrases.filter(({ term, says }) => term && says.includes(typed));
    const named = [...this.coded(typed), ...asWritten].map(({ term }) => term);
    return this.glossary
      .map((term) => ({
        term,
        score: named.includes(term.id)
          ? SURE
          : Math.max(...term.names.split("|").map((name) => matcher.score(typed, name))),
      }))
      .filter(({ score }) => score >= ENOUGH)
      .sort((one, other) => other.score - one.score)
      .slice(0, MOST_TERMS)
      .map(({ term }) => term);
  }

  /** Whether `typed` is a word for the glossary itself. */
  asksForGlossary(typed: string) {
    return this.called.includes(typed.toLowerCase());
  }

  /** The phrases that answer `typed`, with how well. */
  scored(typed: string): [Phrases, number][] {
    return this.phrases
      .map(
        (each) =>
          [each, Math.max(0, ...each.says.map((phrase) => this.matcher.score(typed, phrase)))] as [Phrases, number],
      )
      .filter(([, score]) => score >= ENOUGH);
  }
}
