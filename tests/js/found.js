// Prints what the search of the library finds: reads {cards, phrases, queries} from stdin, writes names and symptoms.
import { readFileSync } from "node:fs";
import { Finding } from "../../ui/library/finding.js";

const { cards, phrases, queries } = JSON.parse(readFileSync(0, "utf8"));
const finding = new Finding(cards, phrases, (card) => [card.title, card.summary, ...card.teaches, card.name].join(" "));
const answers = queries.map((/** @type {string} */ query) => [finding.names(query), finding.symptoms(query)]);
process.stdout.write(JSON.stringify(answers));
