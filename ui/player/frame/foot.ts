// Under the transport: the drawers' buttons, the keys that one needs first, and the way to the first visit.
import { el } from "../base/dom.ts";
import { icon } from "../base/icons.ts";
import type { Player } from "../player.ts";

/** The row; what an arrow key does is named at the level of the words. */
export function footRow({ drawers, payload, telling, visit, words }: Player) {
  const row = el("div", "tm-foot");
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
  row.append(drawers.tabs, hints);
  if (visit.scenes.length) {
    const tour = el("button", "tm-tab tm-tour", words.visit.tour, { type: "button", title: words.visit.tour_about });
    tour.prepend(icon("play"));
    tour.addEventListener("click", () => visit.reenter());
    row.append(tour);
  }
  return row;
}
