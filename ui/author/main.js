// Mounts the Author page, and hands it what the server sends.
import { el } from "../player/base/dom.js";
import { sameBytes, unpack } from "../player/base/unpack.js";
import { Author } from "./author.js";
import { openedBy } from "./handing.js";
import { draftInAddress } from "./opening.js";
/** @import { Leaving } from "../player/types/page.d.ts" */
/** @import { Mounting } from "../player/types/player.d.ts" */
/** @import { First, Question, Reply } from "./types.d.ts" */

/**
 * @typedef {object} Mounted
 * @property {HTMLElement} host
 * @property {Uint8Array | null} bytes the last message
 * @property {Author | null} author
 * @property {Promise<void>} turn the messages so far, in order
 * @property {boolean} closed
 * @property {((event: Event) => void) | null} onLeaving
 * @property {(() => void) | null} onPop
 */

/** @type {WeakMap<HTMLElement, Mounted>} */
const AUTHORS = new WeakMap();

/** @returns {Mounted} */
function begun() {
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

/**
 * Whether a page that begins anew is the one that is there: the server was lost and is back, in the same language.
 * @param {Author} author
 * @param {First} message
 */
function goesOn(author, message) {
  const same = JSON.stringify(author.base.words) === JSON.stringify(message.words);
  return same && author.history !== null && author.history.id === draftInAddress();
}

/**
 * Streamlit calls this at each run of the page: with the first message, then with each reply.
 * @param {Mounting<Uint8Array<ArrayBuffer> | null, { ask: Question }>} mounting
 */
export default function mount({ data, parentElement, setTriggerValue }) {
  let here = AUTHORS.get(parentElement);
  if (!here) {
    const made = begun();
    here = made;
    AUTHORS.set(parentElement, here);
    made.onLeaving = (event) => {
      const { detail } = /** @type {CustomEvent<Leaving>} */ (event);
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
      .then((/** @type {First | Reply} */ message) => {
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
          mounted.author?.wire.take(message);
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
