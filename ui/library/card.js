// One scenario as a card: its plane in small, its name, how long it takes, what is proved, how far the reader came.
import { el, svg } from "../player/base/dom.js";
import { say } from "../player/base/format.js";
import { icon } from "../player/base/icons.js";

const WIDE = 212;
const HIGH = 104;

/** What this browser remembers of the scenarios: by name {step, last, finished, when}. */
export function remembered() {
  try {
    const seen = JSON.parse(window.localStorage.getItem("tidemark.seen") ?? "{}");
    return seen && typeof seen === "object" ? seen : {};
  } catch {
    return {};
  }
}

/** How far the reader came: "" (not begun), "begun" or "finished". */
export function progress(seen) {
  if (seen?.finished) return "finished";
  return seen && seen.step > 0 ? "begun" : "";
}

/** The plane of a scenario in small; everything in it is numbers. */
function picture({ bands, steps, bars, results, records }) {
  const root = svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "tm-picture", "aria-hidden": "true", preserveAspectRatio: "none" });
  const x = (value) => (value * (WIDE - 16) + 8).toFixed(1);
  const y = (value) => (value * (HIGH - 14) + 7).toFixed(1);
  for (const [from, to] of bands) root.append(svg("rect", { x: x(from), y: 0, width: Math.max(x(to) - x(from), 0), height: HIGH, class: "tm-pic-band" }));
  for (const [from, to, top] of bars) root.append(svg("path", { d: `M${x(from)} ${y(top)}H${x(to)}`, class: "tm-pic-bar" }));
  const line = steps.map(([from, to, top, bottom]) => `M${x(from)} ${y(top)}L${x(to)} ${y(bottom)}`).join("");
  root.append(svg("path", { d: line, class: "tm-pic-watermark" }));
  for (const [left, top, fate] of records) root.append(dot(Number(x(left)), Number(y(top)), fate));
  for (const [left, top, solid] of results.slice(0, 24)) {
    root.append(svg("rect", { x: Number(x(left)) + 1, y: y(top) - 4, width: 8, height: 8, class: solid ? "tm-pic-fired" : "tm-pic-update" }));
  }
  return root;
}

function dot(left, top, fate) {
  if (fate === "late-accepted") return svg("path", { d: `M${left} ${top - 5}l5 9h-10z`, class: "tm-pic-late" });
  if (fate === "on-time" || fate === "arrived") return svg("circle", { cx: left, cy: top, r: 4, class: "tm-pic-on-time" });
  return svg("path", { d: `M${left - 4} ${top - 4}l8 8m0-8l-8 8`, class: "tm-pic-dropped" });
}

/** The name of an engine with a tick where it gave the same rows, or a cross; the walkthrough's badge says more. */
function proof({ name, good, tick }) {
  const node = el("span", "tm-proof", null, { role: "img", "aria-label": tick, title: tick, "data-good": String(good) });
  node.append(icon(good ? "check" : "cross"), name);
  return node;
}

/** In words and as a circle: empty, a part of it, or full with a tick. */
function state(seen, words) {
  const how = progress(seen);
  const node = el("span", "tm-progress");
  const circle = el("span", "tm-circle", null, { "data-progress": how || "none", "aria-hidden": "true" });
  if (how === "finished") circle.append(icon("check"));
  if (how === "begun") circle.style.setProperty("--tm-part", `${Math.round((100 * seen.step) / Math.max(seen.last, 1))}%`);
  if (how) node.append(how === "finished" ? words.finished : say(words.step_of, { step: seen.step, last: seen.last }));
  else node.append(el("span", "tm-hidden", words.shelf.not_finished));
  node.append(circle);
  return node;
}

/** The card, a link to the walkthrough. `when` stands in its foot; `open` takes {scenario, step}. */
export function cardNode(card, { words, seen, when, open }) {
  const node = el("a", "tm-scenario", null, { href: `/?${new URLSearchParams({ scenario: card.name })}`, "data-scenario": card.name });
  const about = `about-${card.name}`;
  const text = el("div", "tm-scenario-text");
  const tags = [card.number, words.levels[card.level]?.toLowerCase()].filter(Boolean).join(" · ");
  text.append(el("h4", "", card.title), el("p", "tm-scenario-tags", tags));
  const more = el("div", "tm-scenario-more", null, { id: about });
  more.append(el("p", "tm-scenario-summary", card.summary), el("p", "tm-scenario-teaches", card.teaches.map((tag) => tag.replaceAll("-", " ")).join(" · ")));
  const foot = el("div", "tm-scenario-foot");
  const left = el("span", "tm-proofs");
  if (when || card.minutes) {
    const minutes = el("span", "tm-minutes", when || say(words.minutes, { minutes: card.minutes }));
    minutes.prepend(icon("clock"));
    left.append(minutes);
  }
  left.append(...card.proofs.map(proof));
  foot.append(left, state(seen, words));
  text.append(more, foot);
  node.setAttribute("aria-describedby", about);
  node.append(card.picture ? picture(card.picture) : el("div", "tm-picture"), text);
  node.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open({ scenario: card.name, step: progress(seen) === "begun" ? seen.step : 0 });
  });
  return node;
}
