// One HTML file that holds the whole walkthrough: made from what lies in the page already, without a server.
import { kit } from "./desk.js";
import { base64 } from "./save.js";

/** The file, opening at `step`; null where this page does not hold what it needs. */
export async function offlinePage(facts, { title, step }) {
  const parts = kit();
  if (!parts) return null;
  const unpacked = new Blob([parts.packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const shell = await new Response(unpacked).text();
  const filled = { facts: base64(facts), vega: base64(parts.vega), step: String(step), title: title.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`) };
  return new Blob([shell.replace(/@@(facts|vega|step|title)@@/g, (whole, name) => filled[name])], { type: "text/html" });
}
