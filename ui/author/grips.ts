// Over the plane: a handle for each record, to choose it, drag it or move it with the arrow keys; and rings around
// what an edit changed.
import { el, given, svg } from "../player/base/dom.ts";
import { say, valueText } from "../player/base/format.ts";
import { recordId } from "../player/base/facts.ts";
import { roundUp } from "../player/picture/svg.ts";
import type { Author } from "./author.ts";
import type { Picture } from "./picture.ts";
import type { Changed, DraftRecord, Move, Place, PlaceEdit } from "./types.ts";

/** A record while it is dragged: where the pointer was at first (px), whether it has moved, which item it is by now. */
type Drag = Move & { now: number; start: Place; moved: boolean };

const NEAR_PX = 6;
const FINE_PX = 0.6;
const MOVED_PX = 3;
const SETTLE_MS = 260;
const MOST_GRIPS = 400;
const FLASH_MS = 1500;
const RECORD_WAYS: { [key: string]: Place | undefined } = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
const RECORD_PAGES: { [key: string]: number | undefined } = { PageUp: -1, PageDown: 1 };

/** The record whose handle an event happened on, null for none. */
function itemOf({ target }: Event) {
  const item = target instanceof HTMLElement ? target.dataset.item : undefined;
  return item ? Number(item) : null;
}

export class Grips {
  author: Author;
  picture: Picture;
  drag: Drag | null = null;
  /** a record while it is moved with the keys */
  nudge: Move | null = null;
  node: HTMLDivElement;
  ink = svg("svg", { class: "tm-au-ink", "aria-hidden": "true" });
  /** the handles by item */
  grips: Map<number, HTMLElement> = new Map();
  onMove;
  onUp;
  settling?: number;

  constructor(author: Author, picture: Picture) {
    this.author = author;
    this.picture = picture;
    this.node = el("div", "tm-au-grips", null, { role: "group", "aria-label": author.words.picture.records });
    this.node.append(this.ink);
    picture.field.append(this.node);
    this.node.addEventListener("pointerdown", (event) => this.press(event));
    this.node.addEventListener("keydown", (event) => this.key(event));
    this.node.addEventListener("focusin", (event) => {
      const item = itemOf(event);
      if (item !== null && !this.drag) this.author.choose(item, "picture");
    });
    this.onMove = (event: PointerEvent) => this.move(event);
    this.onUp = (event: PointerEvent) => this.drop(event);
  }

  /** The facts of the picture; handles are drawn and touched only once there are some. */
  get facts() {
    return given(this.picture.facts);
  }

  get plane() {
    return given(this.picture.plane);
  }

  // --- places ------------------------------------------------------------------------------------------------------

  /** Axes in data and px; `byItem`: arrival counts the items of the stream instead of ms. */
  axes() {
    const [width, height] = this.plane.size;
    return { ...this.plane.part.signals, width, height, byItem: this.facts.plane.arrival_axis === "item" };
  }

  /** Where (px) a place of the data is; beyond an axis at its edge. */
  px(x: number, y: number) {
    const { padding, scene } = this.plane;
    const frame = given(scene.frame);
    return [padding.left + frame.x(x), padding.top + frame.y(y)];
  }

  /** Where a record is in the data. */
  where(record: DraftRecord): Place {
    const { clock } = this.facts.plane;
    return [clock || record.ts === null ? record.at : record.ts, record.arrival];
  }

  /** @param record ; where (px) its mark is: beside its place if another record has the same one */
  middleOf(record: DraftRecord) {
    const mark = this.plane.placeOf(recordId(record.item));
    return mark ? [mark.x, mark.y] : this.px(...this.where(record));
  }

  /** Whether records can be moved in the picture at all. */
  get movable() {
    const { facts } = this.picture;
    return (
      facts !== null &&
      !facts.stream.generated &&
      facts.plane.parts.length === 1 &&
      facts.records.length <= MOST_GRIPS &&
      !this.author.locked
    );
  }

  /** How far one step goes: `x` in ms, `y` in ms or items. */
  grid(fine: boolean) {
    const a = this.drag?.axes ?? this.axes();
    const px = fine ? FINE_PX : NEAR_PX;
    return { x: roundUp(((a.x1 - a.x0) / a.width) * px), y: a.byItem ? 1 : roundUp(((a.y1 - a.y0) / a.height) * px) };
  }

  // --- drawing -----------------------------------------------------------------------------------------------------

  draw() {
    const { facts } = this;
    if (!this.plane.size[0]) return;
    const records = this.movable || facts.records.length <= MOST_GRIPS ? facts.records : [];
    const { words, times, chosen } = this.author;
    const there = new Set(records.map((each) => each.item));
    for (const [item, grip] of this.grips) {
      if (!there.has(item)) {
        grip.remove();
        this.grips.delete(item);
      }
    }
    const first = records[0]?.item;
    const rover = chosen !== null && there.has(chosen) ? chosen : first;
    for (const record of records) {
      let grip = this.grips.get(record.item);
      if (!grip) {
        grip = el("button", "tm-au-grip", null, { type: "button", "data-item": record.item });
        this.grips.set(record.item, grip);
        this.node.append(grip);
      }
      const [x, y] = this.middleOf(record);
      grip.style.transform = `translate(${x - 16}px, ${y - 16}px)`;
      grip.tabIndex = record.item === rover ? 0 : -1;
      grip.classList.toggle("tm-au-held", record.item === chosen);
      grip.classList.toggle("tm-au-away", Boolean(this.drag?.moved) && record.item === this.drag?.now);
      const byItem = this.facts?.plane.arrival_axis === "item";
      grip.setAttribute(
        "aria-label",
        say(words.picture[byItem ? "record_in_order" : "record"], {
          key: valueText(record.key),
          ts: times.short(record.ts),
          at: times.short(record.at),
          item: record.item,
          fate: words.picture.fates[record.fate],
        }),
      );
      grip.setAttribute("aria-pressed", String(record.item === chosen));
    }
    this.drawMove();
  }

  /** The path of the record that is being moved: where it was, an arrow, where it is now. */
  drawMove() {
    const move = this.drag?.moved ? this.drag : this.nudge;
    this.ink.replaceChildren();
    if (!move) return;
    const [x0, y0] = this.px(...move.from);
    const [x1, y1] = this.px(...move.to);
    const length = Math.hypot(x1 - x0, y1 - y0);
    this.ink.append(svg("circle", { cx: x0, cy: y0, r: 9, class: "tm-au-was" }));
    if (length > 26) {
      const [dx, dy] = [(x1 - x0) / length, (y1 - y0) / length];
      const [ax, ay] = [x1 - dx * 18, y1 - dy * 18];
      const corner = (side: number) => `${ax - dx * 5 - side * dy * 5} ${ay - dy * 5 + side * dx * 5}`;
      this.ink.append(svg("path", { d: `M${x0 + dx * 10} ${y0 + dy * 10}L${ax} ${ay}`, class: "tm-au-arrow" }));
      this.ink.append(
        svg("path", {
          d: `M${ax + dx * 4} ${ay + dy * 4}L${corner(1)}L${corner(-1)}Z`,
          class: "tm-au-head-of-arrow",
        }),
      );
    }
    this.ink.append(svg("circle", { cx: x1, cy: y1, r: 15, class: "tm-au-now" }));
  }

  /** Rings around records and frames around results that an edit changed. */
  flash({ records, results }: Changed) {
    const { facts } = this;
    const changed = new Set(records);
    const numbers = new Set(results);
    const nodes: SVGElement[] = [];
    for (const record of facts.records) {
      if (!changed.has(record.item)) continue;
      const [cx, cy] = this.middleOf(record);
      nodes.push(svg("circle", { cx, cy, r: 15, class: "tm-au-flash" }));
    }
    const byItem = facts.plane.arrival_axis === "item";
    for (const result of facts.results) {
      if (!numbers.has(result.number) || result.at === null) continue;
      const a = this.axes();
      const y = byItem ? (result.item ?? a.y0) : result.at;
      const [left, top] = this.px(result.low ?? a.x0, y);
      const [right] = this.px(result.high ?? a.x1, y);
      nodes.push(
        svg("rect", {
          x: left + 1,
          y: top - 14,
          width: Math.max(right - left - 2, 12),
          height: 28,
          rx: 5,
          class: "tm-au-flash",
        }),
      );
    }
    this.ink.append(...nodes);
    setTimeout(() => nodes.forEach((each) => each.remove()), FLASH_MS);
  }

  // --- dragging ----------------------------------------------------------------------------------------------------

  press(event: PointerEvent) {
    const item = itemOf(event);
    if (event.button !== 0 || item === null) return;
    this.author.choose(item, "picture");
    this.focus(item);
    event.preventDefault();
    const record = this.facts.records.find((each) => each.item === item);
    if (!this.movable || !record) return;
    const from = this.where(record);
    const axes = this.axes();
    this.drag = { item, now: item, record, axes, from, to: from, start: [event.clientX, event.clientY], moved: false };
    window.addEventListener("pointermove", this.onMove);
    window.addEventListener("pointerup", this.onUp);
    window.addEventListener("pointercancel", this.onUp);
  }

  move(event: PointerEvent) {
    const { drag } = this;
    if (!drag) return;
    let [dx, dy] = [event.clientX - drag.start[0], event.clientY - drag.start[1]];
    if (!drag.moved && Math.hypot(dx, dy) < MOVED_PX) return;
    if (!drag.moved) {
      drag.moved = true;
      this.picture.hold(true);
      this.author.root.dataset.dragging = "true";
    }
    if (event.altKey) [dx, dy] = Math.abs(dx) > Math.abs(dy) ? [dx, 0] : [0, dy];
    const a = drag.axes;
    const grid = this.grid(event.shiftKey);
    const snapped: (value: number, step: number, was: number, by: number) => number = (value, step, was, by) =>
      by === 0 ? was : Math.round(value / step) * step;
    const x = drag.from[0] + (dx / a.width) * (a.x1 - a.x0);
    const y = drag.from[1] + (dy / a.height) * (a.y1 - a.y0);
    drag.to = [snapped(x, grid.x, drag.from[0], dx), snapped(y, grid.y, drag.from[1], Math.abs(dy) < 2 ? 0 : dy)];
    this.drawMove();
    this.author.preview(
      () => this.drag && this.asEdit(this.drag),
      (chosen) => {
        if (this.drag && chosen !== null) this.drag.now = chosen;
      },
    );
  }

  drop(event: PointerEvent) {
    window.removeEventListener("pointermove", this.onMove);
    window.removeEventListener("pointerup", this.onUp);
    window.removeEventListener("pointercancel", this.onUp);
    const { drag } = this;
    this.drag = null;
    delete this.author.root.dataset.dragging;
    this.picture.hold(false);
    if (!drag?.moved) return;
    const edit = event.type === "pointercancel" ? null : this.asEdit(drag);
    if (edit) this.author.edit(edit, { focus: true });
    else this.author.back();
  }

  asEdit(move: Move) {
    return placeEdit(move, this.facts.plane.clock);
  }

  // --- keys --------------------------------------------------------------------------------------------------------

  key(event: KeyboardEvent) {
    const item = itemOf(event);
    if (item === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const way = RECORD_WAYS[event.key];
    const next = RECORD_PAGES[event.key];
    if (way) {
      event.preventDefault();
      event.stopPropagation();
      if (this.movable) this.push(item, way, event.shiftKey);
    } else if (next) {
      event.preventDefault();
      event.stopPropagation();
      const items = [...this.grips.keys()].sort((one, other) => one - other);
      const to = items[items.indexOf(item) + next];
      if (to !== undefined) this.grips.get(to)?.focus();
    } else if (event.key === "Delete") {
      event.preventDefault();
      event.stopPropagation();
      this.author.edit({ kind: "remove", item });
    } else if (event.key === "Enter") {
      event.preventDefault();
      event.stopPropagation();
      this.author.toTable();
    }
  }

  /** Moves a record by a step; several presses in a row are one edit. */
  push(item: number, [right, down]: Place, fine: boolean) {
    if (!this.nudge || this.nudge.item !== item) {
      const record = given(this.facts.records.find((each) => each.item === item));
      const from = this.where(record);
      this.nudge = { item, record, axes: this.axes(), from, to: from };
    }
    const { nudge } = this;
    const grid = this.grid(fine);
    const step: (value: number, size: number, by: number) => number = (value, size, by) =>
      by
        ? Number.isInteger(value / size)
          ? value + by * size
          : (by > 0 ? Math.ceil : Math.floor)(value / size) * size
        : value;
    nudge.to = [step(nudge.to[0], grid.x, right), step(nudge.to[1], grid.y, down)];
    this.drawMove();
    clearTimeout(this.settling);
    this.settling = setTimeout(() => {
      const edit = this.asEdit(nudge);
      const done = () => {
        this.nudge = null;
        this.drawMove();
      };
      if (edit) this.author.edit(edit, { focus: true }).then(done);
      else done();
    }, SETTLE_MS);
  }

  /** Takes the focus to the handle of a record. */
  focus(item: number) {
    this.grips.get(item)?.focus({ preventScroll: true });
  }

  close() {
    clearTimeout(this.settling);
    window.removeEventListener("pointermove", this.onMove);
    window.removeEventListener("pointerup", this.onUp);
    window.removeEventListener("pointercancel", this.onUp);
  }
}

// The edit that a move in the picture stands for.

/**
 * Brings a record from where it was to where it is held; null where that is the same place. The arrival axis is that of
 * the picture in which the move began: a preview may have another one.
 * @param clock whether both axes are the clock
 */
export function placeEdit(
  { item, record, axes, from, to }: Pick<Move, "item" | "record" | "axes" | "from" | "to">,
  clock: boolean,
) {
  const edit: PlaceEdit = { kind: "place", item };
  const [right, down] = [to[0] !== from[0], to[1] !== from[1]];
  if (right && !clock && record.ts !== null) edit.ts = to[0];
  if (down && axes.byItem) edit.to = Math.max(to[1], 0);
  else if (down) edit.at = to[1];
  else if (right && clock) edit.at = to[0];
  return "ts" in edit || "to" in edit || "at" in edit ? edit : null;
}
