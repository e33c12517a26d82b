// The note that says what this browser has lost of what Tidemark keeps in it, or that it keeps nothing more. Every page
// has it, by way of the switch between languages.
import { el, fill } from "./player/base/dom.js";
import { say } from "./player/base/format.js";
import { KEPT_LOST } from "./player/base/kept.js";
/** @import { AppWords } from "./player/types/words.d.ts" */

/** How the names begin under which Tidemark keeps something. */
const OURS = "tidemark.";

/** @typedef {{ words: AppWords["storage"], comma: string }} LossTexts */

/** @type {LossTexts | null} */
let lossTexts = null;
/** @type {HTMLElement | null} */
let lossNode = null;
/** How many losses the reader has seen and put away. */
let lossesSeen = 0;

/**
 * Says what is lost, now and from now on.
 * @param {LossTexts} texts
 */
export function tellLosses(texts) {
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

/**
 * @param {readonly string[]} lost as `globalThis.tidemarkLost`
 * @param {LossTexts} texts
 */
export function lossSentences(lost, { words, comma }) {
  /** @type {{ [thing: string]: string }} */
  const { settings, ...things } = words.things;
  const called = lost
    .filter((each) => each.startsWith(OURS))
    .map((each) => things[each.slice(OURS.length).split(".")[0]] ?? settings);
  const room = lost.includes("forbidden") ? [words.forbidden] : lost.includes("full") ? [words.full] : [];
  return called.length ? [...room, say(words.damaged, { what: [...new Set(called)].join(comma) })] : room;
}
