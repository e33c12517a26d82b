// The note that says what this browser has lost of what Tidemark keeps in it, or that it keeps nothing more. Every page
// has it, by way of the switch between languages.
import { el, fill } from "../player/base/dom.ts";
import { say } from "../player/base/format.ts";
import { KEPT_LOST } from "../player/base/kept.ts";
import type { AppWords } from "#types/words";

/** How the names begin under which Tidemark keeps something. */
const OURS = "tidemark.";

export type LossTexts = { words: AppWords["storage"]; comma: string };

let lossTexts: LossTexts | null = null;
let lossNode: HTMLElement | null = null;
/** How many losses the reader has seen and put away. */
let lossesSeen = 0;

/** Says what is lost, now and from now on. */
export function tellLosses(texts: LossTexts) {
  if (!lossTexts) window.addEventListener(KEPT_LOST, showLosses);
  lossTexts = texts;
  showLosses();
}

function showLosses() {
  const lost = globalThis.tidemarkLost ?? [];
  if (!lossTexts || lost.length <= lossesSeen) {
    lossNode?.remove();
    return;
  }
  const node = (lossNode ??= el("div", "tm-loss", null, { role: "status" }));
  const close = el("button", "tm-loss-close", lossTexts.words.close, { type: "button" });
  close.addEventListener("click", () => {
    lossesSeen = lost.length;
    node.remove();
  });
  fill(node, el("p", "", lossSentences(lost, lossTexts).join(" ")), close);
  if (!node.isConnected) document.body.append(node);
}

/** @param lost as `globalThis.tidemarkLost` */
export function lossSentences(lost: readonly string[], { words, comma }: LossTexts) {
  const { settings, ...things }: { [thing: string]: string } = words.things;
  const called = lost
    .filter((each) => each.startsWith(OURS))
    .map((each) => things[each.slice(OURS.length).split(".")[0]] ?? settings);
  const room = lost.includes("forbidden") ? [words.forbidden] : lost.includes("full") ? [words.full] : [];
  return called.length ? [...room, say(words.damaged, { what: [...new Set(called)].join(comma) })] : room;
}
