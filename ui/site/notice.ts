// A notice in place of a page that cannot be shown: why, and where to go instead.
import { coded } from "../player/base/coded.ts";
import { el, fill } from "../player/base/dom.ts";

export function siteNotice(text: string, ways: [text: string, href: string][]) {
  const node = el("section", "tm-site-notice", null, { "data-ready": "true" });
  const row = el("p", "tm-site-ways");
  row.append(...ways.map(([name, href]) => el("a", "", name, { href })));
  node.append(fill(el("p", "tm-site-says"), coded(text)), row);
  return node;
}
