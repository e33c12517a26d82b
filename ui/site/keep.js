// The service worker: keeps the site in the browser, so that it opens without a network after the first visit.
//
// Files with a digest in their name are taken from what is kept; pages come from the network where there is one, so a
// new version is there at the next visit. A new version's worker begins once no page of the older one is open: until
// then those pages find every file that they name.
/** @import { KeptFiles } from "./types.d.ts" */

const KEPT = "tidemark-";

/** @type {KeptFiles} */
const kept = /** @type {any} */ (globalThis).tidemarkKept;
const keeper = /** @type {any} */ (globalThis);
const scope = new URL("./", keeper.location.href);

/** Only what belongs to this folder: several sites may share an origin. */
function nameOfKept() {
  return `${KEPT}${scope.pathname}`;
}

/** @param {string} path */
const inScope = (path) => new URL(path, scope).href;

/** @param {string[]} paths */
async function keepFiles(paths) {
  const cache = await caches.open(nameOfKept());
  for (const path of paths) {
    const address = inScope(path);
    // One after another: whoever reads meanwhile is served first.
    if (!(await cache.match(address))) await cache.add(new Request(address, { cache: "no-cache" }));
  }
}

/** Pages keep their names, so each version brings them anew. */
async function keepPages() {
  const cache = await caches.open(nameOfKept());
  await cache.addAll(kept.pages.map((path) => new Request(inScope(path), { cache: "no-cache" })));
}

async function forgetOld() {
  const cache = await caches.open(nameOfKept());
  const named = new Set([...kept.pages, ...kept.first, ...kept.later].map(inScope));
  for (const request of await cache.keys()) if (!named.has(request.url)) await cache.delete(request);
}

/** @param {Request} request */
async function pageFor(request) {
  try {
    return await fetch(request);
  } catch (error) {
    const { pathname, search } = new URL(request.url);
    const page = pathname.slice(scope.pathname.length).replace(/\/?(index\.html)?$/, "");
    const address = inScope(page ? `${page}/` : "./");
    const found = await (await caches.open(nameOfKept())).match(address);
    if (!found) throw error;
    // A page finds its files from the folder that it lies in, as a server sees to it.
    return pathname.endsWith("/") ? found : Response.redirect(address + search);
  }
}

/** @param {Request} request */
async function fileFor(request) {
  const cache = await caches.open(nameOfKept());
  const found = await cache.match(request);
  if (found) return found;
  const answer = await fetch(request);
  if (answer.ok) await cache.put(request, answer.clone());
  return answer;
}

keeper.addEventListener("install", (/** @type {any} */ event) => {
  event.waitUntil(keepPages().then(() => keepFiles(kept.first)));
});
keeper.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(forgetOld()));
keeper.addEventListener("message", (/** @type {any} */ event) => {
  if (event.data === "all") event.waitUntil(keepFiles(kept.later));
});
keeper.addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(scope.href)) return;
  if (request.mode === "navigate") event.respondWith(pageFor(request));
  else if (request.url.startsWith(inScope(kept.folder))) event.respondWith(fileFor(request));
});
