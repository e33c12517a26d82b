// The page of one's own stream: the browser shows the number of the visit, and lets go of a page with an upload.

let held = false;

/**
 * Streamlit calls this at each run of the page.
 *
 * A page that holds a lock is not kept for the way back, so its connection ends when the visitor goes elsewhere.
 */
export default function mount({ data }: { data: { cookie: string; visit: string; leaving: boolean } }) {
  document.cookie = `${data.cookie}=${data.visit}; path=/; SameSite=Strict`;
  if (held || !data.leaving || !("locks" in navigator)) return;
  held = true;
  navigator.locks.request("tidemark-upload", { mode: "shared" }, () => new Promise(() => {}));
}
