// Messages that name members, values and commands: these stand between backticks in a text, and as code on the screen.
import { el } from "./dom.ts";

const BETWEEN_BACKTICKS = /`([^`\n]+)`/;

/** The text as nodes for `fill` and `append`; never as markup. */
export function coded(text: string): (string | HTMLElement)[] {
  return text
    .split(BETWEEN_BACKTICKS)
    .map((piece, index) => (index % 2 ? el("code", "tm-coded", piece) : piece))
    .filter((piece) => piece !== "");
}
