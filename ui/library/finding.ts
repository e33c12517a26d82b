// The search of the library: which scenarios answer what somebody typed, the best first, and which complaints it is.
import { Matcher } from "../player/base/matching.ts";
import { Complaints } from "./symptoms/finding.ts";
import type { Searched } from "./symptoms/types.ts";
import type { Card, Phrases } from "./types.ts";

/** A phrase answers from here on; what scores less than this part of the best answer is left out. */
const ENOUGH = 0.58;
const PART_OF_BEST = 0.62;
/** Each scenario of a phrase counts a little less than the one before it. */
const LESS = 0.004;
/** What the words of a card can reach: the text of the card, and more if they are in its title. */
const TEXT = 0.6;
const TITLE = 0.32;
const MOST_SYMPTOMS = 2;

/** What can be found: the cards and the phrases that people use. */
export class Finding {
  cards: Card[];
  phrases: Phrases[];
  textOf: (card: Card) => string;
  complaints: Complaints;
  matcher: Matcher;

  /** @param textOf everything that is written on a card */
  constructor(cards: Card[], phrases: Phrases[], symptoms: Searched[], textOf: (card: Card) => string) {
    this.cards = cards;
    this.phrases = phrases;
    this.textOf = textOf;
    const terms = phrases.filter(({ symptom }) => !symptom).map(({ says }) => says);
    this.complaints = new Complaints(symptoms, terms);
    this.matcher = new Matcher([...phrases.flatMap(({ says }) => says), ...cards.map(({ title }) => title)]);
  }

  /**
   * The names of the scenarios that answer `typed`, the best first; those that answer equally well in their own order.
   * Somebody who types the name of a scenario means that one.
   */
  names(typed: string): string[] {
    const { matcher } = this;
    if (this.cards.some(({ name }) => name === typed)) return [typed];
    const scores: Map<string, number> = new Map();
    const raise = (name: string, score: number) => scores.set(name, Math.max(score, scores.get(name) ?? 0));
    for (const [{ names }, score] of this.scored(typed)) {
      names.forEach((name, at) => raise(name, score - LESS * at));
    }
    for (const card of this.cards) {
      const text = matcher.part(typed, this.textOf(card));
      if (text > 0.74) raise(card.name, TEXT * text + TITLE * matcher.score(typed, card.title));
    }
    const best = Math.max(0, ...scores.values());
    return this.cards
      .map(({ name }) => ({ name, score: scores.get(name) ?? 0 }))
      .filter(({ score }) => score > 0 && score >= PART_OF_BEST * best)
      .sort((one, other) => other.score - one.score)
      .map(({ name }) => name);
  }

  /** The ids of the complaints that `typed` may be, the likeliest first. */
  symptoms(typed: string) {
    return this.complaints.ids(typed).slice(0, MOST_SYMPTOMS);
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
