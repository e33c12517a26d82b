// Motion between neighbouring steps: a record falls to its row, its copy slides into its window, the watermark draws
// its stair, a result appears, a lost record does not get in; one step back, the same backwards.
//
// Theory of operation. A step is drawn at once and as a whole, as without motion: what moves is an animation over the
// finished picture, so nothing waits for it, and whatever is pressed ends it. `step` looks at the picture before and
// after, and moves the difference. A step back is the step forward in reverse: nodes that it has taken out of the
// picture come back for as long as they move. Jumps, print, exports and readers who want less motion get none.
import { svg } from "../base/dom.ts";
import { lineThrough, put, px } from "./svg.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { Player } from "../player.ts";
import type { Place } from "../types/picture.ts";
import type { Line } from "#types/payload";

/** How long a movement takes, ms: the first part, and the whole with what follows from it. */
const FIRST_MS = 210;
const WHOLE_MS = 340;
const EASE = "cubic-bezier(0.35, 0, 0.3, 1)";

const LOST = new Set(["dropped", "side"]);

/** What is shown at a step, as far as it moves. */
interface Look {
  step: number;
  /** marks of records and results, by id */
  records: Map<string, { node: SVGElement; fate: string; place: Place | null }>;
  results: Map<string, SVGElement>;
  /** the middles of the windows' boxes, by their holders */
  boxes: Map<string, Place>;
  stair: Line[];
  /** the watermark's x on the plane, px; null without one */
  watermark: number | null;
}

export class Motion extends PlayerPart {
  /** nodes that are in the picture only while they move */
  guests: SVGElement[] = [];
  running: Animation[] = [];
  /** the frame of the stair that is being drawn, and what draws it to its end */
  stair = 0;
  drawn: (() => void) | null = null;
  calm = window.matchMedia("(prefers-reduced-motion: reduce)");

  constructor(player: Player) {
    super(player);
    player.root.addEventListener("pointerdown", () => this.finish(), true);
  }

  /** Takes a step with `move`; what it changes is seen moving. */
  step(move: () => void) {
    this.finish();
    const { player } = this;
    if (this.calm.matches || !player.plane.scene.shown) {
      move();
      return;
    }
    const { part } = player.plane;
    const before = this.look();
    move();
    const after = this.look();
    if (after.step === before.step || player.plane.part !== part) return;
    const forward = after.step > before.step;
    const [earlier, later] = forward ? [before, after] : [after, before];
    this.records(earlier, later, forward);
    this.copies(earlier, later, forward);
    this.results(earlier, later, forward);
    this.watermark(before, after);
    this.drawStair(before.stair, after.stair);
  }

  /** Ends all movements: the picture is that of the step. */
  finish() {
    for (const each of this.running.splice(0)) each.cancel();
    for (const each of this.guests.splice(0)) each.remove();
    cancelAnimationFrame(this.stair);
    this.drawn?.();
    this.drawn = null;
  }

  look(): Look {
    const { plane, drawn: step } = this.player;
    const { scene } = plane;
    const nodes = (layer: SVGElement) =>
      new Map([...layer.children].map((node) => [(node as SVGElement).dataset.id ?? "", node as SVGElement]));
    const marks = nodes(scene.records.node);
    const shown = (scene.shown?.records ?? []).filter(({ id }) => marks.has(id));
    const mark = scene.shown?.mark[0];
    return {
      step,
      records: new Map(
        shown.map(({ id, fate }) => {
          const place = scene.laid?.at.get(id) ?? null;
          return [id, { node: marks.get(id) as SVGElement, fate, place }];
        }),
      ),
      results: nodes(scene.results.node),
      boxes: this.player.lanes.boxes(),
      stair: (scene.shown?.segments ?? []).filter((row) => !row.ended),
      watermark: mark && scene.frame ? scene.frame.x(mark.x) : null,
    };
  }

  /** Moves `node`, forward or backward; `delay` and `length` in ms. */
  move(node: Element, keyframes: PropertyIndexedKeyframes, forward: boolean, delay = 0, length = FIRST_MS) {
    const timing = { duration: length, easing: EASE, fill: "backwards" } as const;
    // What comes last goes first on the way back.
    const wait = forward ? delay : WHOLE_MS - delay - length;
    const direction = forward ? "normal" : "reverse";
    this.running.push(node.animate(keyframes, { ...timing, delay: wait, direction }));
  }

  /** A node that is not in the picture of the step is put into it for as long as it moves. */
  invite(node: SVGElement, parent: SVGElement) {
    node.removeAttribute("data-id");
    node.classList.add("tm-moving");
    parent.append(node);
    this.guests.push(node);
    setTimeout(() => node.remove(), WHOLE_MS);
    return node;
  }

  /** A record falls along the arrival axis to its row. */
  records(earlier: Look, later: Look, forward: boolean) {
    const { plane } = this.player;
    for (const [id, { node, place }] of later.records) {
      if (earlier.records.has(id) || !place || !plane.scene.frame) continue;
      const fall = plane.up ? plane.scene.frame.height - place.y : -place.y;
      const mark = forward ? node : this.invite(node, plane.scene.records.node);
      this.move(mark, { translate: [`0 ${px(fall)}px`, "0 0"], opacity: [0.4, 1] }, forward);
    }
  }

  /** Its copy slides into each window that takes it; that of a lost record turns back. */
  copies(earlier: Look, later: Look, forward: boolean) {
    const { facts } = this.player;
    const ids = new Map(facts.all("records").map((row) => [row.item, row.id]));
    const contents = facts.table("contents");
    for (let at = contents.lastBegun(later.step); at >= 0; at -= 1) {
      const row = contents.row(at);
      if (row.from_step <= earlier.step) break; // the rows are in the order of their first steps
      const box = later.boxes.get(row.holder);
      if (box) this.slide(ids.get(row.item) ?? "", later, box, forward);
    }
    for (const [id, { fate }] of later.records) {
      const was = earlier.records.get(id)?.fate;
      if (LOST.has(fate) && was !== undefined && !LOST.has(was)) {
        this.slide(id, later, null, forward);
      }
    }
  }

  /** A copy of a record's mark slides to a box; without one it turns back on the way to the lanes. */
  slide(id: string, { records }: Look, box: Place | null, forward: boolean) {
    const { lanes, plane } = this.player;
    const from = plane.placeOf(id);
    const inverse = lanes.picture.getScreenCTM()?.inverse();
    if (!from || !inverse || !records.has(id)) return;
    const canvas = plane.container.getBoundingClientRect();
    const start = new DOMPoint(canvas.left + from.x, canvas.top + from.y).matrixTransform(inverse);
    const copy = svg("circle", { cx: px(start.x), cy: px(start.y), r: px(plane.signals.dot / 2.4), class: "tm-copy" });
    this.invite(copy, lanes.picture);
    const end = box ?? { x: start.x, y: 0 };
    const there = `${px(end.x - start.x)}px ${px(end.y - start.y)}px`;
    const way = box ? { translate: ["0 0", there], opacity: [1, 0.5] } : { translate: ["0 0", there, "0 0"] };
    this.move(copy, way, forward, WHOLE_MS - FIRST_MS);
  }

  /** A result appears where the watermark has passed the end of its window. */
  results(earlier: Look, later: Look, forward: boolean) {
    const { results } = this.player.plane.scene;
    for (const [id, node] of later.results) {
      if (earlier.results.has(id)) continue;
      const mark = forward ? node : this.invite(node, results.node);
      this.move(mark, { opacity: [0, 1], scale: [0.4, 1] }, forward, WHOLE_MS - FIRST_MS);
    }
  }

  /** The end of the watermark's line goes from where it was to where it is. */
  watermark(before: Look, after: Look) {
    if (before.watermark === null || after.watermark === null || before.watermark === after.watermark) return;
    const { lanes, plane } = this.player;
    const shift = px(before.watermark - after.watermark);
    for (const node of [plane.scene.arrow, plane.scene.down, plane.scene.value, lanes.line]) {
      this.move(node, { translate: [`${shift}px 0`, "0 0"] }, true);
    }
  }

  /** The stair is drawn line by line, or taken back. */
  drawStair(before: Line[], after: Line[]) {
    const { segments, frame } = this.player.plane.scene;
    const same = after.findIndex((row, index) => row !== before[index]);
    const grows = after.length > before.length && (same === -1 || same >= before.length);
    const [short, long] = grows ? [before, after] : [after, before];
    if (!frame || short.length === long.length || short.some((row, index) => row !== long[index])) return;
    const extra = long.slice(short.length);
    const began = performance.now();
    const whole = segments.getAttribute("d") ?? "";
    this.drawn = () => put(segments, "d", whole);
    const next = (now: number) => {
      const passed = Math.min(1, Math.max(0, (now - began) / FIRST_MS));
      if (passed === 1) {
        this.drawn?.();
        this.drawn = null;
        return;
      }
      const share = Math.min((grows ? passed : 1 - passed) * extra.length, extra.length - 1e-6);
      const full = Math.floor(share);
      const { x, y, x2, y2 } = extra[full];
      const part = { ...extra[full], x, y, x2: x + (x2 - x) * (share - full), y2: y + (y2 - y) * (share - full) };
      put(segments, "d", lineThrough([...short, ...extra.slice(0, full), part], frame));
      this.stair = requestAnimationFrame(next);
    };
    next(began);
  }
}
