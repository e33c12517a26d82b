// While presenting: the channels and their watermarks in one line, where there are several or one falls idle. There the
// smallest of them is the point, and the picture shows only that.
import { el, fill } from "../base/dom.ts";
import { say } from "../base/format.ts";
import { holderOf, sided } from "../base/reading.ts";
import type { Player } from "../player.ts";
import type { ShownChannel } from "#types/payload";

/** More have no room beside each other. */
const MOST_ABREAST = 4;

export class ChannelStrip {
  player: Player;
  node: HTMLOListElement;
  severalInputs: boolean;

  constructor(player: Player) {
    this.player = player;
    this.node = el("ol", "tm-channel-strip", null, { "aria-label": player.words.watermark });
    const { facts } = player;
    const first = facts.at("channels", 0);
    this.severalInputs = new Set(first.map((row) => row.input)).size > 1;
    const batches = facts.all("batches").length > 0;
    const idle = facts.all("channels").some((row) => row.status === "idle");
    this.node.hidden = batches || !(idle || (first.length > 1 && first.length <= MOST_ABREAST));
  }

  /** The room (px) that it takes under the lanes. */
  get height() {
    return this.node.getBoundingClientRect().height;
  }

  name(row: ShownChannel) {
    const { words } = this.player;
    return this.severalInputs ? say(words.channel_of, sided(row, words)) : say(words.channel, row);
  }

  show(step: number) {
    if (this.node.hidden) return;
    const { facts, times, words } = this.player;
    const channels = facts
      .at("channels", step)
      .slice()
      .sort((a, b) => (a.input < b.input ? -1 : a.input > b.input ? 1 : a.channel - b.channel));
    const holder = holderOf(channels);
    fill(
      this.node,
      channels.map((row) => {
        const idle = row.status === "idle";
        const item = el("li", row === holder ? "tm-holds" : idle ? "tm-idle" : "");
        const value = row.watermark === null ? words.none_yet : times.exact(row.watermark);
        item.append(el("span", "", this.name(row)), " ", el("b", "", idle ? `${words.idle} · ${value}` : value));
        return item;
      }),
    );
  }
}
