// Messages that name members, values and commands: these stand between backticks in a text, and as code on the screen.
import { el } from "./dom.js";

const BETWEEN_BACKTICKS = /`([^`\n]+)`/;

/**
 * The text as nodes for `fill` and `append`; never as markup.
 * @param {string} text
 * @returns {(string | HTMLElement)[]}
 */
export function coded(text) {
  return text
    .split(BETWEEN_BACKTICKS)
    .map((piece, index) => (index % 2 ? el("code", "tm-coded", piece) : piece))
    .filter((piece) => piece !== "");
}
