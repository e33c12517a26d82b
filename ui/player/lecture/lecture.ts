// A lecture: scenarios presented one after another, with a title card before each and one at the end.
import { addressOf, embeddedInAddress, valueInAddress } from "../frame/place.ts";
import { Clock, plannedMinutes } from "./clock.ts";
import { TitleCard } from "./card.ts";
import { Montage } from "./montage.ts";
import type { CardKind } from "../types/lecture.ts";
import type { Player } from "../player.ts";

export class Lecture {
  player: Player;
  id: string | null;
  clock: Clock;
  card: TitleCard;
  montage: Montage;
  turning = false;
  onOrder;
  toLastBeat?: boolean;

  constructor(player: Player) {
    this.player = player;
    const { name } = player.payload;
    this.id = player.alone || embeddedInAddress() ? null : valueInAddress(name, "lecture");
    player.view.lecture = this.id;
    this.clock = new Clock(this.id ?? name);
    this.card = new TitleCard(player, this);
    this.montage = new Montage(player);
    this.onOrder = () => this.know();
    window.addEventListener("tidemark:lecture", this.onOrder);
    this.begin(this.id && valueInAddress(name, "present") === "1" ? valueInAddress(name, "card") : null);
  }

  /** The order of the lecture, once it has arrived; null outside of one. */
  get order() {
    const order = globalThis.tidemarkLecture;
    return this.id && order?.id === this.id && order.scenarios.some((each) => each.name === this.player.payload.name)
      ? order
      : null;
  }

  /** Whether beats, cards and scenarios follow each other: a lecture is being presented. */
  get runs() {
    return this.player.present.on && (this.order !== null || this.card.kind !== null);
  }

  /** The place of this scenario in the order, from 0; -1 without an order. */
  get index() {
    return this.order?.scenarios.findIndex((each) => each.name === this.player.payload.name) ?? -1;
  }

  /** Which scenario of how many this is, the minutes planned for it, and the names of those that are missing. */
  get plan() {
    const { order } = this;
    if (!order) return null;
    const { missing, title } = order;
    return {
      number: this.index + 1,
      count: order.scenarios.length,
      planned: plannedMinutes(order, this.index),
      title,
      missing,
    };
  }

  /**
   * Starts at the card that the address names.
   * @param card "1" for the title; "end" for the last beat, to which a presenter goes back
   */
  begin(card: string | null) {
    this.toLastBeat = card === "end";
    if (!card) return;
    // Otherwise the page under the card would be visible for a moment, until the picture is ready.
    document.documentElement.classList.add("tm-presenting");
    this.setCard("title");
  }

  /** Keeps what lies under a card or the four pictures out of reach. */
  cover() {
    this.player.root.classList.toggle("tm-covered", this.card.kind !== null || this.montage.isOpen);
  }

  /** The order has arrived. */
  know() {
    this.card.show();
    this.player.present?.show();
  }

  setCard(kind: CardKind | null) {
    this.player.view.card = kind === "title" && !this.toLastBeat ? "1" : null;
    this.card.set(kind);
    this.player.live?.show();
  }

  /** Everything is drawn: a presenter who went back gets the last beat. */
  ready() {
    if (!this.toLastBeat) return;
    this.toLastBeat = false;
    this.setCard(null);
    this.player.go(this.player.present.beatSteps.at(-1) ?? this.player.last);
  }

  /** What PageDown and PageUp do to the lecture before they go from beat to beat; true if they did something. */
  page(direction: number) {
    const { player } = this;
    if (this.montage.isOpen) {
      this.montage.close();
      return true;
    }
    if (!this.runs) return false;
    if (this.turning || this.toLastBeat) return true;
    if (this.card.kind) {
      this.pageOfCard(direction);
      return true;
    }
    if (direction > 0 && player.present.asks) return false;
    const { beatSteps } = player.present;
    const stops = beatSteps.length ? beatSteps : [0, player.last];
    if (stops.some((step) => (direction > 0 ? step > player.step : step < player.step))) return false;
    if (direction > 0) this.turn(1);
    else this.setCard("title");
    this.changed();
    return true;
  }

  pageOfCard(direction: number) {
    const { player } = this;
    if (this.card.kind === "end") {
      if (direction < 0) this.setCard(null);
    } else if (direction < 0) this.turn(-1);
    else {
      if (!this.order || this.index === 0) this.clock.start();
      this.setCard(null);
      player.present.lead(player.present.beatSteps[0] ?? 0);
    }
    this.changed();
  }

  /** On to the next scenario, or back to the one before. */
  turn(direction: number) {
    const { player, order } = this;
    if (!order) return;
    const other = order.scenarios[this.index + direction];
    player.transport.stop();
    if (!other) {
      if (direction > 0) this.setCard("end");
      return;
    }
    this.turning = true;
    this.card.set("title", other);
    player.place.leave();
    const address = addressOf(other.name, 0, { lecture: this.id, present: "1", card: direction > 0 ? "1" : "end" });
    window.history.pushState(window.history.state, "", address);
    player.open(Object.fromEntries(address.searchParams));
  }

  changed() {
    this.player.place.at(this.player.step);
    this.player.present.show();
    this.player.poll.show();
  }

  /** Whether the next player takes over: then the screen stays as it is. */
  get handsOver() {
    return this.turning;
  }

  /** Leaving the presentation leaves the cards too; the lecture itself stays in the address. */
  leave() {
    if (this.card.kind) this.setCard(null);
    this.montage.close();
  }

  close() {
    window.removeEventListener("tidemark:lecture", this.onOrder);
    this.montage.close();
  }
}
