// The switch between languages in the header. It keeps the choice for the next visit and declares the page's language.
import { tellLosses } from "./losses.js";
import { nameControls } from "./names.js";
/** @import { ControlNames } from "./names.js" */
/** @import { LossTexts } from "./losses.js" */
/** @import { Mounting } from "./player/types/player.d.ts" */

/**
 * What `language_switch` of ui/language.py sends; `keep` says whether the reader or a link has chosen.
 * @typedef {object} Switch
 * @property {Language[]} languages
 * @property {string} current
 * @property {string} label
 * @property {ControlNames} controls what Streamlit's controls are called
 * @property {boolean} keep
 * @property {string} cookie
 * @property {string} link the parameter of an address that names a language
 * @property {LossTexts} losses how the note says what the browser has not kept
 */

/**
 * A language: its code here, its name in its own words ("": as the browser knows it), and its tag in HTML.
 * @typedef {{ language: string, name: string, tag: string }} Language
 */

const YEAR = 365 * 24 * 3600;

/**
 * @param {string} name
 * @param {string} language
 */
function keep(name, language) {
  try {
    document.cookie = `${name}=${language}; path=/; max-age=${YEAR}; SameSite=Lax`;
  } catch {
    // Cookies may be forbidden; then the choice holds for this visit.
  }
}

/**
 * A link that names a language would overrule the choice at the next run, so it names the chosen one.
 * @param {string} name
 * @param {string} language
 */
function intoAddress(name, language) {
  const url = new URL(window.location.href);
  if (!url.searchParams.has(name)) return;
  url.searchParams.set(name, language);
  window.history.replaceState(window.history.state, "", url);
}

/**
 * @param {Language} each
 * @param {string} current
 * @param {(language: string) => void} choose
 */
function option({ language, name, tag }, current, choose) {
  const button = document.createElement("button");
  const own = name || (new Intl.DisplayNames([tag], { type: "language" }).of(tag) ?? tag);
  Object.assign(button, { type: "button", textContent: own, lang: tag });
  button.dataset.language = language;
  button.setAttribute("aria-pressed", String(language === current));
  button.addEventListener("click", () => choose(language));
  return button;
}

/**
 * Streamlit calls this at each run of the page.
 * @param {Mounting<Switch | null>} mounting
 */
export default function mount({ data, parentElement, setTriggerValue }) {
  if (!data) return;
  const current = data.languages.find((each) => each.language === data.current);
  if (current) document.documentElement.lang = current.tag;
  // Streamlit's button has an icon alone: ui/theme/frame.css writes the word beside it.
  document.documentElement.style.setProperty("--tm-menu", JSON.stringify(data.controls.menu));
  nameControls(data.controls);
  tellLosses(data.losses);
  if (data.keep) keep(data.cookie, data.current);
  const choose = (/** @type {string} */ language) => {
    keep(data.cookie, language);
    intoAddress(data.link, language);
    setTriggerValue("chosen", language);
  };
  /** @type {HTMLElement | null} */
  const before = parentElement.querySelector(".tm-languages");
  const offered = [data.current, ...data.languages.map((each) => each.language)].join(" ");
  if (before?.dataset.offered === offered) return;
  const focused = before?.contains(document.activeElement);
  before?.remove();
  const group = document.createElement("div");
  group.className = "tm-languages";
  group.dataset.offered = offered;
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", data.label);
  group.append(...data.languages.map((each) => option(each, data.current, choose)));
  parentElement.append(group);
  /** @type {HTMLElement | null} */
  const pressed = group.querySelector("[aria-pressed=true]");
  if (focused) pressed?.focus();
}
