// Beats that the run of the draft contradicts: which they are, and a way to go on without them.
import { el } from "../player/base/dom.ts";
import { say } from "../player/base/format.ts";
import { doorButton, doorSection } from "./door_parts.ts";
import type { Author } from "./author.ts";

/**
 * @param lost the numbers of the beats
 * @param way what is done without them
 * @param act does it
 */
export function lostBeats(author: Author, lost: number[], way: "share" | "open", act: () => void) {
  const { words } = author;
  const form = lost.length === 1 ? "one" : "many";
  const list = el("ul", "tm-au-lost");
  for (const number of lost) {
    const beat = author.facts?.story.beats[number];
    if (!beat) continue;
    const said = beat.kind === "predict" ? author.story.prediction(beat.predict) : beat.say || beat.ask;
    const item = el("li");
    item.append(el("span", "tm-au-beat-text", said), el("span", "tm-quiet", beat.place));
    list.append(item);
  }
  const row = el("div", "tm-au-door-row");
  row.append(
    doorButton(words.lost_beats[`${way}_${form}`], act, "tm-strong-button"),
    el("span", "tm-quiet", words.lost_beats[`kept_${form}`]),
  );
  return doorSection(say(words.lost_beats[`fits_not_${form}`], { count: lost.length }), list, row);
}
