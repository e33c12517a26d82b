// A record in the picture is dragged to another time; the watermark's staircase is pulled away from the records, its
// bound. In a short run the changed run follows the pointer: each answer of the server puts another player in the
// place of this one, and that player's drag goes on with what is held. In a long run, and under a finger, a mark shows
// the place, and the run changes when it is let go.
import { el, svg } from "../base/dom.ts";
import { duration, say } from "../base/format.ts";
import { roundUp } from "./svg.ts";
import { sideNear } from "./sides.ts";
import { placeOfRecord, plot, recordAt } from "../why/subjects.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { Edit, Held, Point } from "../types/player.ts";
import type { Player } from "../player.ts";

const DRAGGED_PX = 4;

/** A run of so many records follows the pointer. */
const MOST_LIVE = 200;

/** How near (px) to the watermark's line a press takes it. */
const NEAR_LINE = 7;

export class Drag extends PlayerPart {
  dropped: boolean;
  ink = svg("svg", { class: "tm-ghost", "aria-hidden": "true" });
  onMove;
  onUp;
  onKey;
  read = el("p", "tm-drag-read", null, { "aria-hidden": "true" });

  constructor(player: Player) {
    super(player);
    this.dropped = false;
    player.planeCard.append(this.ink);
    // A press in the picture gives the player the focus, and not the page around it.
    player.root.tabIndex = -1;
    for (const picture of [player.canvas, player.join.node]) {
      picture.addEventListener("pointerdown", (event) => this.press(event));
      // Only a listener that may refuse it keeps the browser from scrolling with the finger.
      picture.addEventListener("touchmove", (event) => this.held?.moved && event.preventDefault(), { passive: false });
    }
    this.onMove = (event: PointerEvent) => this.move(event);
    this.onUp = (event: PointerEvent) => this.drop(event);
    this.onKey = (event: KeyboardEvent) => this.cancel(event);
    this.read.hidden = true;
    player.planeCard.append(this.read);
    player.canvas.addEventListener("pointermove", (event) => {
      const { x, y } = this.inCard(event);
      player.canvas.classList.toggle(
        "tm-on-watermark",
        event.buttons === 0 && this.bound !== null && this.onLine(x, y),
      );
    });
    if (this.held && !this.held.released) this.listen();
    // The click that ends a drag is no question why.
    player.planeCard.addEventListener(
      "click",
      (event) => {
        if (this.dropped) event.stopImmediatePropagation();
        this.dropped = false;
      },
      true,
    );
  }

  /** What is held, across the players that follow one another. */
  get held() {
    return globalThis.tidemarkHeld ?? null;
  }

  /** Where a pointer is in the plane's card. */
  inCard(event: MouseEvent): Point {
    const { planeCard } = this.player;
    const { left, top } = planeCard.getBoundingClientRect();
    return { x: event.clientX - left - planeCard.clientLeft, y: event.clientY - top - planeCard.clientTop };
  }

  press(event: PointerEvent) {
    const { player } = this;
    this.dropped = false;
    if (event.button !== 0 || !player.tryouts.possible || player.payload.parts.length > 1) return;
    const { x, y } = this.inCard(event);
    const joins = Boolean(player.join.on);
    const row = joins ? player.join.recordAt(player.step, x, y) : recordAt(player, player.step, x, y);
    const area = plot(player);
    if (!area || (!row && (this.bound === null || !this.onLine(x, y)))) return;
    const from = row ? (joins && player.join.placeOf(row)) || placeOfRecord(row, area) : { x, y };
    const { x0, x1, y0, y1 } = player.plane.part.signals;
    const short = player.facts.all("records").length <= MOST_LIVE;
    globalThis.tidemarkHeld = {
      row: row || null,
      bound: this.bound ?? 0,
      start: { x: event.clientX, y: event.clientY },
      from,
      to: from,
      moved: false,
      side: joins && row ? (row.input as Held["side"]) : null,
      perX: (x1 - x0) / area.width,
      perY: ((y1 - y0) / area.height) * (player.plane.up ? -1 : 1),
      byClock: area.byClock,
      follows: short && event.pointerType !== "touch",
      before: player.tryouts.before(),
      wanted: null,
      shown: "null",
      released: false,
    };
    this.listen();
  }

  listen() {
    window.addEventListener("pointermove", this.onMove);
    window.addEventListener("pointerup", this.onUp);
    window.addEventListener("pointercancel", this.onUp);
    window.addEventListener("keydown", this.onKey, true);
  }

  move(event: PointerEvent) {
    const { held } = this;
    if (!held) return;
    const [dx, dy] = [event.clientX - held.start.x, event.clientY - held.start.y];
    if (!held.moved && Math.hypot(dx, dy) < DRAGGED_PX) return;
    // A finger that sets out up or down scrolls the page; sideways it takes the record along.
    if (!held.moved && held.row && event.pointerType === "touch" && Math.abs(dy) > Math.abs(dx)) {
      globalThis.tidemarkHeld = null;
      this.end();
      return;
    }
    held.moved = true;
    event.preventDefault();
    this.player.root.classList.add("tm-dragging");
    // Nearly along one axis: along that one alone.
    const flat = Math.abs(dx) > 3 * Math.abs(dy);
    const steep = Math.abs(dy) > 3 * Math.abs(dx);
    const y = held.side ? this.toSide(held, dy) : held.from.y + (flat || !held.row ? 0 : dy);
    held.to = { x: held.from.x + (steep && held.row ? 0 : dx), y };
    held.wanted = this.edit(held);
    this.draw(held);
    if (held.follows) this.player.tryouts.follow(held);
  }

  /**
   * In the picture of a join: where a record stands on the side that the pointer is nearest to.
   * @param dy px
   */
  toSide(held: Held, dy: number) {
    const { canvas, join } = this.player;
    const { lanes } = join.place;
    held.side = sideNear(lanes, held.from.y + dy - canvas.offsetTop);
    return held.side === held.row?.input ? held.from.y : canvas.offsetTop + lanes[held.side];
  }

  draw(held: Held) {
    const { from, to } = held;
    if (!held.row) this.ink.replaceChildren(svg("path", { d: this.lineAsked(held), class: "tm-ghost-pulled" }));
    else if (held.follows) {
      this.ink.replaceChildren(svg("circle", { cx: to.x, cy: to.y, r: 12, class: "tm-ghost-held" }));
    } else {
      this.ink.replaceChildren(
        svg("circle", { cx: from.x, cy: from.y, r: 10, class: "tm-ghost-record" }),
        svg("path", { d: `M${from.x} ${from.y}L${to.x} ${to.y}`, class: "tm-ghost-way" }),
        svg("circle", { cx: to.x, cy: to.y, r: 12, class: "tm-ghost-held" }),
      );
    }
    this.tell(held);
  }

  /** Beside the record: the times that it gets when it is let go. */
  tell(held: Held) {
    const { player } = this;
    const edit = held.wanted;
    this.read.hidden = !edit;
    if (!edit) return;
    const texts = player.words.tryout;
    const said = [];
    const { ts, at, to, in: input } = edit;
    if (!held.row) said.push(say(texts.held_bound, { bound: duration(Number.parseInt(String(edit.value), 10)) }));
    if (ts !== undefined) said.push(say(texts.held_ts, { time: player.times.record(Number(ts)) }));
    if (at !== undefined) said.push(say(texts.held_at, { time: player.times.record(Number(at)) }));
    if (to !== undefined) said.push(say(texts.held_item, { number: Number(to) + 1 }));
    if (input !== undefined) said.push(say(texts.held_in, { input }));
    this.read.textContent = said.join(" · ");
    const { offsetWidth, parentElement } = this.read;
    const room = (parentElement?.clientWidth ?? 0) - offsetWidth - 4;
    this.read.style.left = `${Math.max(Math.min(held.to.x + 18, room), 4)}px`;
    this.read.style.top = `${held.to.y - 34}px`;
  }

  drop(event: PointerEvent) {
    const { held } = this;
    this.dropped = Boolean(held?.moved);
    if (held && event.type === "pointercancel") held.wanted = null;
    this.release();
  }

  /** Escape lets the record go where it was; no other key does anything while one is held. */
  cancel(event: KeyboardEvent) {
    if (!this.held?.moved) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (event.key !== "Escape") return;
    this.held.wanted = null;
    this.release();
    // The button is still down: the click of its release is no question why.
    this.dropped = true;
  }

  /** What the move is in the scenario; null where it is none. */
  edit({ row, bound, byClock, from, perX, perY, side, to }: Held): Edit | null {
    const { payload } = this.player;
    const by = (px: number, per: number, least = 6) => {
      const step = roundUp(Math.abs(per) * least);
      return { step, ms: px * per };
    };
    const snapped = (was: number, { step, ms }: { step: number; ms: number }) =>
      ms ? Math.round((was + ms) / step) * step : was;
    const right = by(to.x - from.x, perX);
    if (!row) {
      const ms = Math.max(snapped(bound, { step: right.step, ms: -right.ms }), 0);
      return ms === bound ? null : { kind: "control", name: "bound", value: `${ms}ms` };
    }
    const edit: Edit = { kind: "place", item: row.item };
    const down = by(side ? 0 : to.y - from.y, perY);
    if (side && side !== row.input) edit.in = side;
    if (byClock || row.ts === null) {
      if (right.ms) edit.at = snapped(row.at, right);
    } else if (right.ms) edit.ts = snapped(row.ts, right);
    if (down.ms && payload.arrival_axis === "item") edit.to = Math.max(Math.round(row.item + down.ms), 0);
    else if (down.ms && !byClock) edit.at = snapped(row.at, down);
    return Object.keys(edit).length > 2 ? edit : null;
  }

  end() {
    window.removeEventListener("pointermove", this.onMove);
    window.removeEventListener("pointerup", this.onUp);
    window.removeEventListener("pointercancel", this.onUp);
    window.removeEventListener("keydown", this.onKey, true);
    this.ink.replaceChildren();
    this.read.hidden = true;
    this.player.root.classList.remove("tm-dragging");
  }

  /** Lets go of what is held: its last edit stays. */
  release() {
    const { held } = this;
    this.end();
    if (!held) return;
    held.released = true;
    if (held.moved && held.follows) this.player.tryouts.follow(held);
    else {
      globalThis.tidemarkHeld = null;
      if (held.moved && held.wanted) this.player.tryouts.make(held.wanted);
    }
  }

  /** A player with a later answer has come, or the last one: the run of what is asked for since. */
  goOn() {
    const { held } = this;
    if (!held || this.player.closed) return;
    if (!held.released && held.moved) this.draw(held);
    this.player.tryouts.follow(held);
  }

  /** The last answer is there. */
  over() {
    globalThis.tidemarkHeld = null;
  }

  // --- the watermark's line -----------------------------------------------------------------------------------------

  /** The bound (ms) that the line can be pulled to change; null where the run has none, and in a join's picture. */
  get bound() {
    const { join, payload, tryouts } = this.player;
    if (join.on || !tryouts.possible || payload.parts.length > 1) return null;
    return payload.numbers.find((each) => each.name === "bound")?.ms ?? null;
  }

  /** The corners of the line up to the present moment, in the plane's card (px). */
  corners(): Point[] {
    const { facts, payload, step } = this.player;
    const area = plot(this.player);
    if (!area) return [];
    const now = facts.at("steps", step)[0];
    const place = (value: number, arrival: number) => ({ x: area.left + area.x(value), y: area.top + area.y(arrival) });
    const found: Point[] = [];
    let last: number | null = null;
    for (const row of facts.all("watermark")) {
      if (row.from_step > step) break;
      if (row.value === null || row.arrival === null) continue;
      if (last !== null) found.push(place(last, row.arrival));
      found.push(place(row.value, row.arrival));
      last = row.value;
    }
    if (last !== null) found.push(place(last, payload.arrival_axis === "at" ? now.at : now.item));
    return found;
  }

  onLine(x: number, y: number) {
    const corners = this.corners();
    return corners.slice(1).some((to, index) => {
      const from = corners[index];
      const beside = (one: number, other: number, at: number) =>
        at >= Math.min(one, other) - NEAR_LINE && at <= Math.max(one, other) + NEAR_LINE;
      return beside(from.x, to.x, x) && beside(from.y, to.y, y);
    });
  }

  /** The line as it would be with the bound that is asked for: what is drawn may be an answer behind. */
  lineAsked({ bound, perX, wanted }: Held) {
    const asked = wanted ? Number.parseInt(String(wanted.value), 10) : bound;
    const by = ((this.bound ?? bound) - asked) / perX;
    const area = plot(this.player);
    if (!area) return "";
    const inside = (x: number) => Math.min(Math.max(x + by, area.left), area.left + area.width);
    return this.corners()
      .map(({ x, y }, index) => `${index ? "L" : "M"}${inside(x)} ${y}`)
      .join("");
  }

  close() {
    this.end();
  }
}
