// Carries questions of the player (ui/player/share/desk.js) to the server, one after another, and answers back.
/** @import { Mounting } from "../player/types/player.d.ts" */

/**
 * What this component and the player share: the questions that wait, by number, and how they are sent.
 * @typedef {object} Desk
 * @property {Map<number, Waiting>} waiting
 * @property {number} number the last question's
 * @property {number | null} [asked] the number of the question that is with the server
 * @property {() => void} [send]
 */

/**
 * @typedef {object} Waiting
 * @property {{ kind: string, number: number }} question
 * @property {(answer: Answer) => void} done
 */

/**
 * What `_packed` of ui/share/desk.py packs: the answer in words and numbers, and the bytes of a file.
 * @typedef {{ said: { number: number, [name: string]: any }, body: Uint8Array<ArrayBuffer> }} Answer
 */

/**
 * An answer: four bytes for the length of what is said, that as JSON, and then the bytes of a file, maybe none.
 * @param {Uint8Array<ArrayBuffer>} data
 * @returns {Answer}
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
  const page = /** @type {{ tidemarkDesk?: Desk }} */ (globalThis);
  /** @type {Desk} */
  const desk = (page.tidemarkDesk ??= { waiting: new Map(), number: Date.now() });
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
