// The rows above the plane: title with the choice of scenario, the configuration as a sentence, the legend.
import { copyAllowed, linkTo, openPage, opensHere, ownInAddress } from "../base/address.ts";
import { el, fill, icon, mark, tableRow, pushButton } from "../base/dom.ts";
import { Pop } from "./glossary.ts";
import { say } from "../base/format.ts";
import type { OpenedPlace } from "../types/player.ts";
import type { Player } from "../player.ts";
import type { Badge, BadgeDifference, Number as Changeable } from "#types/payload";

/** Title (a choice of scenarios lies over it), what the scenario holds, and the link to this step. */
export function titleRow(player: Player, open: (place: OpenedPlace) => void) {
  const { payload, words } = player;
  const own = ownInAddress();
  const chooser = el("label", "tm-chooser");
  const select = el("select", "tm-chooser-select", null, { "aria-label": words.choose_scenario });
  const groups = new Map();
  for (const entry of payload.library) {
    let group = select;
    if (entry.lesson) {
      if (!groups.has(entry.lesson)) {
        groups.set(entry.lesson, el("optgroup", "", null, { label: entry.lesson }));
        select.append(groups.get(entry.lesson));
      }
      group = groups.get(entry.lesson);
    }
    group.append(el("option", "", entry.title, { value: entry.name }));
  }
  // The reader's own scenario is none of the library, even where one is called like it.
  if (own) select.prepend(el("option", "", payload.title, { value: "" }));
  select.value = own ? "" : payload.name;
  select.addEventListener("change", () => {
    player.transport.stop();
    open(select.value);
  });
  chooser.append(el("h1", "", payload.title), ...(player.alone ? [] : [icon("chevron"), select]));
  const from = own?.[0] === "s" ? words.share.from_link : words.share.from_file;
  const origin = own && el("span", "tm-origin", player.tryouts.now ? words.tryout.title : from);
  return fill(
    el("header", "tm-title-row"),
    chooser,
    origin ?? "",
    el("span", "tm-about", payload.about),
    badgesOf(player) ?? "",
    el("span", "tm-spring"),
    player.alone || !copyAllowed() ? "" : editLink(player),
    player.compareWith.node,
    player.alone ? "" : copyButton(player),
    exportButton(player),
    player.predictor.button,
    player.present.button,
  );
}

/** To the Author page, with a copy of what is shown here. */
function editLink(player: Player) {
  const link = el("a", "tm-button tm-plain tm-edit-copy", null, {
    href: linkTo("author", [ownInAddress() ?? ["scenario", player.payload.name]]),
    title: player.words.ways.copy,
  });
  link.append(icon("pencil"), el("span", "tm-label", player.words.ways.copy));
  return opensHere(link, () => {
    player.transport.stop();
    player.remember();
    openPage(link.href);
  });
}

/** Copies the link to this step; where there is none, or nothing may be copied, the dialog says what to do. */
function copyButton(player: Player) {
  const { words } = player;
  const button = el("button", "tm-button tm-plain tm-copy-link", null, { type: "button", title: words.copy_link });
  const label = el("span", "tm-label", words.copy_link);
  button.append(icon("link"), label);
  button.addEventListener("click", async () => {
    if (ownInAddress()?.[0] === "own") {
      player.share.open();
      return;
    }
    try {
      await navigator.clipboard.writeText(player.link());
      label.textContent = words.copied;
      setTimeout(() => {
        label.textContent = words.copy_link;
      }, 2500);
    } catch {
      player.share.open();
    }
  });
  return button;
}

function exportButton(player: Player) {
  const button = pushButton("tm-button tm-plain tm-export", null, () => player.share.open(), {
    title: player.words.share.open,
    "aria-haspopup": "dialog",
    "aria-keyshortcuts": "E",
  });
  button.append(icon("download"), el("span", "tm-label", player.words.share.open));
  return button;
}

/** The configuration in one sentence, its values in bold, its numbers to be changed. */
export function sentence(player: Player) {
  return fill(el("p", "tm-sentence"), ...sentenceParts(player));
}

/** What each mark means; only marks that the scenario has, in the `view` that is shown: `plane` or `join`. */
export function legend(player: Player, view = "plane") {
  const { payload } = player;
  return fill(el("ul", "tm-legend"), ...(payload.legend[view] ?? []).map((kind) => legendItem(player, kind)));
}

/** @param kind a mark */
export function legendItem({ glossary, words }: Player, kind: string) {
  const item = el("li", "", null, { "data-kind": kind });
  item.append(mark(kind), glossary.markKind(el("span", "", words.marks[kind]), kind));
  return item;
}

// Badges beside the title: which engines gave the same rows for exactly this scenario. Python decides what they say.

/** The badges of the scenario, each a button that opens what was compared; null where nothing is proved. */
function badgesOf(player: Player) {
  const { badges = [] } = player.payload;
  if (!badges.length) return null;
  return fill(el("div", "tm-badges"), ...badges.map((badge) => badgeNode(badge, player)));
}

function badgeNode(badge: Badge, player: Player) {
  const button = el("button", "tm-badge", null, {
    type: "button",
    "aria-label": badge.spoken,
    "data-badge": badge.engine,
    "data-good": String(badge.good),
  });
  const face = el("span", "tm-badge-face");
  face.append(
    badge.good ? icon("check") : mark("dropped"),
    el("span", "tm-badge-long", badge.label),
    el("span", "tm-badge-short", badge.short),
  );
  button.append(face);
  const pop = new Pop("tm-badge-pop", badge.head, { loose: true });
  pop.node.append(...contentsOf(badge), ...(player.alone ? [] : linkOf(badge)), closing(pop, player.words.close));
  pop.first = () => pop.node.querySelector(".tm-badge-close");
  return fill(el("div", "tm-badge-place"), pop.openedBy(button), pop.node);
}

function contentsOf(badge: Badge) {
  const facts = el("dl", "tm-badge-facts");
  for (const [name, value] of badge.facts) facts.append(el("dt", "", name), el("dd", "", value));
  return [
    el("h2", "", badge.head),
    el("p", "", badge.says),
    facts,
    ...(badge.difference ? differenceOf(badge.difference) : []),
  ];
}

/** The first two rows that are not the same, member by member. */
function differenceOf({ title, columns, rows }: BadgeDifference) {
  const head = fill(el("thead"), tableRow(columns, { header: true }));
  const body = el("tbody");
  body.append(...rows.map(({ cells, differs }) => tableRow(cells, { className: differs ? "tm-hl" : "" })));
  const table = fill(el("table", "tm-table", null, { "data-table": "difference" }), head, body);
  return [el("h3", "", title), table];
}

/** Where the check can be run again; in a file that was taken away (`player.alone`) there is no such page. */
function linkOf({ link }: Badge) {
  if (!link) return [];
  return [el("a", "tm-badge-link", link.text, { href: linkTo("spark", { scenario: link.scenario }) })];
}

function closing(pop: Pop, text: string) {
  const button = pushButton("tm-button tm-badge-close", text, () => pop.close());
  button.append(el("kbd", "", "Esc"));
  return button;
}

// The numbers in the sentence: a press makes one a field, Enter tries it out.

/** The sentence as nodes, its values in bold; where a server can run it again, its numbers are buttons. */
function sentenceParts(player: Player) {
  const { numbers, sentence: shown } = player.payload;
  const left = player.alone ? [] : [...numbers];
  const parts: (string | Node)[] = [];
  for (const [text, strong] of shown) {
    const nodes: (string | Node)[] = [];
    for (const part of split(text, left)) {
      if (typeof part !== "string") nodes.push(numberButton(player, part));
      else nodes.push(...(strong ? [part] : player.glossary.nodes(part)));
    }
    const bold = fill(el("b"), ...nodes);
    parts.push(...(strong ? [bold] : nodes));
  }
  return parts;
}

/** A text taken apart where the next numbers of `left` stand in it; those are removed from `left`. */
export function split(text: string, left: Changeable[]): (string | Changeable)[] {
  const [next] = left;
  const at = next ? placeOfNumber(text, next.text) : -1;
  if (!next || at < 0) return text ? [text] : [];
  left.shift();
  const before = text.slice(0, at);
  return [...(before ? [before] : []), next, ...split(text.slice(at + next.text.length), left)];
}

/** Where a number stands as a whole, and not as the end of another one; -1 where it does not. */
function placeOfNumber(text: string, number: string) {
  for (let at = text.indexOf(number); at >= 0; at = text.indexOf(number, at + 1)) {
    if (!/[\d.]/.test(text.charAt(at - 1)) || !/^\d/.test(number)) return at;
  }
  return -1;
}

function numberButton(player: Player, number: Changeable) {
  const { label, text } = number;
  const note = say(player.words.tryout.number, { label: label.toLowerCase() });
  const button = pushButton("tm-number", text, () => edit(player, number, button), {
    title: note,
    "aria-label": `${text} – ${note}`,
  });
  return button;
}

/**
 * A field in the place of the button; Enter tries the new value out, Escape and leaving it change nothing. A value
 * stays while it is tried out, wherever the reader clicks meanwhile; one that is refused with the reason beside it.
 */
function edit(player: Player, { name, label, value }: Changeable, button: HTMLElement) {
  const form = el("form", "tm-number-form");
  const field = el("input", "tm-number-field", null, { value, "aria-label": label, size: Math.max(value.length, 5) });
  const problem = el("span", "tm-number-problem", null, { role: "alert" });
  form.append(field, el("button", "tm-button tm-number-go", player.words.tryout.apply, { type: "submit" }), problem);
  let over = false; // what is replaced loses the focus, which ends it again
  let pending = false;
  const end = () => {
    if (!over) {
      over = true;
      form.replaceWith(button);
    }
  };
  const refused = (text: string) => {
    pending = false;
    if (!form.isConnected) return player.tryouts.fail(text);
    problem.textContent = text;
    // Who has gone on meanwhile keeps the focus.
    if (document.activeElement === document.body || form.contains(document.activeElement)) field.focus();
    return player.layout();
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (pending) return;
    const typed = field.value.trim();
    problem.textContent = "";
    if (typed && typed !== value) {
      pending = true;
      player.tryouts.make({ kind: "control", name, value: typed }, { refused });
      field.focus();
      return;
    }
    end();
    button.focus();
  });
  form.addEventListener("keydown", (event) => {
    event.stopPropagation(); // what is typed is no shortcut
    if (event.key !== "Escape") return;
    event.preventDefault();
    end();
    button.focus();
  });
  form.addEventListener("focusout", (event) => {
    if (!pending && !(event.relatedTarget instanceof Node && form.contains(event.relatedTarget))) end();
  });
  button.replaceWith(form);
  field.focus();
  field.select();
}

// A row whose title must be read: what stands beside it gives way, one thing after another.

/** What gives way in the title row, the least needed first (css/b-badges.css). */
const GIVING_WAY = ["", "about", "about labels", "about labels badges"];

/** Keeps the row so that its title is not cut, at any width and in any language; returns what ends it. */
export function fitTitle(row: HTMLElement, title: Element) {
  const fit = () => {
    for (const gone of GIVING_WAY) {
      row.dataset.gone = gone;
      if (title.scrollWidth <= title.clientWidth && row.scrollWidth <= row.clientWidth) return;
    }
  };
  const observer = new ResizeObserver(fit);
  observer.observe(row);
  document.fonts?.ready.then(fit);
  return () => observer.disconnect();
}

// Under the transport: the drawers' buttons, the keys that one needs first, and the way to the first visit.

/** The row; what an arrow key does is named at the level of the words. */
export function footRow({ controls, drawers, payload, telling, visit, words }: Player) {
  const hints = el("div", "tm-hints", null, { "aria-hidden": "true" });
  const beats = payload.beats.length > 0;
  const keys = [
    { caps: ["←", "→"], text: words.stops[telling.level], name: "stops" },
    { caps: ["Shift", "→"], text: words.keys.record },
    ...(beats ? [{ caps: ["PgDn"], text: words.keys.beat }] : []),
    { caps: ["Space"], text: words.play },
  ];
  for (const { caps, text, name } of keys) {
    const hint = el("span", name ? `tm-hint-${name}` : "");
    for (const cap of caps) hint.append(el("kbd", "", cap));
    const said = el("span", "", text.toLowerCase());
    hint.append(said);
    hints.append(hint);
    if (name) telling.onChange((level) => (said.textContent = words.stops[level].toLowerCase()));
  }
  const row = fill(el("div", "tm-foot"), drawers.tabs, hints);
  if (visit.scenes.length) {
    const tour = pushButton("tm-tab tm-tour", words.visit.tour, () => visit.reenter(), {
      title: words.visit.tour_about,
    });
    tour.prepend(icon("play"));
    row.append(tour);
  }
  row.append(controls.more);
  return row;
}
