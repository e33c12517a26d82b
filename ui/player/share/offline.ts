// One HTML file that holds the whole walkthrough: made from what the page already holds; the server adds the fonts.
import { ask, kit } from "./desk.ts";
import { base64 } from "../base/save.ts";
import { unpackText } from "../base/unpack.ts";

/** The fonts as CSS rules, so that the file looks the same where they are not installed; "" without an answer. */
async function fonts() {
  try {
    const { body } = await ask("fonts");
    ask("taken").catch(() => null);
    return new TextDecoder().decode(body);
  } catch {
    return ""; // then the reader's own fonts must do
  }
}

/**
 * The file, opening at `step`; rejected with "unanswered" if this page lacks what it needs.
 * @param facts the packed payload
 */
export async function offlinePage(facts: Uint8Array, { title, step }: { title: string; step: number }) {
  const shell = await unpackText(await kit());
  const filled: { [name: string]: string } = {
    fonts: await fonts(),
    facts: base64(facts),
    frame: "",
    step: String(step),
    title: title.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`),
  };
  return new Blob([shell.replace(/@@(facts|fonts|frame|step|title)@@/g, (_, name) => filled[name])], {
    type: "text/html",
  });
}
