// Prints what the search of the library finds: reads {cards, phrases, symptoms, queries} from stdin, writes the names
// and the symptoms.
import { readFileSync } from "node:fs";
import { Finding } from "../../ui/library/filters.ts";

const { cards, phrases, symptoms, queries } = JSON.parse(readFileSync(0, "utf8"));
const textOf = (card) => [card.title, card.summary, ...card.teaches, card.name].join(" ");
const finding = new Finding(cards, phrases, symptoms, textOf);
const answers = queries.map((/** @type {string} */ query) => [finding.names(query), finding.symptoms(query)]);
process.stdout.write(JSON.stringify(answers));
