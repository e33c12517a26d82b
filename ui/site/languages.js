// Which language a reader of a site wants: what the link asks for, else their choice, else what the browser prefers.
/** @import { Manifest, Reading, ScenarioFiles, SiteLanguage } from "./types.d.ts" */

/**
 * As `suited` of simulator/words/tags.py: the one of `languages` for a reader of `wanted`.
 * @param {string} wanted
 * @param {string[]} languages
 * @returns {string | null}
 */
function suitedLanguage(wanted, languages) {
  const parts = wanted.toLowerCase().split("-");
  for (let length = parts.length; length > 0; length -= 1) {
    const known = parts.slice(0, length).join("-");
    const found = languages.find((each) => each.toLowerCase() === known);
    if (found) return found;
  }
  return languages.find((each) => each.toLowerCase().split("-")[0] === parts[0]) ?? null;
}

/**
 * As `preferred` of ui/tags.py. Texts are read in any language that somebody has asked for; the interface speaks the
 * nearest of its own.
 * @param {Manifest} manifest
 * @param {{ search: string, cookie: string, browser: string }} reader
 * @returns {Reading}
 */
export function readingOf({ languages, link, cookie: name, tags }, { search, cookie, browser }) {
  const own = languages.map(({ language }) => language);
  const wellFormed = new RegExp(`^(?:${tags.pattern})$`);
  const asked = [new URLSearchParams(search).get(link), cookieIn(cookie, name)];
  const wanted = asked.find((each) => each && each.length <= tags.longest && wellFormed.test(each)) ?? browser;
  const language = suitedLanguage(wanted, own) ?? own[0];
  return { language, texts: wanted === browser ? language : wanted };
}

/** @param {ScenarioFiles} files */
function languagesOf(files) {
  return Object.keys(files).filter((each) => each !== "steps");
}

/**
 * The languages of the switch, as `offered` of ui/language.py: the interface's, those of the scenario, the reader's.
 * @param {SiteLanguage[]} languages
 * @param {ScenarioFiles | undefined} files
 * @param {string} texts
 * @returns {{ languages: SiteLanguage[], current: string }}
 */
export function offeredLanguages(languages, files, texts) {
  const found = [...languages];
  for (const tag of [...languagesOf(files ?? { steps: 0 }), texts]) {
    const low = tag.toLowerCase();
    if (found.every((each) => each.language.toLowerCase() !== low)) found.push({ language: tag, name: "", tag });
  }
  const current = found.find((each) => each.language.toLowerCase() === texts.toLowerCase());
  return { languages: found, current: current?.language ?? texts };
}

/**
 * The file of a scenario for a reader.
 * @param {ScenarioFiles} files
 * @param {Reading} reading
 */
export function walkthroughFile(files, { language, texts }) {
  return files[suitedLanguage(texts, languagesOf(files)) ?? language];
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
