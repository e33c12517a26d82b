// The pages of the app by their paths, whatever folder the app lies in, and with or without a slash at the end.

/** The page of an address: "" for the walkthrough, else "library", "compare" and so on. */
export function pageOf(address: string) {
  const root = new URL(".", document.baseURI).pathname;
  const { pathname } = new URL(address, document.baseURI);
  const path = pathname.startsWith(root) ? pathname.slice(root.length) : pathname;
  return path.replace(/\/$/, "").split("/").pop() ?? "";
}

/** The page that the browser shows. */
export function pageHere() {
  return pageOf(window.location.href);
}
