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
