// A notice in place of a page that cannot be shown: why, and where to go instead.
import { el } from "../player/base/dom.js";

/**
 * @param {string} text
 * @param {[text: string, href: string][]} ways
 */
export function siteNotice(text, ways) {
  const node = el("section", "tm-site-notice", null, { "data-ready": "true" });
  const row = el("p", "tm-site-ways");
  row.append(...ways.map(([name, href]) => el("a", "", name, { href })));
  node.append(el("p", "tm-site-says", text), row);
  return node;
}
