// Terms of the glossary in a text: which words of it can be asked about, and the elements that show them.
import { el } from "./dom.ts";
import type { GlossaryPiece } from "../types/player.ts";

/** What a term or a mark means; `name` is null for a mark, whose words stand beside it. */
export class Glossary {
  words: { terms: { [id: string]: { [name: string]: string } }; marks: { [kind: string]: string } };
  /** the term of a name, in lower case */
  termOf: Map<string, string> = new Map();
  pattern: RegExp;

  constructor(words: { terms: { [id: string]: { [name: string]: string } }; marks: { [kind: string]: string } }) {
    this.words = words;
    for (const [id, { names }] of Object.entries(words.terms)) {
      for (const name of names.split("|")) this.termOf.set(name.toLowerCase(), id);
    }
    // The longest name first, so that "allowed lateness" is one term. Chinese has no spaces between words.
    const names = [...this.termOf.keys()].sort((a, b) => b.length - a.length);
    const written = names.map((name) => {
      const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
      return /^[\x20-\x7e]+$/.test(name) ? `(?<![\\w-])${escaped}(?![\\w-])` : escaped;
    });
    this.pattern = new RegExp(written.join("|"), "giu");
  }

  /**
   * The text in pieces; a term is a piece of its own, only where it comes first: in this text, and in those before it
   * that had the same `seen`.
   */
  pieces(text: string, seen: Set<string> = new Set()): GlossaryPiece[] {
    const found: GlossaryPiece[] = [];
    let from = 0;
    for (const match of text.matchAll(this.pattern)) {
      const term = this.termOf.get(match[0].toLowerCase());
      if (!term || seen.has(term)) continue;
      seen.add(term);
      if (match.index > from) found.push({ text: text.slice(from, match.index), term: null });
      found.push({ text: match[0], term });
      from = match.index + match[0].length;
    }
    if (from < text.length) found.push({ text: text.slice(from), term: null });
    return found;
  }

  /** Nodes for `text`, each term of it an element that can be hovered over and focused. */
  nodes(text: string, seen?: Set<string>) {
    return this.pieces(text, seen).map((piece) =>
      piece.term === null ? document.createTextNode(piece.text) : this.mark(el("span", "", piece.text), piece.term),
    );
  }

  /** Makes `node` show what `term` means. */
  mark<Node extends HTMLElement>(node: Node, term: string) {
    node.dataset.term = term;
    return askable(node);
  }

  /** Makes `node`, an entry of the legend, show what its mark means. */
  markKind<Node extends HTMLElement>(node: Node, kind: string) {
    if (!this.words.marks[kind]) return node;
    node.dataset.mark = kind;
    return askable(node);
  }

  /** The sentence for what `node` was marked with: {name, about}. */
  meaning(node: HTMLElement) {
    const { term, mark } = node.dataset;
    if (mark) return { name: null, about: this.words.marks[mark] };
    const found = this.words.terms[term ?? ""];
    return found ? { name: found.names.split("|")[0], about: found.about } : null;
  }
}

/** The name of a term above its sentence; the style begins it with a capital, unless it is one of code. */
export function termName(tag: "b" | "dt", name: string) {
  return el(tag, /[a-z][A-Z]|[(=]/.test(name) ? "tm-code-name" : "", name);
}

/**
 * Makes `node` a term that can be asked about; which of them is a stop of the Tab key is decided when it is pressed
 * (frame/glossary.ts).
 */
function askable<Node extends HTMLElement>(node: Node) {
  node.classList.add("tm-term");
  node.setAttribute("role", "button");
  node.tabIndex = -1;
  return node;
}
