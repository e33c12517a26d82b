// A record in the picture, dragged to another time: its place while it is held, and the edit when it is let go.
import { el, svg } from "../base/dom.ts";
import { say } from "../base/format.ts";
import { roundUp } from "./svg.ts";
import { sideNear } from "./sides.ts";
import { placeOfRecord, plot, recordAt } from "../why/subjects.ts";
import type { Area, Edit, Point } from "../types/player.ts";
import type { JoinSide, RecordFact } from "#types/payload";
import type { Player } from "../player.ts";

/**
 * A record that is held. In the picture of a join it moves along event time, and to the other `side`; elsewhere it has
 * none.
 */
type Held = { row: RecordFact; start: Point; from: Point; to: Point; moved: boolean; side: JoinSide | null };

const DRAGGED_PX = 4;

export class Drag {
  player: Player;
  held: Held | null = null;
  dropped: boolean;
  ink = svg("svg", { class: "tm-ghost", "aria-hidden": "true" });
  onMove;
  onUp;
  onKey;
  read = el("p", "tm-drag-read", null, { "aria-hidden": "true" });

  constructor(player: Player) {
    this.player = player;
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

  press(event: PointerEvent) {
    const { player } = this;
    this.dropped = false;
    if (event.button !== 0 || !player.tryouts.possible || player.payload.parts.length > 1) return;
    const { left, top } = player.planeCard.getBoundingClientRect();
    const { clientLeft, clientTop } = player.planeCard;
    const [x, y] = [event.clientX - left - clientLeft, event.clientY - top - clientTop];
    const joins = Boolean(player.join.on);
    const row = joins ? player.join.recordAt(player.step, x, y) : recordAt(player, player.step, x, y);
    const area = row && plot(player);
    if (!row || !area) return;
    const from = (joins && player.join.placeOf(row)) || placeOfRecord(row, area);
    const side = joins ? (row.input as JoinSide) : null;
    this.held = { row, start: { x: event.clientX, y: event.clientY }, from, to: from, moved: false, side };
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
    if (!held.moved && event.pointerType === "touch" && Math.abs(dy) > Math.abs(dx)) {
      this.held = null;
      this.end();
      return;
    }
    held.moved = true;
    event.preventDefault();
    this.player.root.classList.add("tm-dragging");
    // Nearly along one axis: along that one alone.
    const flat = Math.abs(dx) > 3 * Math.abs(dy);
    const steep = Math.abs(dy) > 3 * Math.abs(dx);
    const y = held.side ? this.toSide(held, dy) : held.from.y + (flat ? 0 : dy);
    held.to = { x: held.from.x + (steep ? 0 : dx), y };
    this.draw(held);
  }

  /**
   * In the picture of a join: where a record stands on the side that the pointer is nearest to.
   * @param dy px
   */
  toSide(held: Held, dy: number) {
    const { canvas, join } = this.player;
    const { lanes } = join.place;
    held.side = sideNear(lanes, held.from.y + dy - canvas.offsetTop);
    return held.side === held.row.input ? held.from.y : canvas.offsetTop + lanes[held.side];
  }

  draw(held: Held) {
    const { from, to } = held;
    this.ink.replaceChildren(
      svg("circle", { cx: from.x, cy: from.y, r: 10, class: "tm-ghost-record" }),
      svg("path", { d: `M${from.x} ${from.y}L${to.x} ${to.y}`, class: "tm-ghost-way" }),
      svg("circle", { cx: to.x, cy: to.y, r: 12, class: "tm-ghost-held" }),
    );
    this.tell(held);
  }

  /** Beside the record: the times that it gets when it is let go. */
  tell(held: Held) {
    const { player } = this;
    const area = plot(player);
    const edit = area && this.edit(held, area);
    this.read.hidden = !edit;
    if (!edit) return;
    const texts = player.words.tryout;
    const said = [];
    const { ts, at, to, in: input } = edit;
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
    this.end();
    const { held } = this;
    this.held = null;
    this.dropped = Boolean(held?.moved);
    const area = held?.moved && event.type !== "pointercancel" ? plot(this.player) : null;
    const edit = held && area ? this.edit(held, area) : null;
    if (edit) this.player.tryouts.make(edit);
  }

  /** Escape lets the record go where it was; no other key does anything while one is held. */
  cancel(event: KeyboardEvent) {
    if (!this.held?.moved) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (event.key !== "Escape") return;
    this.held = null;
    this.end();
    // The button is still down: the click of its release is no question why.
    this.dropped = true;
  }

  /** What the move is in the scenario; null where it is none. */
  edit({ row, from, to, side }: Held, area: Area): Edit | null {
    const { plane, payload } = this.player;
    const { x0, x1, y0, y1 } = plane.part.signals;
    const [perX, perY] = [(x1 - x0) / area.width, ((y1 - y0) / area.height) * (plane.up ? -1 : 1)];
    const by = (px: number, per: number, least = 6) => {
      const step = roundUp(Math.abs(per) * least);
      return { step, ms: px * per };
    };
    const snapped = (was: number, { step, ms }: { step: number; ms: number }) =>
      ms ? Math.round((was + ms) / step) * step : was;
    const edit: Edit = { kind: "place", item: row.item };
    const right = by(to.x - from.x, perX);
    const down = by(side ? 0 : to.y - from.y, perY);
    if (side && side !== row.input) edit.in = side;
    if (area.byClock || row.ts === null) {
      if (right.ms) edit.at = snapped(row.at, right);
    } else if (right.ms) edit.ts = snapped(row.ts, right);
    if (down.ms && payload.arrival_axis === "item") edit.to = Math.max(Math.round(row.item + down.ms), 0);
    else if (down.ms && !area.byClock) edit.at = snapped(row.at, down);
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

  close() {
    this.end();
  }
}
