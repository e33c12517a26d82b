// The pieces that Why cards are made of: boxes with a number, headed sections, lines of advice, a check list.
import { el, fill, icon, pushButton } from "../base/dom.ts";
import { say } from "../base/format.ts";
import { windowContents } from "../base/reading.ts";
import type { ChannelRemedy, Check, Effect, GaugeSide, Insert, Offer, Way } from "../types/player.ts";
import type { Player } from "../player.ts";
import type { ShownChannel, WindowFact } from "#types/payload";

/** Two boxes with a sign between them: what is needed and what is there. Each is {name, value, note}. */
export function gauge(needed: GaugeSide, sign: string, there: GaugeSide) {
  return fill(el("div", "tm-gauge"), gaugeBox(needed), el("span", "tm-gauge-sign", sign), gaugeBox(there));
}

function gaugeBox({ name, value, note }: GaugeSide) {
  const box = fill(el("div", "tm-gauge-box"), el("span", "", name), el("b", "", value));
  if (note) box.append(el("span", "", note));
  return box;
}

/** A small heading. */
export function heading(text: string) {
  return el("h3", "tm-reason-heading", text);
}

/**
 * What would help: a line in bold and one under it that says how far; what is offered beside them does it, or says why
 * that is not possible.
 */
export function advice(title: string, note = "", offered: HTMLElement[] = []) {
  const buttons = offered.filter((each) => !isSentence(each));
  const text = fill(el("div", buttons.length ? "tm-remedy-text" : "tm-advice"), el("b", "", title));
  if (note) text.append(el("span", "", note));
  text.append(...offered.filter(isSentence));
  if (!buttons.length) return text;
  return fill(el("div", "tm-advice tm-remedy"), text, ...buttons);
}

/** A button that reads like text. */
export function linkButton(text: string, run: () => void, className = "") {
  return pushButton(`tm-reason-link ${className}`.trim(), text, run);
}

/** A button that goes to a step. */
export function stepButton(player: Player, step: number) {
  const text = say(player.words.why.step, { step });
  return pushButton("tm-button tm-reason-step", text, () => player.go(step));
}

/** Rows {holds, text, has}: a mark, what is needed, what is there. Those that do not hold are tinted. */
export function checklist(rows: Check[]) {
  const list = el("ul", "tm-checks");
  for (const { holds, text, has } of rows) {
    const item = el("li", holds ? "" : "tm-hl");
    item.append(
      icon(holds ? "check" : "remove"),
      el("span", "tm-check-text", text),
      el("span", "tm-check-has", has ?? ""),
    );
    list.append(item);
  }
  return list;
}

/** Names in a row: `a`, `a and b`, `a, b and c`. */
export function joined(names: string[], { and, list }: { and: string; list: string }) {
  return names.length < 2
    ? names.join("")
    : say(`{before}${and}{last}`, { before: names.slice(0, -1).join(list), last: names.at(-1) });
}

// Advice that can be followed: items for the stream that would fire a window, or release or match a record that waits,
// as buttons where a run has shown it.

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
    const here = pushButton("tm-button tm-remedy-do", apply, () => player.tryouts.make(edit, { window, effect }));
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
function isSentence(node: HTMLElement) {
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
