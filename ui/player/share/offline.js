// One HTML file that holds the whole walkthrough: made from what lies in the page already; the server adds its fonts.
import { ask, kit } from "./desk.js";
import { base64 } from "./save.js";

/** The fonts as rules that hold them, so that the file looks the same where they are not installed; "" unanswered. */
async function fonts() {
  try {
    const { body } = await ask("fonts");
    ask("taken").catch(() => null);
    return new TextDecoder().decode(body);
  } catch {
    return ""; // then the reader's own fonts do
  }
}

/**
 * The file, opening at `step`; null where this page does not hold what it needs.
 * @param {Uint8Array} facts
 * @param {{ title: string, step: number }} page
 */
export async function offlinePage(facts, { title, step }) {
  const parts = kit();
  if (!parts) return null;
  const unpacked = new Blob([parts.packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const shell = await new Response(unpacked).text();
  const filled = {
    fonts: await fonts(),
    facts: base64(facts),
    vega: base64(parts.vega),
    step: String(step),
    title: title.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`),
  };
  return new Blob([shell.replace(/@@(facts|vega|fonts|step|title)@@/g, (whole, name) => filled[name])], {
    type: "text/html",
  });
}
