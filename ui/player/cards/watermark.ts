// The card that shows where the watermark comes from.
import { card } from "./card.ts";
import { el, fill, patch, signer, tableRow } from "../base/dom.ts";
import { between, say, channelSum } from "../base/format.ts";
import { holderOf, sided } from "../base/reading.ts";
import { openerOf } from "../drawers/state.ts";
import type { Player } from "../player.ts";
import type { ShownChannel } from "#types/payload";

/** Channels, what each has seen, and the minimum of the active ones. */
export class WatermarkCard {
  player: Player;
  signs;
  node: HTMLElement;
  note: HTMLSpanElement;
  channels = el("table", "tm-channels", null, { "data-table": "channels" });
  rows = el("tbody");
  minimum = el("div", "tm-minimum");
  scroller: HTMLDivElement;
  severalInputs: boolean;

  constructor(player: Player) {
    this.player = player;
    this.signs = signer();
    const { card: node, head, note, body } = card("watermark", player.words.watermark);
    head.append(openerOf(player, "watermark", player.words.state.whole_tree));
    this.node = node;
    this.note = note;
    this.channels.append(this.rows);
    this.scroller = el("div", "tm-channel-list", null, { role: "group", "aria-label": player.words.watermark });
    this.scroller.append(this.channels);
    this.severalInputs = new Set(player.facts.at("channels", 0).map((row) => row.input)).size > 1;
    body.append(this.scroller, this.minimum);
  }

  name(row: ShownChannel) {
    const { facts, words } = this.player;
    if (facts.all("batches").length) return sided(row, words).input;
    return this.severalInputs ? say(words.channel_of, sided(row, words)) : say(words.channel, row);
  }

  show(step: number) {
    const { facts, times, words } = this.player;
    // With dates a formula has no room beside its result; the whole tree has it.
    const formula = (row: ShownChannel) => (times.dated ? "" : channelSum(row, times, words));
    const channels = facts
      .at("channels", step)
      .slice()
      .sort((a, b) => (a.input < b.input ? -1 : a.input > b.input ? 1 : a.channel - b.channel));
    const watermark = facts.at("watermark", step)[0]?.value ?? null;
    const touched = new Set(facts.at("steps", step)[0].touches);
    const holder = holderOf(channels);
    this.scroller.classList.toggle("tm-many", channels.length > 2);
    fill(
      this.note,
      holder ? [words.held_by, between(words.held_by, this.name(holder)), el("b", "", this.name(holder))] : [],
    );
    const sign = (row: ShownChannel) => this.signs(row, String(touched.has(row.id)));
    patch(this.rows, channels, sign, (row) => {
      const classes = [
        row === holder ? "tm-holds" : "",
        row.status === "idle" ? "tm-idle" : "",
        touched.has(row.id) ? "tm-touched" : "",
      ];
      const name = el("span", "tm-channel-name", this.name(row));
      const detail = row.status === "idle" ? words.idle : !row.aligned ? words.not_counted : formula(row);
      return tableRow(
        [name, detail, el("b", "", row.watermark === null ? words.none_yet : times.exact(row.watermark))],
        { numeric: [1, 2], className: classes.join(" ").trim() },
      );
    });
    // Of more channels than have room the one that holds the watermark is in sight.
    if (channels.length > 3) this.rows.querySelector(".tm-holds")?.scrollIntoView({ block: "nearest" });
    fill(
      this.minimum,
      el("span", "", this.player.payload.combined ?? words.minimum),
      el("b", "", times.exact(watermark)),
    );
    this.minimum.classList.toggle("tm-unset", watermark === null);
  }
}
