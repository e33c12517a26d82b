// The names of languages.

/**
 * The name of a language in the language of the page; the tag itself where the browser has no name for it.
 * @param {string} tag
 */
export function languageName(tag) {
  try {
    return new Intl.DisplayNames([document.documentElement.lang || "en"], { type: "language" }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}
