// The service worker: keeps the site in the browser, so that it opens without a network after the first visit.
//
// Files with a digest in their name are taken from what is kept; pages come from the network where there is one, so a
// new version is there at the next visit. Each version is kept by itself, and a new one whole before its worker begins:
// without a network a reader has one version or the other, never parts. It begins when no page of the site is open, or
// when one of its own pages says that no other version has a page (ui/site/kept.ts).
import type { KeptFiles } from "./types.ts";

const KEPT = "tidemark-";

const kept: KeptFiles = (globalThis as any).tidemarkKept;
const keeper = globalThis as any;
const scope = new URL("./", keeper.location.href);

/** How the names of what this folder keeps begin: several sites may share an origin. A path in a URL has no space. */
const OURS = `${KEPT}${scope.pathname} `;

const keptHere = () => caches.open(`${OURS}${kept.version}`);

/**
 * Where pages are taken from without a network. A worker that waits, or is just beginning, has the whole of a newer
 * version, which readers have seen already: a forgotten tab of this version must not bring this one back.
 */
async function keptForPages() {
  const { waiting, active } = keeper.registration;
  if (!waiting && active?.state !== "activating") return keptHere();
  const others = (await caches.keys()).filter((name) => name.startsWith(OURS) && name !== `${OURS}${kept.version}`);
  return others.length ? caches.open(others[others.length - 1]) : keptHere();
}

const inScope = (path: string) => new URL(path, scope).href;

async function keepFiles(paths: string[]) {
  const cache = await keptHere();
  for (const path of paths) {
    const address = inScope(path);
    // One after another: whoever reads meanwhile is served first.
    if (await cache.match(address)) continue;
    const older = await caches.match(address);
    if (older) await cache.put(address, older);
    else await cache.add(new Request(address, { cache: "no-cache" }));
  }
}

/** Pages keep their names, so each version brings them anew. */
async function keepPages() {
  const cache = await keptHere();
  await cache.addAll(kept.pages.map((path) => new Request(inScope(path), { cache: "no-cache" })));
}

async function install() {
  await keepPages();
  await keepFiles(kept.first);
  // A first visit is over sooner; an older version goes on serving until all of this one is here.
  if (keeper.registration.active) await keepFiles(kept.later);
}

async function forgetOld() {
  const ours = (await caches.keys()).filter((name) => name.startsWith(OURS));
  for (const name of ours) if (name !== `${OURS}${kept.version}`) await caches.delete(name);
}

async function begin() {
  await forgetOld();
  // The page of the first visit too finds what is kept, while it stays open and the server has a newer version.
  await keeper.clients.claim();
}

async function pageFor(request: Request) {
  try {
    // A page that the browser thinks fresh may be one of an older version.
    return await fetch(request, { cache: "no-cache" });
  } catch (error) {
    const { pathname, search } = new URL(request.url);
    const page = pathname.slice(scope.pathname.length).replace(/\/?(index\.html)?$/, "");
    const address = inScope(page ? `${page}/` : "./");
    const found = await (await keptForPages()).match(address);
    if (!found) throw error;
    // A page finds its files from the folder that it lies in, as a server sees to it.
    return pathname.endsWith("/") ? found : Response.redirect(address + search);
  }
}

async function fileFor(request: Request) {
  const found = await caches.match(request);
  if (found) return found;
  const answer = await fetch(request);
  if (answer.ok) await (await keptHere()).put(request, answer.clone());
  return answer;
}

keeper.addEventListener("install", (event: any) => event.waitUntil(install()));
keeper.addEventListener("activate", (event: any) => event.waitUntil(begin()));
keeper.addEventListener("message", (event: any) => {
  if (event.data === "all") event.waitUntil(keepFiles(kept.later));
  if (event.data?.begin === kept.made) keeper.skipWaiting();
});
keeper.addEventListener("fetch", (event: any) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(scope.href)) return;
  if (request.mode === "navigate") event.respondWith(pageFor(request));
  else if (request.url.startsWith(inScope(kept.folder))) event.respondWith(fileFor(request));
});
