// Carries questions of the player (ui/player/share/desk.js) to the server, one after another, and answers back.
import { readAnswer } from "../player/base/unpack.js";
/** @import { Mounting } from "../player/types/player.d.ts" */
/** @import { Desk } from "../player/types/share.d.ts" */

/**
 * Streamlit calls this at each run of the page.
 * @param {Mounting<Uint8Array<ArrayBuffer> | null>} mounting
 */
export default function mount({ data, setTriggerValue }) {
  /** @type {Desk} */
  const desk = (globalThis.tidemarkDesk ??= { waiting: new Map(), number: Date.now() });
  desk.send = () => {
    if (desk.asked && desk.waiting.has(desk.asked)) return;
    const next = desk.waiting.values().next().value;
    desk.asked = next?.question.number ?? null;
    if (next) setTriggerValue("ask", next.question);
  };
  if (data?.length) {
    const answer = readAnswer(data);
    const asked = desk.waiting.get(answer.said.number);
    if (asked) {
      desk.waiting.delete(answer.said.number);
      asked.done(answer);
    }
  }
  desk.send();
}
