// The browser's side of Export and of a poll: requests to the server, sent only when the reader presses a button.
import type { Fields } from "../types/player.ts";
import type { Answer, Desk, SaidTo } from "../types/share.ts";

/** What the component of ui/share/desk.py and the player share. A page without a server has no such component. */
function office(): Desk {
  return (globalThis.tidemarkDesk ??= { waiting: new Map(), number: Date.now() });
}

/** How long (ms) to wait for an answer. */
const PATIENCE = 60000;

/**
 * Asks the server.
 * @param patience how long (ms) to wait; while Python is being started in the browser, longer
 * @returns rejected with "unanswered" where no answer comes in time
 */
export function ask<Kind extends keyof SaidTo & string>(
  kind: Kind,
  fields: Fields = {},
  patience: number = PATIENCE,
): Promise<Answer<SaidTo[Kind]>> {
  const desk = office();
  const number = (desk.number += 1);
  const question = { ...fields, kind, number };
  return new Promise((done, failed) => {
    let timer: ReturnType<typeof setTimeout>;
    const waitOn = () => {
      timer = setTimeout(() => {
        if (desk.starting?.()) {
          waitOn();
          return;
        }
        desk.waiting.delete(number);
        failed(new Error("unanswered"));
      }, patience);
    };
    waitOn();
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

/** The forms of data that cannot be asked for: see ui/share/answers.py. */
export function unwritten() {
  return office().unwritten ?? [];
}

/**
 * The frame of the offline page, packed. Streamlit brings it a moment after the player, so a reader who is quick waits.
 * @param patience how long (ms) to wait
 * @returns rejected with "unanswered" where it does not come in time
 */
export function kit(patience: number = PATIENCE): Promise<Uint8Array<ArrayBuffer>> {
  const desk = office();
  return new Promise((done, failed) => {
    const timer = setTimeout(() => failed(new Error("unanswered")), patience);
    const before = desk.kitCame;
    desk.kitCame = () => {
      before?.();
      if (!desk.kit) return;
      clearTimeout(timer);
      done(desk.kit);
    };
    desk.kitCame();
  });
}
