// Carries questions of the player (ui/player/share/desk.ts) to the server, one after another, and answers back.
import { readAnswer } from "../player/base/facts.ts";
import type { Mounting } from "../player/types/player.ts";
import type { Desk } from "../player/types/share.ts";

/** Streamlit calls this at each run of the page. */
export default function mount({ data, setTriggerValue }: Mounting<Uint8Array<ArrayBuffer> | null>) {
  const desk: Desk = (globalThis.tidemarkDesk ??= { waiting: new Map(), number: Date.now() });
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
