// What all cards at the right have in common: a head line, a note, a body.
import { el } from "../base/dom.ts";

/** Rows that a card shows at most. */
export const MOST_ROWS = 100;

/** A card with a head line; returns {card, head, note, body}. */
export function card(name: string, title: string) {
  const node = el("section", `tm-card tm-${name}`);
  const head = el("div", "tm-card-head");
  const heading = el("h2", "", title);
  const note = el("span", "tm-card-note");
  head.append(heading, note);
  const body = el("div", "tm-card-body");
  node.append(head, body);
  return { card: node, head, note, body };
}
