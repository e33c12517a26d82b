// The search for complaints: their phrases first, then what their answers say, in whatever words Flink has for it.
import { Matcher } from "../../player/base/matching.ts";
import type { Searched } from "./types.ts";

/** A complaint answers what was typed from here on; what scores less than this part of the best answer is left out. */
const ANSWERS = 0.5;
const NEAR_THE_BEST = 0.7;
/** So much of what was typed must stand in one text of an answer. */
const IN_A_TEXT = 0.74;
/** What the texts of an answer count at most, and the other words for what was typed. */
const BY_TEXT = 0.7;
const BY_TERM = 0.6;
/** A term means what was typed from here on, and stands in a text only as a whole. */
const SAME_TERM = 0.58;
const WHOLE = 0.95;

/** What can be complained of, with the words that mean the same. */
export class Complaints {
  symptoms: Searched[];
  terms: string[][];
  matcher: Matcher;

  /** @param terms words that mean the same, for example "side output" and "OutputTag" */
  constructor(symptoms: Searched[], terms: string[][]) {
    this.symptoms = symptoms;
    this.terms = terms;
    this.matcher = new Matcher([...symptoms.flatMap(({ says, texts }) => [...says, ...texts]), ...terms.flat()]);
  }

  /** The ids of the complaints that answer `typed`, the best first. */
  ids(typed: string): string[] {
    const { matcher } = this;
    const best = (phrases: string[]) => Math.max(0, ...phrases.map((each) => matcher.score(typed, each)));
    const meant = this.terms
      .map((terms) => ({ terms, score: Math.min(1, best(terms)) }))
      .filter(({ score }) => score >= SAME_TERM);
    const scored = this.symptoms.map(({ id, says, texts }) => {
      const part = Math.max(0, ...texts.map((text) => matcher.part(typed, text)));
      const named = meant.filter(({ terms }) => this.stands(terms, texts)).map(({ score }) => BY_TERM * score);
      return { id, score: Math.max(best(says), part >= IN_A_TEXT ? BY_TEXT * part : 0, ...named) };
    });
    const least = Math.max(ANSWERS, NEAR_THE_BEST * Math.max(...scored.map(({ score }) => score)));
    return scored
      .filter(({ score }) => score >= least)
      .sort((one, other) => other.score - one.score)
      .map(({ id }) => id);
  }

  /** Whether one of `terms` stands in one of `texts`. */
  stands(terms: string[], texts: string[]) {
    return texts.some((text) => terms.some((term) => this.matcher.part(term, text) >= WHOLE));
  }
}
