// The query language: parses text into a tree. It knows no facts; finder.ts gives the names their meaning.
//
//   either  = all { "or" all }          all = one { "and" one }          one = "not" one | "(" either ")" | test
//   test    = column operator value | word | "text" | window             operator = "=" "!=" "<" "<=" ">" ">=" "~"
import type { Parse, Token } from "../types/find.ts";
import type { Fields, Query, Span, Term, WindowTerm } from "../types/player.ts";

const TOKENS: [kind: string, pattern: RegExp][] = [
  ["space", /\s+/y],
  ["window", /\[\s*([^\s,[\]()]+)\s*,\s*([^\s,[\]()]+)\s*[)\]]/y],
  ["open", /\(/y],
  ["close", /\)/y],
  ["text", /"([^"]*)"|'([^']*)'|“([^”]*)”/y],
  ["operator", /==|!=|<=|>=|=|<|>|~|≤|≥|≠/y],
  ["joint", /&&|\|\||!/y],
  ["word", /[^\s()[\]"'“”=<>!~≤≥≠&|]+/y],
];
const SAME: { [written: string]: string | undefined } = {
  "==": "=",
  "≤": "<=",
  "≥": ">=",
  "≠": "!=",
  "&&": "and",
  "||": "or",
  "!": "not",
};
const JOINTS = new Set(["and", "or", "not"]);

/**
 * Why a text is not a query: `name` is the sentence (player.find in the catalogue), `fields` fills it, and the fault
 * reaches from `at` (inclusive) to `to` (exclusive).
 */
export class QueryProblem extends Error {
  at: number;
  to: number;
  fields: Fields;

  constructor(name: string, { at, to }: Span, fields: Fields = {}) {
    super(name);
    this.name = name;
    this.at = at;
    this.to = to;
    this.fields = fields;
  }
}

function tokensOf(text: string) {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const found = tokenAt(text, at);
    if (!found) {
      const rest = { at, to: text.length };
      if (text[at] === "[" || text[at] === "]") throw new QueryProblem("not_a_window", rest);
      if (/["'“”]/.test(text[at])) throw new QueryProblem("needs_quote", rest);
      throw new QueryProblem("unknown_word", { at, to: at + 1 }, { word: text[at] });
    }
    at = found.to;
    if (found.kind === "space") continue;
    const plain = found.raw.toLowerCase();
    const joint = found.kind === "joint" || (found.kind === "word" && JOINTS.has(plain));
    tokens.push(joint ? { ...found, kind: SAME[plain] ?? plain } : found);
  }
  return tokens;
}

function tokenAt(text: string, at: number): Token | null {
  for (const [kind, pattern] of TOKENS) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) {
      const [raw] = match;
      return { kind, match, at, to: at + raw.length, raw, value: SAME[raw] ?? raw };
    }
  }
  return null;
}

/**
 * Parses `text` into a tree.
 * @throws {QueryProblem} where it is not a query
 */
export function readQuery(text: string) {
  const tokens = tokensOf(text);
  const end: Omit<Token, "match"> & { match: null } = {
    kind: "end",
    match: null,
    raw: "",
    value: "",
    at: text.length,
    to: text.length,
  };
  let place = 0;
  const here = () => tokens[place] ?? end;
  const take = () => tokens[place++] ?? end;

  function joined(kind: "and" | "or", part: Parse): Query {
    const parts = [part()];
    while (here().kind === kind) {
      take();
      parts.push(part());
    }
    return parts.length === 1 ? parts[0] : { kind, parts };
  }

  function either() {
    return joined("or", () => joined("and", one));
  }

  function one(): Query {
    const token = take();
    if (token.kind === "not") return { kind: "not", part: one() };
    if (token.kind === "open") {
      const inner = either();
      if (here().kind !== "close") {
        if (here().kind === "end") throw new QueryProblem("needs_close", token);
        throw new QueryProblem("needs_joint", here(), { word: here().raw });
      }
      take();
      return inner;
    }
    if (token.match && (token.kind === "word" || token.kind === "text")) {
      if (here().kind !== "operator") return leaf(token);
      const operator = take();
      const value = take();
      if (!value.match || !["word", "text", "window"].includes(value.kind)) {
        throw new QueryProblem("needs_after", value.kind === "end" ? operator : value, { operator: operator.value });
      }
      return {
        kind: "compare",
        field: leaf(token),
        operator: { text: operator.value, at: operator.at, to: operator.to },
        value: leaf(value),
      };
    }
    if (token.match && token.kind === "window") return leaf(token);
    if (token.kind === "close") throw new QueryProblem("stray_close", token);
    throw new QueryProblem("needs_term", token);
  }

  const tree = either();
  if (here().kind === "close") throw new QueryProblem("stray_close", here());
  if (here().kind !== "end") throw new QueryProblem("needs_joint", here(), { word: here().raw });
  return tree;
}

/** @param token of kind `word`, `text` or `window` */
function leaf({ kind, match, at, to }: Token): Term | WindowTerm {
  if (kind === "window") return { kind, low: match[1], high: match[2], text: match[0], at, to };
  if (kind === "text") return { kind, text: match[1] ?? match[2] ?? match[3], at, to };
  return { kind: "word", text: match[0], at, to };
}

/** How many letters must change to make `a` into `b`. */
function distance(a: string, b: string) {
  let row = [...Array(b.length + 1).keys()];
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      next.push(Math.min(next[j - 1] + 1, row[j] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length];
}

/** Of `known` words the few that `word` was perhaps meant to be, the nearest first. */
export function similar(word: string, known: Iterable<string>) {
  const mine = word.toLowerCase();
  const scored = [...new Set(known)].map((each) => {
    const other = each.toLowerCase();
    const begins = mine.length > 1 && (other.startsWith(mine) || other.endsWith(mine));
    return { each, far: begins ? 1 : distance(mine, other) };
  });
  return scored
    .filter(({ each, far }) => far <= Math.max(1, Math.floor(Math.min(each.length, mine.length) / 3)))
    .sort((a, b) => a.far - b.far || (a.each < b.each ? -1 : 1))
    .slice(0, 3)
    .map(({ each }) => each);
}
