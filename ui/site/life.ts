// A worker that ends without a word: browsers end workers when memory is short, and no event says so.
//
// So the worker holds a lock for as long as it lives, and the page waits for the same lock. Browsers have locks on
// pages served over https or by this machine; elsewhere nobody watches, and the reader presses Stop.

/**
 * The worker's side: holds the lock until the worker ends.
 * @param held called once the worker has it
 */
export function live(name: string, held: () => void) {
  navigator.locks?.request(name, () => {
    held();
    return new Promise(() => {});
  });
}

/**
 * The page's side, once the worker holds the lock: calls `died` when it is free.
 * @returns ends the watch
 */
export function whenItDies(name: string, died: () => void): () => void {
  const watch = new AbortController();
  navigator.locks.request(name, { signal: watch.signal }, died).catch((error) => {
    if (!watch.signal.aborted) throw error;
  });
  return () => watch.abort();
}
