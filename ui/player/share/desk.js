// The server's side of Export: data as files, and animations. It is asked only when the reader presses a button.
/** @import { Fields } from "../types/player.d.ts" */

/** What the component of ui/share/desk.py and the player share; absent in a page without a server. */
function office() {
  return (globalThis.tidemarkDesk ??= { waiting: new Map(), number: Date.now() });
}

const PATIENCE = 60000;

/**
 * Asks the server for `kind` with more fields. Returns {said, body}: its answer, and the bytes of a file if any.
 * @param {string} kind
 * @param {Fields} [fields]
 */
export function ask(kind, fields = {}) {
  const desk = office();
  const number = (desk.number += 1);
  const question = { ...fields, kind, number };
  return new Promise((done, failed) => {
    const timer = setTimeout(() => {
      desk.waiting.delete(number);
      failed(new Error("unanswered"));
    }, PATIENCE);
    desk.waiting.set(number, {
      question,
      done: (answer) => {
        clearTimeout(timer);
        done(answer);
      },
    });
    desk.send?.();
  });
}

/** The frame of the offline page and Vega, as they lie ready in this page: {shell, vega}, or null where they do not. */
export function kit() {
  const { kit: packed } = office();
  const vega = globalThis.tidemarkVega?.packed;
  return packed && vega ? { packed, vega } : null;
}
