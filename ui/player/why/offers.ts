// Advice that can be followed: items for the stream that would fire a window, or release or match a record that waits,
// as buttons where a run has shown it.
import { el } from "../base/dom.ts";
import { windowContents } from "../base/reading.ts";
import type { ShownChannel, WindowFact } from "#types/payload";
import type { ChannelRemedy, Effect, Insert, Offer, Way } from "../types/player.ts";
import type { Player } from "../player.ts";

const NOT_POSSIBLE = "tm-remedy-not";

/**
 * Makes the buttons of advice for `window`, or for a record that waits, at `step`: for the items that the advice names.
 * There are none until it is known that these have the effect while they are processed; where they have not, a sentence
 * says why.
 */
export function offers(player: Player, window: string, step: number, effect: Effect = "fires"): Offer {
  if (!player.tryouts.possible || player.visit.on) return () => [];
  return (items) => {
    if (!items.length) return [];
    const edit: Insert = { kind: "insert", after: player.facts.at("steps", step)[0].item, items };
    const { address, problem } = player.searches.fires(window, effect, edit, step) ?? {};
    if (problem !== undefined) return [el("span", NOT_POSSIBLE, problem)];
    if (!address) return [];
    const { apply } = player.words.tryout;
    const here = el("button", "tm-button tm-remedy-do", apply, { type: "button" });
    here.addEventListener("click", () => player.tryouts.make(edit, { window, effect }));
    const original = player.tryouts.now?.original ?? player.tryouts.original();
    const both = player.tryouts.comparison({ original, address }, player.words.why.kept.compare);
    both?.classList.replace("tm-plain", "tm-remedy-do");
    return both ? [here, both] : [here];
  };
}

/** The items that bring the operator's watermark to what a window needs, where each channel of `each` needs one. */
export function itemsOf(each: ChannelRemedy<ShownChannel>[], needs: number): Insert["items"] {
  const every = Math.max(...each.map(({ channel }) => channel.every));
  const wanted = each.filter(({ kind }) => kind !== "pending");
  const items = wanted.map(({ kind, channel: { input, channel }, ts }) => ({
    what: kind === "watermark" ? "watermark" : "record",
    input,
    channel,
    ts: ts ?? needs,
  }));
  return every ? [...items, { what: "advance", by: every }] : items;
}

/** Whether a node of an offer says why there is no button. */
export function isSentence(node: HTMLElement) {
  return node.className === NOT_POSSIBLE;
}

/** The records by which a trigger's own way to fire is met; the server asks the trigger which these are. */
export function recordsOfWay(
  player: Player,
  row: WindowFact,
  step: number,
  { kind, needs, has }: Way,
): Insert["items"] {
  return recordOf(player, row, step).map((record) => ({ ...record, what: "records", kind, needs, has }));
}

/** A record for the window itself, on the side that still has none. */
export function recordOf({ facts, payload, times }: Player, row: WindowFact, step: number): Insert["items"] {
  const contents = windowContents(facts, row, step);
  const channels = facts.at("channels", step);
  const input = payload.firing.sides.find((side) => !contents.some((each) => each.input === side));
  const on = channels.find((each) => each.input === (input ?? channels[0]?.input));
  return on
    ? [{ what: "record", input: on.input, channel: on.channel, ts: times.onAxis(row).start, key: row.key }]
    : [];
}
