// Mounts the Author page, and hands it what the server sends.
import { el } from "../player/base/dom.js";
import { Author } from "./author.js";
import { unpacked } from "./wire.js";

const AUTHORS = new WeakMap();

/** Streamlit calls this at each run of the page: with the first words, then with each reply. */
export default function mount({ data, parentElement, setTriggerValue }) {
  let here = AUTHORS.get(parentElement);
  if (!here) {
    AUTHORS.set(
      parentElement,
      (here = { host: el("div", "tm-host"), bytes: null, author: null, turn: Promise.resolve() }),
    );
  }
  if (!here.host.isConnected) parentElement.append(here.host);
  const known =
    here.bytes && data && here.bytes.length === data.length && here.bytes.every((byte, index) => byte === data[index]);
  if (data && !known) {
    here.bytes = data;
    here.turn = here.turn
      .then(() => unpacked(data))
      .then((told) => {
        if (here.closed) return;
        if (told.kind === "first") {
          const before = here.author?.history;
          here.author?.close();
          here.author = new Author(here.host, told, (question) => setTriggerValue("ask", question));
          here.author.start(before);
        } else {
          here.author?.wire.take(told);
        }
      });
  }
  return () => {
    here.closed = true;
    here.author?.close();
    AUTHORS.delete(parentElement);
  };
}
