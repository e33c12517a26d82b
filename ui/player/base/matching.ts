// How well a phrase answers what somebody typed: case, camelCase, plurals, small typos and word order do not matter.

/** Words that say nothing about what is asked. */
const EMPTY = new Set(
  [
    "a an and are as at be been but by came can come comes coming could did do does for from get gets give gives go",
    "goes going gone got had has have here how i if in into is it its just like me my of off on or our so some than",
    "that the their them then there these they this to too up us was we were what when where which while who why",
    "will with would you your",
  ].flatMap((line) => line.split(" ")),
);
/** Chinese particles, which part words from one another. */
const PARTICLES = /[的了吗呢吧啊]/gu;
/** Part of a word, or a whole one: it stands in the pairs on both sides of it. */
const ONE_CHARACTER = /^\p{Script=Han}$/u;
const NOT = new Set(["never", "no", "not", "none", "nothing", "without", "cannot", "don", "doesn", "won", "isn"]);
/** A word that nobody else uses counts this many times as much as one that everybody uses. */
const MOST_WEIGHT = 6;
const LEAST_PREFIX = 3;
const LEAST_WITH_TYPO = 5;
const LEAST_WITH_TWO_TYPOS = 9;
const WELL = { same: 1, beginning: 0.85, typo: 0.75 };
/** The phrase itself, and the phrase but for spaces and the like. */
const AS_WRITTEN = 1.1;
const AS_JOINED = 1.05;
/** How much it counts that the phrase has all that was typed; the rest: that no more is in the phrase. */
const TYPED = 0.75;

/** The root of an English word, near enough: "fires", "fired" and "firing" have the same one. */
function root(word: string) {
  if (word.length < 4) return word;
  const bare = word
    .replace(/(?:ies)$/, "y")
    .replace(/(?<=\w{3})(?:ing|ed|es|s)$/, (end, at) => (end === "s" && word[at - 1] === "s" ? end : ""));
  return bare.replace(/e$/, "").replace(/([bdgklmnprt])\1$/, "$1");
}

/** The words that matter in `text`, as roots; Chinese in pairs of characters; `1.18` is one word. */
export function terms(text: string): string[] {
  const plain = text
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .replace(PARTICLES, " ")
    .replace(/n['’]t\b/g, " not ");
  const found = [];
  for (const word of plain.match(/\p{Script=Han}+|\d+(?:\.\d+)+|(?:(?!\p{Script=Han})[\p{L}\p{N}])+/gu) ?? []) {
    if (/\p{Script=Han}/u.test(word)) found.push(...pairs(word));
    else if (NOT.has(word)) found.push("not");
    else if (!EMPTY.has(word) && word.length > 1) found.push(root(word));
  }
  return found.some((term) => term !== "not") ? found : [];
}

function pairs(word: string) {
  const letters = [...word];
  return letters.length < 2 ? letters : letters.slice(1).map((letter, at) => letters[at] + letter);
}

function joined(text: string) {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

/** Whether `one` becomes `other` by at most `most` letters added, left out, changed or swapped with their neighbour. */
function within(one: string, other: string, most: number) {
  if (Math.abs(one.length - other.length) > most) return false;
  let [before, last] = [[0], Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= one.length; row++) {
    const next = [row];
    for (let at = 1; at <= other.length; at++) {
      const same = one[row - 1] === other[at - 1] ? 0 : 1;
      next[at] = Math.min(last[at] + 1, next[at - 1] + 1, last[at - 1] + same);
      if (row > 1 && at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1]) {
        next[at] = Math.min(next[at], before[at - 2] + 1);
      }
    }
    [before, last] = [last, next];
  }
  return last[other.length] <= most;
}

/** How well `known` answers the word `typed`: 0 for not at all, 1 for the same. */
function alike(typed: string, known: string) {
  if (typed === known) return WELL.same;
  if (typed.length >= LEAST_PREFIX && known.startsWith(typed)) return WELL.beginning;
  if (ONE_CHARACTER.test(typed) && known.includes(typed)) return WELL.beginning;
  const shorter = Math.min(typed.length, known.length);
  if (shorter < LEAST_WITH_TYPO) return 0;
  return within(typed, known, shorter < LEAST_WITH_TWO_TYPOS ? 1 : 2) ? WELL.typo : 0;
}

/** Compares what was typed with phrases; a word counts the more, the fewer of `phrases` have it. */
export class Matcher {
  known: Map<string, string[]> = new Map();
  /** in how many phrases a word is */
  often: Map<string, number> = new Map();
  count: number;

  constructor(phrases: string[]) {
    this.count = phrases.length;
    for (const phrase of phrases) {
      for (const term of new Set(this.terms(phrase))) this.often.set(term, (this.often.get(term) ?? 0) + 1);
    }
  }

  terms(phrase: string) {
    const found = this.known.get(phrase) ?? terms(phrase);
    this.known.set(phrase, found);
    return found;
  }

  weight(term: string) {
    return Math.min(MOST_WEIGHT, 1 + Math.log((1 + this.count) / (1 + (this.often.get(term) ?? 0))));
  }

  /** What part of `typed` is in `text`, by weight: 0 to 1. */
  part(typed: string, text: string) {
    return this.share(terms(typed), this.terms(text));
  }

  /** The weight of `phrase` if all of it is in `text`, else 0. */
  inside(phrase: string, text: string) {
    const known = this.terms(phrase);
    if (!known.length || this.share(known, terms(text)) < 1) return 0;
    return known.reduce((sum, term) => sum + this.weight(term), 0);
  }

  /** How well `phrase` answers `typed`: 0 to 1 by its words, a little more if it was typed in full. */
  score(typed: string, phrase: string) {
    const asked = terms(typed);
    const known = this.terms(phrase);
    const whole = joined(typed);
    if (typed.trim().toLowerCase() === phrase.toLowerCase()) return AS_WRITTEN;
    if (whole && whole === joined(phrase)) return AS_JOINED;
    if (whole.length >= LEAST_WITH_TYPO && joined(phrase).startsWith(whole)) return WELL.beginning;
    if (!asked.length || !known.length) return 0;
    return TYPED * this.share(asked, known) + (1 - TYPED) * this.share(known, asked);
  }

  share(wanted: string[], there: string[]) {
    let [all, found] = [0, 0];
    for (const term of wanted) {
      const weight = this.weight(term);
      all += weight;
      found += weight * Math.max(0, ...there.map((each) => alike(term, each)));
    }
    return all ? found / all : 0;
  }
}
