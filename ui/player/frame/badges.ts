// Badges beside the title: which engines gave the same rows for exactly this scenario. Python decides what they say.
import { el, tableRow } from "../base/dom.ts";
import { icon, mark } from "../base/icons.ts";
import { Pop } from "./pop.ts";
import type { Badge, BadgeDifference } from "#types/payload";
import type { Player } from "../player.ts";

/** The badges of the scenario, each a button that opens what was compared; null where nothing is proved. */
export function badgesOf(player: Player) {
  const { badges = [] } = player.payload;
  if (!badges.length) return null;
  const row = el("div", "tm-badges");
  row.append(...badges.map((badge) => badgeNode(badge, player)));
  return row;
}

function badgeNode(badge: Badge, player: Player) {
  const place = el("div", "tm-badge-place");
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
  place.append(pop.openedBy(button), pop.node);
  return place;
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
  const table = el("table", "tm-table", null, { "data-table": "difference" });
  const head = el("thead");
  head.append(tableRow(columns, { header: true }));
  const body = el("tbody");
  body.append(...rows.map(({ cells, differs }) => tableRow(cells, { className: differs ? "tm-hl" : "" })));
  table.append(head, body);
  return [el("h3", "", title), table];
}

/** Where the check can be run again; in a file that was taken away (`player.alone`) there is no such page. */
function linkOf({ link }: Badge) {
  if (!link) return [];
  return [el("a", "tm-badge-link", link.text, { href: `spark?${new URLSearchParams({ scenario: link.scenario })}` })];
}

function closing(pop: Pop, text: string) {
  const button = el("button", "tm-button tm-badge-close", text, { type: "button" });
  button.append(el("kbd", "", "Esc"));
  button.addEventListener("click", () => pop.close());
  return button;
}
