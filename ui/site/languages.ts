// Which language a reader of a site wants: what the link asks for, else their choice, else what the browser prefers.
import type { Manifest, Reading, ScenarioFiles, SiteLanguage } from "./types.ts";

/** As `suited` of simulator/words/tags.py: the one of `languages` for a reader of `wanted`. */
function suitedLanguage(wanted: string, languages: string[]): string | null {
  const parts = wanted.toLowerCase().split("-");
  for (let length = parts.length; length > 0; length -= 1) {
    const known = parts.slice(0, length).join("-");
    const found = languages.find((each) => each.toLowerCase() === known);
    if (found) return found;
  }
  return languages.find((each) => each.toLowerCase().split("-")[0] === parts[0]) ?? null;
}

/**
 * As `preferred` of ui/server/tags.py. Texts are read in any language that somebody has asked for; the interface
 * speaks the nearest of its own.
 */
export function readingOf(
  { languages, link, cookie: name, tags }: Manifest,
  { search, cookie, browser }: { search: string; cookie: string; browser: string },
): Reading {
  const own = languages.map(({ language }) => language);
  const wellFormed = new RegExp(`^(?:${tags.pattern})$`);
  const asked = [new URLSearchParams(search).get(link), cookieIn(cookie, name)];
  const wanted = asked.find((each) => each && each.length <= tags.longest && wellFormed.test(each)) ?? browser;
  const language = suitedLanguage(wanted, own) ?? own[0];
  return { language, texts: wanted === browser ? language : wanted };
}

function languagesOf(files: ScenarioFiles) {
  return Object.keys(files).filter((each) => each !== "steps");
}

/**
 * The languages of the switch, as `offered` of ui/pages/language.py: those of the interface, the scenario, the reader.
 */
export function offeredLanguages(
  languages: SiteLanguage[],
  files: ScenarioFiles | undefined,
  texts: string,
): { languages: SiteLanguage[]; current: string } {
  const found = [...languages];
  for (const tag of [...languagesOf(files ?? { steps: 0 }), texts]) {
    const low = tag.toLowerCase();
    if (found.every((each) => each.language.toLowerCase() !== low)) found.push({ language: tag, name: "", tag });
  }
  const current = found.find((each) => each.language.toLowerCase() === texts.toLowerCase());
  return { languages: found, current: current?.language ?? texts };
}

/** The file of a scenario for a reader. */
export function walkthroughFile(files: ScenarioFiles, { language, texts }: Reading) {
  return files[suitedLanguage(texts, languagesOf(files)) ?? language];
}

/** The value of a cookie; null where there is none. */
export function cookieIn(cookies: string, name: string) {
  const found = cookies.split("; ").find((each) => each.startsWith(`${name}=`));
  return found ? found.slice(name.length + 1) : null;
}
