// Mounts the Author page, and hands it what the server sends.
import { el } from "../player/base/dom.ts";
import { sameBytes, unpack } from "../player/base/facts.ts";
import { Author } from "./author.ts";
import { openedBy } from "./buttons.ts";
import { draftInAddress } from "./opening.ts";
import type { Leaving } from "../player/types/page.ts";
import type { Mounting } from "../player/types/player.ts";
import type { First, Question, Reply } from "./types.ts";

interface Mounted {
  host: HTMLElement;
  /** the last message */
  bytes: Uint8Array | null;
  author: Author | null;
  /** the messages so far, in order */
  turn: Promise<void>;
  closed: boolean;
  onLeaving: ((event: Event) => void) | null;
  onPop: (() => void) | null;
}

const AUTHORS: WeakMap<HTMLElement, Mounted> = new WeakMap();

function begun(): Mounted {
  return {
    host: el("div", "tm-host"),
    bytes: null,
    author: null,
    turn: Promise.resolve(),
    closed: false,
    onLeaving: null,
    onPop: null,
  };
}

/** Whether a page that begins anew is the one that is there: the server was lost and is back, in the same language. */
function goesOn(author: Author, message: First) {
  const same = JSON.stringify(author.base.words) === JSON.stringify(message.words);
  return same && author.history !== null && author.history.id === draftInAddress();
}

/** Streamlit calls this at each run of the page: with the first message, then with each reply. */
export default function mount({
  data,
  parentElement,
  setTriggerValue,
}: Mounting<Uint8Array<ArrayBuffer> | null, { ask: Question }>) {
  let here = AUTHORS.get(parentElement);
  if (!here) {
    const made = begun();
    here = made;
    AUTHORS.set(parentElement, here);
    made.onLeaving = (event) => {
      const { detail } = event as CustomEvent<Leaving>;
      if (made.author) detail.waits.push(openedBy(made.author));
    };
    window.addEventListener("tidemark:leaving", made.onLeaving);
    const page = window.location.pathname;
    made.onPop = () => {
      if (window.location.pathname !== page) made.author?.wire.close();
    };
    window.addEventListener("popstate", made.onPop);
  }
  const mounted = here;
  if (!mounted.host.isConnected) parentElement.append(mounted.host);
  if (data && !sameBytes(mounted.bytes, data)) {
    mounted.bytes = data;
    mounted.turn = mounted.turn
      .then(() => unpack(data))
      .then((message: First | Reply) => {
        if (mounted.closed) return;
        if (message.kind === "first") {
          const { author } = mounted;
          if (author && goesOn(author, message)) {
            author.resume();
            return;
          }
          const before = author?.history?.id === draftInAddress() ? author?.history : null;
          author?.close();
          const next = new Author(mounted.host, message, (question) => setTriggerValue("ask", question));
          mounted.author = next;
          next.start(before).then(() => next.closed || next.saving.begin()); // a draft is looked for among all tabs
        } else {
          mounted.author?.wire.hear(message);
        }
      });
  }
  return () => {
    mounted.closed = true;
    mounted.author?.close();
    if (mounted.onLeaving) window.removeEventListener("tidemark:leaving", mounted.onLeaving);
    if (mounted.onPop) window.removeEventListener("popstate", mounted.onPop);
    AUTHORS.delete(parentElement);
  };
}
