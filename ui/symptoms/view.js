// The page Symptoms: complaints to open, each with what is going on, where to look, runs that show it, and what helps.
import { dataNodes, el, fill } from "../player/base/dom.js";
import { say } from "../player/base/format.js";
import { icon } from "../player/base/icons.js";
import { Matcher } from "../player/base/matching.js";
/** @import { Mounting } from "../player/types/player.d.ts" */
/** @import { SymptomsWords } from "../player/types/words.d.ts" */
/** @import { Followed, Symptom, SymptomLink, SymptomsData } from "./types.d.ts" */

/** @typedef {(place: Followed) => void} Follow */

/** A complaint answers what was typed from here on. */
const ENOUGH = 0.5;
/** @type {WeakMap<HTMLElement, { host: HTMLElement, shown: string }>} */
const VIEWS = new WeakMap();

/**
 * A link that stays in this tab.
 * @param {SymptomLink} link
 * @param {string} text
 * @param {Symptom} symptom
 * @param {Follow} follow
 */
function linkNode({ name, href }, text, symptom, follow) {
  const node = el("a", "tm-symptom-link", text, { href, "data-link": name });
  node.prepend(icon(name === "compare" ? "screen" : name === "other" ? "check" : "play"));
  node.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    follow({ symptom: symptom.id, link: name });
  });
  return node;
}

/**
 * The lines of configuration that repair it.
 * @param {Symptom} symptom
 * @param {SymptomsWords} words
 */
function codeNodes({ code }, words) {
  const list = el("dl", "tm-symptom-code");
  for (const name of /** @type {const} */ (["java", "sql", "spark"])) {
    const line = code[name];
    if (!line) continue;
    const place = el("dd", "");
    place.append(el("code", "", line));
    list.append(el("dt", "", words.code[name]), place);
  }
  return list;
}

/**
 * One complaint, closed; its title is a button of the browser's own.
 * @param {Symptom} symptom
 * @param {SymptomsWords} words
 * @param {Follow} follow
 */
function symptomNode(symptom, words, follow) {
  const node = el("details", "tm-symptom", null, { id: `symptom-${symptom.id}`, "data-symptom": symptom.id });
  const title = el("summary", "");
  title.append(el("h2", "", symptom.complaint), icon("chevron"));
  const checks = el("ol", "tm-symptom-checks");
  checks.append(...symptom.checks.map((check) => el("li", "", check)));
  const texts = { scenario: words.shows, other: words.repaired, compare: words.compare };
  const links = el("p", "tm-symptom-links");
  links.append(
    ...symptom.links.map((link) =>
      linkNode(link, texts[/** @type {keyof typeof texts} */ (link.name)], symptom, follow),
    ),
  );
  const body = el("div", "tm-symptom-body");
  const first = el("div");
  first.append(el("h3", "", words.because), el("p", "", symptom.because), el("h3", "", words.checks), checks, links);
  const second = el("div");
  second.append(el("h3", "", words.repair), el("p", "", symptom.repair), codeNodes(symptom, words));
  if (symptom.more.length) {
    const more = el("p", "tm-symptom-more", `${words.more}: `);
    symptom.more.forEach((link, at) => {
      if (at) more.append(" · ");
      const other = linkNode(link, link.title, symptom, follow);
      other.className = "";
      other.firstElementChild?.remove();
      more.append(other);
    });
    first.append(more);
  }
  body.append(first, second);
  node.append(title, body);
  node.addEventListener("toggle", () => {
    if (!node.open) return;
    for (const other of dataNodes(node.parentElement ?? node, "details[open]")) {
      if (other !== node) other.removeAttribute("open");
    }
    const address = new URL(window.location.href);
    address.searchParams.set("symptom", symptom.id);
    window.history.replaceState(window.history.state, "", address);
  });
  return node;
}

/**
 * @param {HTMLElement} host
 * @param {SymptomsData} data
 * @param {Follow} follow
 */
function show(host, { words, symptoms, chosen }, follow) {
  const root = el("main", "tidemark-symptoms", null, { "data-ready": "true" });
  const list = el("div", "tm-symptom-list");
  const nodes = symptoms.map((symptom) => symptomNode(symptom, words, follow));
  list.append(...nodes);
  const input = el("input", "tm-symptom-search", null, {
    type: "search",
    placeholder: words.find,
    "aria-label": words.find,
  });
  const matcher = new Matcher(symptoms.flatMap(({ says }) => says));
  const none = el("p", "tm-symptom-none", "", { role: "status" });
  input.addEventListener("input", () => {
    const typed = input.value.trim();
    const scores = symptoms.map(({ says }) => Math.max(...says.map((phrase) => matcher.score(typed, phrase))));
    nodes.forEach((node, at) => (node.hidden = Boolean(typed) && scores[at] < ENOUGH));
    none.textContent = nodes.every((node) => node.hidden) ? words.none : "";
  });
  const found = nodes.find((node) => node.dataset.symptom === chosen);
  const unknown = chosen && !found ? el("p", "tm-symptom-unknown", say(words.unknown, { symptom: chosen })) : "";
  root.append(el("h1", "", words.title), el("p", "tm-symptom-about", words.about), unknown, input, none, list);
  fill(host, root);
  if (found) {
    found.open = true;
    found.scrollIntoView({ block: "nearest" });
    found.querySelector("summary")?.focus({ preventScroll: true });
  }
}

/**
 * Streamlit calls this at each run of the page.
 * @param {Mounting<SymptomsData>} mounting
 */
export default function mount({ data, parentElement, setTriggerValue }) {
  const view = VIEWS.get(parentElement) ?? { host: el("div", "tm-host"), shown: "" };
  VIEWS.set(parentElement, view);
  if (!view.host.isConnected) parentElement.append(view.host);
  const shown = JSON.stringify(data);
  if (view.shown !== shown) show(view.host, data, (place) => setTriggerValue("open", place));
  view.shown = shown;
  return () => VIEWS.delete(parentElement);
}
