// Which language a page of a site speaks: what the link asks for, else the reader's choice, else the browser's.
/** @import { Manifest } from "./types.d.ts" */

/**
 * The language of the site that is nearest to a tag: "zh" for "zh-CN"; null where there is none.
 * @param {Manifest["languages"]} languages
 * @param {string | null | undefined} tag
 */
function nearestLanguage(languages, tag) {
  const first = (tag ?? "").trim().toLowerCase().split("-")[0];
  return languages.find(({ language }) => language === first)?.language ?? null;
}

/**
 * As `preferred` of ui/tags.py.
 * @param {Manifest} manifest
 * @param {{ search: string, cookie: string, browser: string }} reader
 */
export function languageFor({ languages, link, cookie: name }, { search, cookie, browser }) {
  return (
    nearestLanguage(languages, new URLSearchParams(search).get(link)) ??
    nearestLanguage(languages, cookieIn(cookie, name)) ??
    nearestLanguage(languages, browser) ??
    languages[0].language
  );
}

/**
 * The value of a cookie; null where there is none.
 * @param {string} cookies
 * @param {string} name
 */
export function cookieIn(cookies, name) {
  const found = cookies.split("; ").find((each) => each.startsWith(`${name}=`));
  return found ? found.slice(name.length + 1) : null;
}
