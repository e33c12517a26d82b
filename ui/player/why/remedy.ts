// Which record, put on which channel at this step, would bring the watermark that is needed; and which would not.
import type { ChannelRemedy } from "../types/player.ts";
import type { ShownChannel } from "#types/payload";

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
export function nextOf<C extends Channel>(channel: C): ChannelRemedy<C> {
  return forChannel((channel.watermark ?? 0) + 1, channel);
}

/** What brings a channel to `needs`, whatever the others have: they are idle and do not count. */
export function awaken<C extends Channel>(needs: number, channel: C): ChannelRemedy<C> {
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
