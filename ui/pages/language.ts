// The switch between languages in the header. It keeps the choice for the next visit and declares the page's language.
import { changeAddress, inAddress } from "../player/base/address.ts";
import { nameControls, type ControlNames } from "./names.ts";
import { el, fill, pushButton } from "../player/base/dom.ts";
import { say } from "../player/base/format.ts";
import { KEPT_LOST } from "../player/base/kept.ts";
import type { Mounting } from "../player/types/player.ts";
import type { AppWords } from "#types/words";

/** What `language_switch` of ui/pages/language.py sends; `keep` says whether the reader or a link has chosen. */
interface Switch {
  languages: Language[];
  current: string;
  label: string;
  /** what Streamlit's own parts are called */
  controls: ControlNames;
  keep: boolean;
  cookie: string;
  /** the parameter of an address that names a language */
  link: string;
  /** how the note says what the browser has not kept */
  losses: LossTexts;
}

/** A language: its code here, its name in its own words ("": as the browser knows it), and its tag in HTML. */
type Language = { language: string; name: string; tag: string };

const YEAR = 365 * 24 * 3600;

function keep(name: string, language: string) {
  try {
    document.cookie = `${name}=${language}; path=/; max-age=${YEAR}; SameSite=Lax`;
  } catch {
    // Cookies may be forbidden; then the choice holds for this visit.
  }
}

/** A link that names a language would overrule the choice at the next run, so it names the chosen one. */
function intoAddress(name: string, language: string) {
  if (inAddress(name) !== null) changeAddress((query) => query.set(name, language));
}

function option({ language, name, tag }: Language, current: string, choose: (language: string) => void) {
  const button = document.createElement("button");
  const own = name || (new Intl.DisplayNames([tag], { type: "language" }).of(tag) ?? tag);
  Object.assign(button, { type: "button", textContent: own, lang: tag });
  button.dataset.language = language;
  button.setAttribute("aria-pressed", String(language === current));
  if (language === current) button.tabIndex = -1; // chosen already: Tab stops at the others
  button.addEventListener("click", () => choose(language));
  return button;
}

/** Streamlit calls this at each run of the page. */
export default function mount({ data, parentElement, setTriggerValue }: Mounting<Switch | null>) {
  if (!data) return;
  const current = data.languages.find((each) => each.language === data.current);
  if (current) document.documentElement.lang = current.tag;
  nameControls(data.controls);
  tellLosses(data.losses);
  if (data.keep) keep(data.cookie, data.current);
  const choose = (language: string) => {
    keep(data.cookie, language);
    intoAddress(data.link, language);
    setTriggerValue("chosen", language);
  };
  const before: HTMLElement | null = parentElement.querySelector(".tm-languages");
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
  const pressed: HTMLElement | null = group.querySelector("[aria-pressed=true]");
  if (focused) pressed?.focus();
}

// The note that says what this browser has lost of what Tidemark keeps in it, or that it keeps nothing more. Every page
// has it, by way of the switch between languages.

/** How the names begin under which Tidemark keeps something. */
const OURS = "tidemark.";

export type LossTexts = { words: AppWords["storage"]; comma: string };

let lossTexts: LossTexts | null = null;
let lossNode: HTMLElement | null = null;
/** How many losses the reader has seen and put away. */
let lossesSeen = 0;

/** Says what is lost, now and from now on. */
function tellLosses(texts: LossTexts) {
  if (!lossTexts) window.addEventListener(KEPT_LOST, showLosses);
  lossTexts = texts;
  showLosses();
}

function showLosses() {
  const lost = globalThis.tidemarkLost ?? [];
  if (!lossTexts || lost.length <= lossesSeen) {
    lossNode?.remove();
    return;
  }
  const node = (lossNode ??= el("div", "tm-loss", null, { role: "status" }));
  const close = pushButton("tm-loss-close", lossTexts.words.close, () => {
    lossesSeen = lost.length;
    node.remove();
  });
  fill(node, el("p", "", lossSentences(lost, lossTexts).join(" ")), close);
  if (!node.isConnected) document.body.append(node);
}

/** @param lost as `globalThis.tidemarkLost` */
export function lossSentences(lost: readonly string[], { words, comma }: LossTexts) {
  const { settings, ...things }: { [thing: string]: string } = words.things;
  const called = lost
    .filter((each) => each.startsWith(OURS))
    .map((each) => things[each.slice(OURS.length).split(".")[0]] ?? settings);
  const room = lost.includes("forbidden") ? [words.forbidden] : lost.includes("full") ? [words.full] : [];
  return called.length ? [...room, say(words.damaged, { what: [...new Set(called)].join(comma) })] : room;
}
