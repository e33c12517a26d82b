// Has the browser keep the whole site, where it can: the next visit needs no network.
//
// A new version waits until the older one has no page left. Browsers count every page of the site, and one that was
// reloaded belongs to the new version already: whoever reads on in it would have the older one without a network. So
// each page holds a lock with its version in the name, and a page of the new version has it begin once all others are
// free, and have been for some seconds. A tab that is being reloaded has no page for a moment. Were the worker changed
// just then, the browser would ask the network for the files of the page that comes, and there may be none.

/** How the name of a page's lock begins, below the folder of the site: several sites may share an origin. */
const lockOf = (version: string) => `tidemark ${new URL(".", document.baseURI).pathname} ${version}`;

/** How long (ms) no page of another version must have been open: so long may one take to load. */
const RESPITE_MS = 5000;

function hold(version: string) {
  navigator.locks.request(lockOf(version), { mode: "shared" }, () => new Promise(() => {}));
}

/** The locks of pages of other versions. */
async function others(version: string) {
  const { held } = await navigator.locks.query();
  const names = new Set((held ?? []).map(({ name }) => name ?? ""));
  return [...names].filter((name) => name.startsWith(lockOf("")) && name !== lockOf(version));
}

/** Waits until no page of another version is open, nor has been for a while. */
async function othersGone(version: string) {
  do {
    for (const name of await others(version)) await navigator.locks.request(name, () => {});
    await new Promise((done) => setTimeout(done, RESPITE_MS));
  } while ((await others(version)).length > 0);
}

/** Calls `act` with a version that waits, now or later. */
function whenWaiting(registration: ServiceWorkerRegistration, act: (waiting: ServiceWorker) => void) {
  if (registration.waiting) act(registration.waiting);
  const follow = (coming: ServiceWorker | null) =>
    coming?.addEventListener("statechange", () => {
      if (coming.state === "installed" && registration.active) act(coming);
    });
  follow(registration.installing);
  registration.addEventListener("updatefound", () => follow(registration.installing));
}

/** @param version of this page */
export async function keepSite(version: string) {
  try {
    hold(version);
    const registration = await navigator.serviceWorker.register(new URL("keep.js", document.baseURI));
    whenWaiting(registration, async (waiting) => {
      await othersGone(version);
      // Not where a still newer version waits: it has pages of its own.
      waiting.postMessage({ begin: version });
    });
    const { active } = await navigator.serviceWorker.ready;
    active?.postMessage("all");
  } catch {
    // An insecure address, a private window, no room: then every visit needs the network.
  }
}
