// What ui/symptoms/contents.py sends to the page.
import type { SymptomsWords } from "../player/types/words.d.ts";

/** `contents` of ui/symptoms/contents.py. */
export interface SymptomsData {
  words: SymptomsWords;
  symptoms: Symptom[];
  /** The id in the address, "" for none; it need not exist. */
  chosen: string;
}

/** A complaint in the reader's language; `says`: what finds it, in every language. */
export interface Symptom {
  id: string;
  complaint: string;
  says: string[];
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

/** A link that the reader follows; the server knows where it leads. */
export interface Followed {
  symptom: string;
  link: string;
}
