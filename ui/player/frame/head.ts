// The rows above the plane: title with the choice of scenario, the configuration as a sentence, the legend.
import { el } from "../base/dom.ts";
import { icon, mark } from "../base/icons.ts";
import { badgesOf } from "./badges.ts";
import { sentenceParts } from "./numbers.ts";
import { copyAllowed, ownInAddress } from "./place.ts";
import type { OpenedPlace } from "../types/player.ts";
import type { Player } from "../player.ts";

/** Title (a choice of scenarios lies over it), what the scenario holds, and the link to this step. */
export function titleRow(player: Player, open: (place: OpenedPlace) => void) {
  const { payload, words } = player;
  const row = el("header", "tm-title-row");
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
  row.append(
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
  return row;
}

/** To the Author page, with a copy of what is shown here. */
function editLink(player: Player) {
  const [name, value] = ownInAddress() ?? ["scenario", player.payload.name];
  const place = { [name]: value };
  const link = el("a", "tm-button tm-plain tm-edit-copy", null, {
    href: `./author?${new URLSearchParams(place)}`,
    title: player.words.ways.copy,
  });
  link.append(icon("pencil"), el("span", "tm-label", player.words.ways.copy));
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || !globalThis.tidemarkPlaces) return;
    event.preventDefault();
    player.transport.stop();
    player.remember();
    globalThis.tidemarkPlaces.open(link.href);
  });
  return link;
}

/** Copies the link to this step; where there is none, or nothing may be copied, the dialog says what to do. */
function copyButton(player: Player) {
  const { words } = player;
  const button = el("button", "tm-button tm-plain", null, { type: "button", title: words.copy_link });
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
  const button = el("button", "tm-button tm-plain tm-export", null, {
    type: "button",
    title: player.words.share.open,
    "aria-haspopup": "dialog",
    "aria-keyshortcuts": "E",
  });
  button.append(icon("download"), el("span", "tm-label", player.words.share.open));
  button.addEventListener("click", () => player.share.open());
  return button;
}

/** The configuration in one sentence, its values in bold, its numbers to be changed. */
export function sentence(player: Player) {
  const row = el("p", "tm-sentence");
  row.append(...sentenceParts(player));
  return row;
}

/** What each mark means; only marks that the scenario has, in the `view` that is shown: `plane` or `join`. */
export function legend(player: Player, view = "plane") {
  const { payload } = player;
  const row = el("ul", "tm-legend");
  row.append(...(payload.legend[view] ?? []).map((kind) => legendItem(player, kind)));
  return row;
}

/** @param kind a mark */
export function legendItem({ glossary, words }: Player, kind: string) {
  const item = el("li", "", null, { "data-kind": kind });
  item.append(mark(kind), glossary.markKind(el("span", "", words.marks[kind]), kind));
  return item;
}
