// What ui/library/symptoms/__init__.py sends to the page.
import type { SymptomsWords } from "#types/words";

/** `contents` of ui/library/symptoms/__init__.py. */
export interface SymptomsData {
  words: SymptomsWords;
  symptoms: Symptom[];
  /** Words that mean the same: the terms of ui/library/search.toml. */
  terms: string[][];
  /** The id in the address, "" for none; it need not exist. */
  chosen: string;
}

/** What the search looks at: `searched` of ui/library/symptoms/__init__.py. */
export interface Searched {
  id: string;
  /** The complaint and what people type for it, in every language. */
  says: string[];
  /** Every text and line of code of its answer. */
  texts: string[];
}

/** A complaint in the reader's language. */
export interface Symptom extends Searched {
  complaint: string;
  because: string;
  checks: string[];
  repair: string;
  code: { java?: string; sql?: string; spark?: string };
  links: SymptomLink[];
  more: (SymptomLink & { title: string })[];
}

/** `name`: "scenario", "other", "compare", or the name of a scenario. */
export interface SymptomLink {
  name: string;
  href: string;
}
