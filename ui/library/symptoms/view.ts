// The page Symptoms: complaints to open, each with what is going on, where to look, runs that show it, and what helps.
import { addressWith, goTo, inAddress, opensHere, pageHere } from "../../player/base/address.ts";
import { dataNodes, el, fill, icon } from "../../player/base/dom.ts";
import { say } from "../../player/base/format.ts";
import { Matcher } from "../../player/base/matching.ts";
import type { Mounting } from "../../player/types/player.ts";
import type { Searched, Symptom, SymptomLink, SymptomsData } from "./types.ts";
import type { SymptomsWords } from "#types/words";

const VIEWS: WeakMap<HTMLElement, { host: HTMLElement; shown: string }> = new WeakMap();

/** A link that stays in this tab. */
function linkNode({ name, href }: SymptomLink, text: string) {
  const node = el("a", "tm-symptom-link", text, { href, "data-link": name });
  node.prepend(icon(name === "compare" ? "screen" : name === "other" ? "check" : "play"));
  return opensHere(node);
}

/** The lines of configuration that repair it; a long one goes on in a new line before a dot, never inside a word. */
function codeNodes({ code }: Symptom, words: SymptomsWords) {
  const list = el("dl", "tm-symptom-code");
  for (const name of ["java", "sql", "spark"] as const) {
    const line = code[name];
    if (!line) continue;
    const written = el("code", "");
    written.append(...line.split(/(?=\.)/).flatMap((part, at) => (at ? [el("wbr"), part] : [part])));
    list.append(el("dt", "", words.code[name]), fill(el("dd", ""), written));
  }
  return list;
}

/**
 * One complaint, closed; its title is a button of the browser's own.
 * @param changed called when it was opened or closed
 */
function symptomNode(symptom: Symptom, words: SymptomsWords, changed: () => void) {
  const node = el("details", "tm-symptom", null, { id: `symptom-${symptom.id}`, "data-symptom": symptom.id });
  const title = fill(el("summary", ""), el("h2", "", symptom.complaint), icon("chevron"));
  const checks = fill(el("ol", "tm-symptom-checks"), ...symptom.checks.map((check) => el("li", "", check)));
  const texts = { scenario: words.shows, other: words.repaired, compare: words.compare };
  const links = el("p", "tm-symptom-links");
  links.append(...symptom.links.map((link) => linkNode(link, texts[link.name as keyof typeof texts])));
  const first = el("div");
  first.append(el("h3", "", words.because), el("p", "", symptom.because), el("h3", "", words.checks), checks, links);
  const second = fill(el("div"), el("h3", "", words.repair), el("p", "", symptom.repair), codeNodes(symptom, words));
  if (symptom.more.length) {
    const more = el("p", "tm-symptom-more", words.more);
    symptom.more.forEach((link, at) => {
      if (at) more.append(" · ");
      const other = linkNode(link, link.title);
      other.className = "";
      other.firstElementChild?.remove();
      more.append(other);
    });
    first.append(more);
  }
  node.append(title, fill(el("div", "tm-symptom-body"), first, second));
  node.addEventListener("toggle", () => {
    if (node.open) {
      for (const other of dataNodes(node.parentElement ?? node, "details[open]")) {
        if (other !== node) other.removeAttribute("open");
      }
    }
    changed();
  });
  return node;
}

/** Writes into the address what is open and what was typed, so that Back returns to it. */
function write(symptom: string | undefined, find: string) {
  if (pageHere() !== "symptoms") return;
  const parts = [
    ["symptom", symptom ?? ""],
    ["find", find],
  ];
  goTo(addressWith(parts.filter(([, value]) => value)), false);
}

function show(host: HTMLElement, { words, symptoms, terms, chosen }: SymptomsData) {
  const root = el("main", "tidemark-symptoms", null, { "data-ready": "true" });
  const nodes = symptoms.map((symptom) => symptomNode(symptom, words, () => changed()));
  const list = fill(el("div", "tm-symptom-list"), ...nodes);
  const input = el("input", "tm-symptom-search", null, {
    type: "search",
    placeholder: words.find,
    "aria-label": words.find,
  });
  const complaints = new Complaints(symptoms, terms);
  const none = el("p", "tm-symptom-none", "", { role: "status" });
  const changed = () => write(nodes.find((node) => node.open)?.dataset.symptom, input.value.trim());
  const filter = () => {
    const typed = input.value.trim();
    const ids = typed ? complaints.ids(typed) : symptoms.map(({ id }) => id);
    const place = (node: HTMLElement) => ids.indexOf(node.dataset.symptom ?? "");
    for (const node of nodes) {
      node.hidden = place(node) < 0;
      if (node.hidden) node.open = false;
    }
    list.append(...nodes.toSorted((one, other) => place(one) - place(other)));
    none.textContent = ids.length ? "" : words.none;
  };
  input.addEventListener("input", () => {
    filter();
    changed();
  });
  const found = nodes.find((node) => node.dataset.symptom === chosen);
  const find = inAddress("find") ?? "";
  if (!found || complaints.ids(find).includes(chosen)) input.value = find;
  filter();
  const unknown = chosen && !found ? el("p", "tm-symptom-unknown", say(words.unknown, { symptom: chosen })) : "";
  root.append(el("h1", "", words.title), el("p", "tm-symptom-about", words.about), unknown, input, none, list);
  fill(host, root);
  if (found) {
    found.open = true;
    found.scrollIntoView({ block: "nearest" });
    found.querySelector("summary")?.focus({ preventScroll: true });
  }
}

/** Streamlit calls this at each run of the page. */
export default function mount({ data, parentElement }: Mounting<SymptomsData>) {
  const view = VIEWS.get(parentElement) ?? { host: el("div", "tm-host"), shown: "" };
  VIEWS.set(parentElement, view);
  if (!view.host.isConnected) parentElement.append(view.host);
  const shown = JSON.stringify(data);
  if (view.shown !== shown) show(view.host, data);
  view.shown = shown;
  return () => VIEWS.delete(parentElement);
}

// The search for complaints: their phrases first, then what their answers say, in whatever words Flink has for it.

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
