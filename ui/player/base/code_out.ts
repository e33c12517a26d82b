// The scenario as a program for each engine, and what differs between the engines: the server writes both
// (ui/share/answers.py), for the dialog Export and for the Author page.
import { coded, el, fill, save, tableRow, pushButton } from "./dom.ts";
import { say } from "./format.ts";
import { TabRow } from "./tab_row.ts";
import type { EngineProgram, EngineTarget, Programs } from "../types/share.ts";
import type { PlayerWords } from "#types/words";

/** A longer program is shown without colours: each is a node. */
const MOST_COLOURED = 60000;

/** How long (ms) a button says that something is copied. */
const COPIED_MS = 2000;

export class CodeOut {
  words: PlayerWords["code_out"];
  compare: (batch: number) => Node | null;
  node = el("div", "tm-code-out");
  panel = el("div", "tm-code-out-panel");
  /** the engine that the reader chose last */
  engine: EngineTarget | null = null;

  /** @param compare makes the link to the comparison with Spark */
  constructor(words: PlayerWords["code_out"], compare: (batch: number) => Node | null) {
    this.words = words;
    this.compare = compare;
  }

  /** Says that the programs are on their way. */
  wait() {
    fill(this.node, el("p", "tm-share-note", this.words.writing, { role: "status" }));
  }

  fail(problem: string) {
    fill(this.node, el("p", "tm-share-note tm-wrong", problem, { role: "alert" }));
  }

  show({ programs, differing, not_compared: obstacle, batch }: Programs) {
    const { words } = this;
    const open = (name: string) => {
      const chosen = programs.find((each) => each.to === name) ?? programs[0];
      this.engine = chosen.to;
      this.showProgram(chosen);
    };
    const engines: [name: string, title: string][] = programs.map(({ to }) => [to, words[to]]);
    const tabs = new TabRow(words.engines, engines, this.panel, open);
    programs.forEach(({ reason }, index) => {
      if (!reason) return;
      tabs.tabs[index].classList.add("tm-without");
      tabs.tabs[index].title = words.refused;
    });
    const first = programs.find(({ to }) => to === this.engine) ?? programs.find(({ text }) => text) ?? programs[0];
    tabs.mark(first.to);
    this.showProgram(first);
    const table = differing.length
      ? this.table(differing)
      : el("p", "tm-share-note", say(words.none, { reason: obstacle }));
    const link = differing.length ? this.compare(batch) : null;
    fill(
      this.node,
      programs.some(({ text }) => text) ? el("p", "tm-share-note", words.about) : null,
      tabs.node,
      this.panel,
      el("h3", "", words.differing),
      table,
      link,
    );
  }

  showProgram({ file, text, reason }: EngineProgram) {
    const { words } = this;
    if (reason) {
      const refused = fill(el("p", "tm-code-out-refused"), el("b", "", words.refused), fill(el("span"), coded(reason)));
      fill(this.panel, refused);
      return;
    }
    const listing = el("pre", "tm-code-out-text", null, {
      tabindex: "0",
      role: "region",
      "aria-label": say(words.program, { file }),
    });
    if (text.length > MOST_COLOURED) listing.textContent = text;
    else {
      for (const [kind, piece] of syntaxOf(text, file.split(".").at(-1) ?? "")) {
        listing.append(kind ? el("span", `tm-syntax-${kind}`, piece) : piece);
      }
    }
    const copy = pushButton("tm-button", words.copy, () => this.copy(text, copy, listing));
    const download = pushButton("tm-button", words.download, () =>
      save(new Blob([text], { type: "text/plain" }), file),
    );
    const bar = fill(el("div", "tm-code-out-bar"), el("span", "tm-mono", file), copy, download);
    fill(this.panel, bar, listing);
  }

  async copy(text: string, button: HTMLButtonElement, listing: HTMLElement) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      globalThis.getSelection()?.selectAllChildren(listing);
      document.execCommand("copy");
    }
    button.textContent = this.words.copied;
    setTimeout(() => {
      button.textContent = this.words.copy;
    }, COPIED_MS);
  }

  table(aspects: Programs["differing"]) {
    const { words } = this;
    const engines = Object.keys(aspects[0].cells) as EngineTarget[];
    const head = fill(el("thead"), tableRow(["", ...engines.map((each) => words.columns[each])], { header: true }));
    const body = el("tbody");
    for (const { title, cells } of aspects) {
      const row = fill(el("tr"), el("th", "", title, { scope: "row" }));
      for (const each of engines) {
        row.append(fill(el("td", "", null, { "data-engine": words.columns[each] }), coded(cells[each] ?? "")));
      }
      body.append(row);
    }
    return fill(el("table", "tm-code-out-table"), head, body);
  }
}

// A program cut into pieces, so that comments, texts and the language's own words can have colours.

const WORDS_OF_JAVA = [
  "abstract boolean break byte case catch char class continue default do double else extends final finally float for",
  "if implements import instanceof int interface long new null private protected public return short static super",
  "switch this throw throws transient true false try void while",
];
const WORDS_OF_PYTHON = [
  "and as assert break class continue def del elif else except False finally for from if import in is lambda None not",
  "or pass raise return True try while with yield",
];

const IN_DOUBLE = /"(?:\\.|[^"\\\n])*"/.source;
const IN_SINGLE = /'(?:\\.|[^'\\\n])*'/.source;

/** groups: comment, text, word */
const SYNTAX: { [ending: string]: RegExp } = {
  java: grammar(/\/\/[^\n]*|\/\*[^]*?\*\//.source, `${IN_DOUBLE}|${IN_SINGLE}`, WORDS_OF_JAVA),
  py: grammar(/#[^\n]*/.source, `"""[^]*?"""|'''[^]*?'''|${IN_DOUBLE}|${IN_SINGLE}`, WORDS_OF_PYTHON),
};

const KINDS_OF_PIECES = ["comment", "text", "word"] as const;

function grammar(comment: string, text: string, known: string[]) {
  return new RegExp(`(${comment})|(${text})|\\b(${known.join(" ").replaceAll(" ", "|")})\\b`, "g");
}

/**
 * The pieces of a program; joined they are its text.
 * @param ending of its file
 */
export function syntaxOf(text: string, ending: string): [kind: "" | "comment" | "text" | "word", text: string][] {
  const pieces: [kind: "" | "comment" | "text" | "word", text: string][] = [];
  let at = 0;
  for (const match of text.matchAll(SYNTAX[ending] ?? /$^/g)) {
    if (match.index > at) pieces.push(["", text.slice(at, match.index)]);
    const kind = KINDS_OF_PIECES[match.slice(1).findIndex((group) => group !== undefined)];
    pieces.push([kind, match[0]]);
    at = match.index + match[0].length;
  }
  if (at < text.length) pieces.push(["", text.slice(at)]);
  return pieces;
}
