// What would have kept a lost record: from the facts where they suffice, else found by the server among other runs.
import { el } from "../base/dom.ts";
import { duration, say } from "../base/format.ts";
import { heading } from "./parts.ts";
import type { RecordFact } from "#types/payload";
import type { Remedy } from "../types/player.ts";
import type { Player } from "../player.ts";

const LOST = new Set(["dropped", "side", "skipped"]);

/** What would have kept the record, as parts of its card; nothing for one that is not lost. */
export function kept(player: Player, row: RecordFact) {
  const {
    facts,
    payload: { firing },
    words: {
      why: { kept: texts },
    },
  } = player;
  if (!LOST.has(row.fate)) return [];
  const certain: Remedy[] = facts.all("remedies").filter((each) => each.record === row.id);
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

function line(player: Player, row: RecordFact, { what, before, after }: Remedy) {
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
