// Who holds the watermark back: the channels, each with its sum, the slowest first in bold, and their minimum.
import { el, fill } from "../base/dom.ts";
import { channelSum, duration, say, type Times } from "../base/format.ts";
import { recordId } from "../base/facts.ts";
import { sided } from "../base/reading.ts";
import { advice, heading, itemsOf, joined } from "./parts.ts";
import type { ChannelRemedy, Offer } from "../types/player.ts";
import type { Player } from "../player.ts";
import type { ShownChannel } from "#types/payload";

const MOST_CHANNELS = 6;

/** The channels of the step in their order. */
function channelsAt(player: Player, step: number) {
  return player.facts
    .at("channels", step)
    .slice()
    .sort((a, b) => (a.input < b.input ? -1 : a.input > b.input ? 1 : a.channel - b.channel));
}

/** A channel's name; with its input where there are several. */
export function channelName(player: Player, row: { input: string; channel: number }) {
  const { words } = player;
  const several = new Set(player.facts.at("channels", player.step).map((each) => each.input)).size > 1;
  return say(several ? words.channel_of : words.channel, sided(row, words));
}

function capital(text: string) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The heading, the channels joined to their minimum, and a sentence on the one that holds it. */
export function holders(player: Player, step: number, needs: number) {
  const { words, times } = player;
  const channels = channelsAt(player, step);
  const watermark = player.facts.at("watermark", step)[0]?.value ?? null;
  const holding = channels.filter((row) => row.holds);
  const rest = channels.filter((row) => !row.holds);
  const shown = [...holding, ...rest].slice(0, MOST_CHANNELS).sort((a, b) => channels.indexOf(a) - channels.indexOf(b));
  const list = el("div", "tm-holder-rows");
  for (const row of shown) {
    const idle = row.status === "idle";
    const line = el("div", `tm-holder${row.holds ? " tm-holds" : ""}${idle ? " tm-idle" : ""}`);
    const detail = idle ? words.idle : !row.aligned ? words.not_counted : channelSum(row, times, words);
    line.append(
      el("span", "tm-holder-name", channelName(player, row)),
      el("span", "tm-holder-sum", detail),
      el("b", "", times.exact(row.watermark)),
    );
    list.append(line);
  }
  const minimum = el("div", `tm-holder-minimum${watermark === null ? " tm-unset" : ""}`);
  minimum.append(el("span", "", words.why.minimum), el("b", "", times.exact(watermark)));
  const tree = fill(el("div", "tm-holders"), list, minimum);
  return [heading(words.why.held), tree, el("p", "tm-reason-text", sentenceOn(player, channels, needs))];
}

function sentenceOn(player: Player, channels: ShownChannel[], needs: number) {
  const { words } = player;
  const { why } = words;
  const name = (row: ShownChannel) => channelName(player, row);
  const list = (rows: ShownChannel[]) => joined(rows.map(name), words.joints);
  const many = (rows: ShownChannel[], [one, several]: [string, string]) =>
    rows.length ? say(rows.length === 1 ? one : several, { channels: capital(list(rows)) }) : "";
  const counting = channels.filter((row) => row.aligned);
  const holder = counting.find((row) => row.holds);
  if (!holder) return why.channels_all_idle_note;
  const text = [onHolder(player, holder, needs, capital(name(holder)))];
  const others = counting.filter((row) => row !== holder);
  text.push(
    many(
      others.filter((row) => isShort(needs, row)),
      [why.held_short, why.held_short_many],
    ),
  );
  text.push(
    many(
      others.filter((row) => !isShort(needs, row)),
      [why.held_others_one, why.held_others_many],
    ),
  );
  text.push(
    many(
      channels.filter((row) => row.status === "idle"),
      [why.held_idle_one, why.held_idle_many],
    ),
  );
  text.push(
    many(
      channels.filter((row) => row.status !== "idle" && !row.aligned),
      [why.held_unaligned, why.held_unaligned_many],
    ),
  );
  return text.join("");
}

function onHolder(player: Player, holder: ShownChannel, needs: number, channel: string) {
  const {
    times,
    words: { why },
  } = player;
  if (holder.pending !== null && holder.pending >= needs) {
    return say(holder.every ? why.held_pending : why.held_soon, { channel });
  }
  if (holder.ahead === null && holder.watermark === null) return say(why.held_by_silence, { channel });
  if (holder.ahead === null) return say(why.held_by_stream, { channel, time: times.exact(holder.watermark) });
  if (holder.max_timestamp === null) return say(why.held_by_none, { channel });
  const { when } = holder;
  if (when) {
    return say(why.held_by_when, {
      channel,
      item: holder.max_item,
      time: times.withUnit(holder.max_timestamp),
      when,
    });
  }
  return say(why.held_by, { channel, item: holder.max_item, time: times.withUnit(holder.max_timestamp) });
}

/** The record that the step works on, which the channel's generator has not seen yet. */
function underway(player: Player, step: number, channel: ShownChannel) {
  const item = player.facts.at("steps", step)[0].item;
  const row = player.facts.where("records", "id", recordId(item), step)[0];
  if (channel.when) return null; // its watermark may be NULL
  const own = row && row.fate !== "ahead" && row.input === channel.input && row.channel === channel.channel;
  return own && row.ts !== null && (channel.max_timestamp === null || row.ts > channel.max_timestamp) ? row : null;
}

/** The items that bring the next watermark of the operator: one for each channel that holds it where it is. */
export function nextWatermark(player: Player, step: number) {
  const counting = channelsAt(player, step).filter((row) => row.aligned);
  const lowest = Math.min(...counting.map((row) => row.watermark ?? -Infinity));
  const holding = counting.filter((row) => (row.watermark ?? -Infinity) === lowest);
  return itemsOf(holding.map(nextOf), lowest + 1);
}

/** What would bring the watermark to `needs`: a heading and lines of advice, one for channels that share it. */
export function remedies(player: Player, step: number, needs: number, title: string, offer: Offer = () => []) {
  const {
    times,
    words: { joints, why },
  } = player;
  if (needs >= 9.2e18) {
    return [heading(title), advice(why.end_of_input, why.end_of_input_note, offer([{ what: "end" }]))];
  }
  const channels = channelsAt(player, step);
  const { kind, each } = remedy(needs, channels);
  if (kind === "idle") {
    const items = itemsOf(
      channels.slice(0, 1).map((channel) => awaken(needs, channel)),
      needs,
    );
    return [heading(title), advice(why.channels_all_idle, why.channels_all_idle_note, offer(items))];
  }
  if (kind === "next") {
    const items = nextWatermark(player, step);
    return [heading(title), advice(why.any_next_watermark, why.any_next_watermark_note, offer(items))];
  }
  const texts = each.slice(0, 3).map((one) => adviceOn(player, step, one, needs, each.length > 1));
  const items = each.some(({ channel }) => channel.when) ? [] : itemsOf(each, needs);
  const lines = texts.map(([text, note], index) =>
    advice(text, index && note === texts[0][1] ? "" : note, index === texts.length - 1 ? offer(items) : []),
  );
  lines.unshift(heading(each.length > 1 ? `${title}${joints.colon}${why.then_each}` : title));
  const idle = idleRemedy(needs, channels, player.facts.at("watermark", step)[0]?.value ?? null);
  if (idle) {
    const channel = channelName(player, idle.channel);
    lines.push(
      advice(
        say(why.idle_would, { channel: capital(channel) }),
        say(why.idle_would_note, { channel, time: times.exact(idle.minimum) }),
        offer([{ what: "idle", input: idle.channel.input, channel: idle.channel.channel }]),
      ),
    );
  }
  return lines;
}

function adviceOn(
  player: Player,
  step: number,
  { channel: row, kind, ts: least, sends }: ChannelRemedy<ShownChannel>,
  needs: number,
  several: boolean,
) {
  const ts = least ?? needs;
  const {
    times,
    words: { why },
  } = player;
  const channel = channelName(player, row);
  const every = duration(row.every);
  const coming = underway(player, step, row);
  if (kind === "record" && coming && (coming.ts ?? 0) >= ts) {
    return [say(why.coming, { item: coming.item, time: times.withUnit(coming.ts) }), say(why.coming_note, { channel })];
  }
  if (kind === "pending" && !row.every) {
    return [say(why.soon, { channel }), say(why.soon_note, { time: times.exact(sends) })];
  }
  if (kind === "pending") {
    return [say(why.pending, { channel }), say(why.pending_note, { time: times.exact(sends), every })];
  }
  if (kind === "watermark") return [say(why.one_watermark, { channel, time: times.exact(ts) }), why.one_watermark_note];
  const title = say(several ? why.one_record_each : why.one_record, { channel, time: exactly(player, ts) });
  const notes = [];
  if (row.when) notes.push(say(why.one_record_when, { when: row.when }));
  if (sends === needs) {
    notes.push(say(why.reached_note, { almost: times.exact(ts - 1), falls: times.exact(sends - 1) }));
  }
  if (row.every) notes.push(say(why.every_note, { every }));
  return [title, notes.join(" ")];
}

/** A time to the millisecond, with its unit where it is a number of seconds. */
export function exactly({ times }: { times: Times }, ms: number) {
  return times.clock || ms >= 9.2e18 ? times.exact(ms) : `${times.exact(ms)} s`;
}

// Which record, put on which channel at this step, would bring the watermark that is needed; and which would not.

type Channel = Pick<ShownChannel, "watermark" | "aligned" | "pending" | "ahead" | "least">;

/**
 * What brings the operator's watermark to `needs` (ms), from the facts of its channels: {kind, each}. `idle`: no
 * channel counts. `next`: all that count are far enough. `records`: each record of `each` is needed: {channel, kind,
 * ts, sends}.
 */
export function remedy<C extends Channel>(
  needs: number,
  channels: C[],
): { kind: "idle" | "next" | "records"; each: ChannelRemedy<C>[] } {
  const counting = channels.filter((channel) => channel.aligned);
  if (!counting.length) return { kind: "idle", each: [] };
  const short = counting.filter((channel) => isShort(needs, channel));
  return { kind: short.length ? "records" : "next", each: short.map((channel) => forChannel(needs, channel)) };
}

/** What a channel would need for a higher watermark than it has: the next one of any channel. */
function nextOf<C extends Channel>(channel: C): ChannelRemedy<C> {
  return forChannel((channel.watermark ?? 0) + 1, channel);
}

/** What brings a channel to `needs`, whatever the others have: they are idle and do not count. */
function awaken<C extends Channel>(needs: number, channel: C): ChannelRemedy<C> {
  return forChannel(needs, channel);
}

/** A record of `ts` or later makes the channel send `sends`, one of a millisecond less does not. */
function forChannel<C extends Channel>(needs: number, channel: C): ChannelRemedy<C> {
  if (channel.pending !== null && channel.pending >= needs) return { channel, kind: "pending", sends: channel.pending };
  if (channel.ahead === null) return { channel, kind: "watermark", ts: needs, sends: needs };
  const sends = Math.max(needs, channel.least ?? needs);
  return { channel, kind: "record", ts: sends + channel.ahead, sends };
}

/** Whether a channel's watermark is below what is needed. */
export function isShort(needs: number, channel: { watermark: number | null }) {
  return channel.watermark === null || channel.watermark < needs;
}

/** The one channel that would fire it by turning idle, and the minimum (ms) of the others; null where none would. */
export function idleRemedy<C extends Channel>(needs: number, channels: C[], watermark: number | null) {
  const counting = channels.filter((channel) => channel.aligned);
  const short = counting.filter((channel) => isShort(needs, channel));
  if (short.length !== 1 || counting.length < 2 || short[0].watermark !== watermark) return null;
  const others = counting.filter((channel) => channel !== short[0]).map((channel) => channel.watermark ?? 0);
  return { channel: short[0], minimum: Math.min(...others) };
}
