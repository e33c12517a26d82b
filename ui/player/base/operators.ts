// Several operators in a row, each a box: above the picture of one of them, and below a query that they compute.
import { el, fill } from "./dom.ts";

interface Operator {
  name: string;
  kind: string;
  /** what feeds it */
  sources: string[];
}

/**
 * The place of an operator in the list: `box` with its name, what it does, and `lines`.
 * @param previous the operator before it, which feeds it as a rule
 */
export function operatorItem(
  box: HTMLElement,
  { name, kind, sources }: Operator,
  previous: string | undefined,
  ...lines: HTMLElement[]
) {
  box.classList.add("tm-chain-operator");
  const fed = previous !== undefined && sources.includes(previous);
  const from = fed && sources.length === 1 ? "" : ` ← ${sources.join(" + ")}`;
  const head = fill(el("span", "tm-chain-name"), el("b", "", name), " ", el("span", "tm-chain-kind", `${kind}${from}`));
  return fill(el("li", fed ? "tm-chain-fed" : ""), fill(box, head, ...lines));
}
