// Carries questions of the player (ui/player/share/desk.js) to the server, one after another, and answers back.
/** @import { Mounting } from "../player/types/player.d.ts" */
/** @import { Answer, Desk } from "../player/types/share.d.ts" */

/**
 * Unpacks what `_packed` of ui/share/desk.py packs: four bytes for the length of what is said, that as JSON, and then
 * the bytes of a file, which may be empty.
 * @param {Uint8Array<ArrayBuffer>} data
 * @returns {Answer<{ number: number }>}
 */
function answerIn(data) {
  const length = new DataView(data.buffer, data.byteOffset).getUint32(0);
  const said = JSON.parse(new TextDecoder().decode(data.subarray(4, 4 + length)));
  return { said, body: data.slice(4 + length) };
}

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
    const answer = answerIn(data);
    const asked = desk.waiting.get(answer.said.number);
    if (asked) {
      desk.waiting.delete(answer.said.number);
      asked.done(answer);
    }
  }
  desk.send();
}
