// What would have kept a lost record: from the facts where they suffice, else found by the server among other runs.
import { el } from "../base/dom.js";
import { duration, say } from "../base/format.js";
import { heading } from "./parts.js";
/** @import { RecordFact } from "../types/payload.d.ts" */
/** @import { Remedy } from "../types/player.d.ts" */
/** @import { Player } from "../player.js" */

const LOST = new Set(["dropped", "side", "skipped"]);

/**
 * What would have kept the record, as parts of its card; nothing for one that is not lost.
 * @param {Player} player
 * @param {RecordFact} row
 */
export function kept(player, row) {
  const {
    facts,
    payload: { firing },
    words: {
      why: { kept: texts },
    },
  } = player;
  if (!LOST.has(row.fate)) return [];
  /** @type {Remedy[]} */
  const certain = facts.all("remedies").filter((each) => each.record === row.id);
  const open = firing.keeps.filter((name) => !certain.some((each) => each.what === name));
  const searched = open.length && !player.alone ? player.searches.of(row, open) : [];
  const found = [...certain, ...(Array.isArray(searched) ? searched : [])];
  const remedies = player.visit.on ? found.filter((each) => each.what === "bound") : found;
  const parts = remedies.map((each) => line(player, row, each));
  if (searched === "searching") parts.push(el("p", "tm-reason-text", texts.searching, { "aria-busy": "true" }));
  if (searched === "failed") parts.push(el("p", "tm-reason-text", texts.failed));
  if (!parts.length && searched !== "searching" && !open.length) return [];
  return parts.length ? [heading(texts.title), ...parts] : [el("p", "tm-reason-text", texts.none)];
}

/**
 * @param {Player} player
 * @param {RecordFact} row
 * @param {Remedy} remedy
 */
function line(player, row, { what, before, after }) {
  const {
    words: {
      why: { kept: texts },
    },
  } = player;
  const box = el("div", "tm-advice tm-remedy");
  const text = el("div", "tm-remedy-text");
  text.append(
    el("b", "", say(texts[what], { after: duration(after) })),
    el("span", "", say(texts.now, { before: duration(before) })),
  );
  box.append(text);
  // The first visit has one thing to do on each screen: other runs would lead out of it.
  if (player.tryouts.possible && !player.visit.on) {
    const name = what === "bound" ? what : "lateness";
    const here = el("button", "tm-button tm-remedy-do", player.words.tryout.apply, { type: "button" });
    here.addEventListener("click", () => player.tryouts.make({ kind: "control", name, value: `${after}ms` }));
    box.append(here);
  }
  if (!player.alone && !player.visit.on) {
    const href = player.comparing({ [`b.${what}`]: String(after) }, row.item);
    box.append(el("a", "tm-button tm-remedy-do", texts.compare, { href }));
  }
  return box;
}
