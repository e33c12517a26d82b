// Mounts the player on a page, and another one when other facts come.
//
// Theory of operation. Python sends one scenario as packed facts; from then on the browser asks it for nothing. A fact
// is true from one step (inclusive) to another (exclusive), so to show step n, every part filters its tables by n.
// There is no undo and no state between steps: going back is the same filter with a smaller number.
//
// Set-up (player.ts): first what everything reads (words, times, facts, the sentences, the code walk), then the
// picture, then what stands around it, in the order of the fields. A part may use those set up before it, never those
// after. The question of a prediction, the answer of a beat and the future in present mode must not be seen too early,
// so they are asked first.
//
// Drawing a step (`Player.paint`): present mode settles first, since its sentences take room from the picture, which is
// then measured again. The step may be moved back while a question is open: nothing may show its answer. The plane
// takes the part of the run that the step is in, because the lanes and the join draw on its scale. It is drawn first:
// the notes of a Why card take the room that it leaves. Then every part shows the step, in the page's order, and
// `tidemark:painted` tells that all are done.
import { el } from "./base/dom.ts";
import { sameBytes, unpack } from "./base/facts.ts";
import { NotesWindow, notesInAddress } from "./lecture/notes.ts";
import { Player } from "./player.ts";
import type { Mounting, OpenedPlace, Payload } from "./types/player.ts";

type Mounted = { host: HTMLElement; bytes: Uint8Array | null; player: Player | null; turn: number };

const MOUNTED: WeakMap<HTMLElement, Mounted> = new WeakMap();

/** Another scenario is read from its beginning, however far down the last one was left. */
function toTop(parentElement: HTMLElement) {
  for (const scroller of [parentElement.closest('[data-testid="stMain"]'), document.scrollingElement]) {
    scroller?.scrollTo({ top: 0, behavior: "instant" });
  }
}

/** The second window of a presentation that lies on the disk; its words are those of the file. */
function mountNotes(data: Uint8Array<ArrayBuffer>, parentElement: HTMLElement) {
  unpack(data).then((payload) => new NotesWindow(parentElement, notesInAddress() ?? "", payload.words));
}

/** The player that the page itself has opened (opening.ts), if it shows these facts; else it goes. */
function opened(
  data: Uint8Array<ArrayBuffer>,
  parentElement: HTMLElement,
  setTriggerValue: Mounting<Uint8Array>["setTriggerValue"],
): Mounted | null {
  const opening = globalThis.tidemarkOpening;
  if (!opening) return null;
  if (!sameBytes(opening.bytes, data)) {
    opening.close();
    return null;
  }
  const taken = opening.take(parentElement, (place) => setTriggerValue("open", place));
  return taken && { ...taken, bytes: data, turn: 0 };
}

/** Streamlit calls this at each run of the page; only other facts mount another player. */
export default function mount({
  data,
  parentElement,
  setTriggerValue,
  alone,
}: Mounting<Uint8Array<ArrayBuffer>> & { alone?: number }) {
  if (alone !== undefined && notesInAddress() !== null) {
    mountNotes(data, parentElement);
    return undefined;
  }
  const here = MOUNTED.get(parentElement) ??
    opened(data, parentElement, setTriggerValue) ?? { host: el("div", "tm-host"), bytes: null, player: null, turn: 0 };
  MOUNTED.set(parentElement, here);
  if (!here.host.isConnected) parentElement.append(here.host);
  const open = (place: OpenedPlace) => setTriggerValue("open", place);
  const put: Player["swap"] = (payload, packed, tryOut, item) => {
    here.player?.close();
    here.player = new Player(here.host, payload, open, { packed, alone, tryOut });
    here.player.swap = put;
    if (item !== undefined) here.player.startAt(item);
    here.player.start();
  };
  if (here.player) here.player.swap = put;
  if (data && !sameBytes(here.bytes, data)) {
    here.bytes = data;
    here.turn += 1;
    const { turn } = here;
    // What is shown already: a try-out came before the page that its address opens.
    if (!sameBytes(here.player?.packed ?? null, data)) {
      unpack(data).then((payload: Payload) => {
        if (turn !== here.turn) return;
        // The same scenario in other words: it goes on where it is.
        if (here.player?.payload.name === payload.name) here.player.remember();
        else if (here.player) toTop(parentElement);
        put(payload, data, null);
      });
    }
  }
  return () => {
    here.turn += 1;
    here.player?.close();
    MOUNTED.delete(parentElement);
  };
}
