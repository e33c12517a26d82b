// Prints what the search of the library finds: reads {cards, phrases, symptoms, glossary, queries} from stdin, writes
// the names, the symptoms and the terms.
import { readFileSync } from "node:fs";
import { Finding } from "../../ui/library/filters.ts";

const { cards, phrases, symptoms, glossary, queries } = JSON.parse(readFileSync(0, "utf8"));
const textOf = (card) => [card.title, card.summary, ...card.teaches, card.name].join(" ");
const finding = new Finding({ cards, phrases, symptoms, glossary }, textOf);
const answers = queries.map((/** @type {string} */ query) => [
  finding.names(query),
  finding.symptoms(query),
  finding.terms(query).map(({ names }) => names.split("|")[0]),
]);
process.stdout.write(JSON.stringify(answers));
