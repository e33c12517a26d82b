// A page that holds a lock is not kept for the way back, so its connection ends when the visitor goes elsewhere.

let held = false;

/** Streamlit calls this at each run of the page. */
export default function mount() {
  if (held || !("locks" in navigator)) return;
  held = true;
  navigator.locks.request("tidemark-upload", { mode: "shared" }, () => new Promise(() => {}));
}
