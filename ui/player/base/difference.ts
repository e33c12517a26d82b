// The smallest stream on which two runs differ (ui/share/difference.py), for the pages Compare and Author.
import { coded, el, fill } from "./dom.ts";

/** What was found. Without a difference there is only `tried`, and without a common stream only the `problem`. */
export interface Difference {
  problem?: string;
  lead?: string;
  /** a line for each item */
  stream?: string[];
  /** The settings that differ, or the rules of both engines. */
  causes?: string[];
  /** What each side makes of the first row that only one of them has, and why. */
  rules?: string[];
  /** What was tried, and what that leaves open. */
  tried?: string[];
  /** What opens it in Compare; null where it is too long for a link. */
  address?: { [name: string]: string } | null;
}

/** @param labels what both sides are called */
export function differenceNodes({ problem, lead, stream, causes, rules, tried }: Difference, labels: string[]) {
  if (problem) return [el("p", "tm-wrong", problem, { role: "alert" })];
  const nodes: HTMLElement[] = [];
  if (lead) nodes.push(el("p", "tm-stream-lead", lead));
  if (stream) nodes.push(el("pre", "tm-stream-items", stream.join("\n")));
  for (const cause of causes ?? []) {
    const line = el("p", "");
    line.append(...coded(cause));
    nodes.push(line);
  }
  for (const [side, rule] of (rules ?? []).entries()) {
    const line = fill(el("p", ""), el("b", "", `${labels[side]} `), ...coded(rule));
    nodes.push(line);
  }
  nodes.push(...(tried ?? []).map((each) => el("p", "tm-quiet", each)));
  return nodes;
}
