// Keyed drawing in SVG: a layer keeps the node of each thing for as long as the thing looks the same, so that a step
// costs what has changed.
import { fill, mark, svg } from "../base/dom.ts";
import { TEXT, carriedBy, labelOf } from "./layout.ts";
import type { Attributes } from "../types/player.ts";
import type { Box, Drawing, Label, Laid, Place } from "../types/picture.ts";
import type { Halo, Line, PlaneRecord, ResultBox, Side } from "#types/payload";

/** A group of the picture; what is drawn later lies above. */
export class Layer {
  node: SVGGElement;
  kept: Map<unknown, { sign: unknown; node: SVGElement }> = new Map();

  /** @param name the class of the group, after `tm-pic-` */
  constructor(parent: SVGElement, name: string) {
    this.node = svg("g", { class: `tm-pic-${name}` });
    parent.append(this.node);
  }

  /**
   * Shows exactly these things, the first at the back. A thing with another sign is drawn again; one that stays is only
   * moved, if `move` is given.
   */
  show<T>(things: T[], { key, sign, draw, move }: Drawing<T>) {
    const kept: Map<unknown, { sign: unknown; node: SVGElement }> = new Map();
    for (const thing of things) {
      const name = key ? key(thing) : thing;
      const mine = sign ? sign(thing) : undefined;
      const before = this.kept.get(name);
      const same = before !== undefined && before.sign === mine;
      const node = same ? before.node : draw(thing);
      kept.set(name, { sign: mine, node });
      move?.(node, thing);
    }
    for (const [name, { node }] of this.kept) if (kept.get(name)?.node !== node) node.remove();
    this.kept = kept;
    let next = this.node.firstChild;
    for (const { node } of kept.values()) {
      if (node === next) next = next.nextSibling;
      else this.node.insertBefore(node, next);
    }
  }

  clear() {
    this.kept.clear();
    this.node.replaceChildren();
  }
}

/** Gives an element an attribute only if it has another value, since the browser lays out again what is written. */
export function put(node: Element, name: string, value: string | number) {
  if (node.getAttribute(name) !== String(value)) node.setAttribute(name, String(value));
}

/** A number of px in a path, short. */
export function px(value: number) {
  return String(Math.round(value * 10) / 10);
}

/** A text element. */
export function written(said: string, attributes: Attributes) {
  const node = svg("text", attributes);
  node.textContent = said;
  return node;
}

/**
 * A text element at a place.
 * @param y the baseline
 */
export function textAt(said: string, x: number, y: number, more: Attributes = {}) {
  return written(said, { x: px(x), y: px(y), ...more });
}

// Round numbers of milliseconds, at which a dragged record stops.

const NICE = [1, 2, 5, 10, 20, 50, 100, 200, 500];

/** The smallest round number of ms that is at least `ms`. */
export function roundUp(ms: number) {
  for (let power = 1; power < 1e15; power *= 1000) for (const each of NICE) if (each * power >= ms) return each * power;
  return 1e15;
}

// How records and results look on the plane: shape first, colour second. Their colours are in css/3b-picture.css.

const SQUARES: { [look: string]: string } = { solid: "fired", early: "early", late: "update", minus: "minus" };
const CROSSED = new Set(["dropped", "side", "skipped"]);
const SQUARE = 14;

/** A record's mark, with its key or its number where there is room for it. */
export function recordMark(row: PlaneRecord, { x, y }: Place, { dot, numbers }: Pick<Laid, "dot" | "numbers">) {
  const { fate } = row;
  const group = svg("g", {
    class: `tm-pic-record tm-is-${fate}`,
    "data-id": row.id,
    transform: `translate(${px(x)} ${px(y)})`,
  });
  const r = dot / 2;
  if (CROSSED.has(fate)) {
    const arm = dot * 0.29;
    const d = `M${px(-arm)} ${px(-arm)}L${px(arm)} ${px(arm)}M${px(arm)} ${px(-arm)}L${px(-arm)} ${px(arm)}`;
    if (fate === "side") {
      group.append(svg("rect", { x: px(-r), y: px(-r), width: px(dot), height: px(dot), class: "tm-pic-square" }));
    }
    group.append(svg("path", { d, class: "tm-pic-under" }), svg("path", { d, class: "tm-pic-cross" }));
  } else if (fate === "late-accepted") {
    group.append(svg("path", { d: triangle(r * 1.04), class: "tm-pic-shape" }));
  } else {
    const ring: Attributes = fate === "behind" ? { "stroke-width": px(dot * 0.15) } : {};
    const inner = fate === "behind" ? r * 0.92 : fate === "filtered" ? r * 0.7 : r;
    group.append(svg("circle", { r: px(inner), class: "tm-pic-shape", ...ring }));
    if (fate === "filtered") {
      group.append(svg("path", { d: `M${px(-r * 0.75)} ${px(r * 0.75)}L${px(r * 0.75)} ${px(-r * 0.75)}` }));
    }
  }
  const carried = carriedBy(row, dot, numbers);
  if (carried) {
    const size = Math.min(12, dot * 0.72, (dot * 1.5) / carried.length);
    group.append(
      textAt(carried, 0, size * 0.33, { "text-anchor": "middle", "font-size": size, ...names("key", row.id) }),
    );
  }
  return group;
}

function triangle(r: number) {
  return `M0 ${px(-r * 0.9)}L${px(r)} ${px(r * 0.85)}H${px(-r)}z`;
}

/**
 * A small pointer at the side by which a record came in.
 * @param place its middle
 */
export function sideMark(row: Side, { x, y }: Place) {
  const way = row.right ? 1 : -1;
  return svg("path", {
    d: `M${px(x - way * 3.5)} ${px(y - 4)}v8l${7 * way} -4z`,
    class: `tm-pic-side${row.quiet ? " tm-quiet-mark" : ""}`,
  });
}

/** A result: its square says when it came, and beside it stands what it is. */
export function resultMark(
  row: ResultBox,
  { box, whole, ends }: { box: Box; whole: boolean; ends: { mark: number; end: number } },
) {
  const group = svg("g", { class: `tm-pic-result${row.struck ? " tm-struck" : ""}`, "data-id": row.id });
  const middle = (box.top + box.bottom) / 2;
  if (!whole) {
    group.append(square(row.look, (box.left + box.right) / 2, middle));
    return group;
  }
  const [wide, high] = [box.right - box.left, box.bottom - box.top - 2];
  group.append(
    svg("rect", { x: px(box.left), y: px(box.top + 1), width: px(wide), height: px(high), rx: 3 }),
    square(row.look, box.left + ends.mark / 2 + 1, middle),
    textAt(row.text, box.left + ends.mark, middle + TEXT * 0.34, names("result", row.id)),
  );
  if (row.struck) {
    group.append(
      svg("path", {
        d: `M${px(box.left + ends.mark)} ${px(middle)}H${px(box.right - ends.end + 1)}`,
        class: "tm-pic-strike",
      }),
    );
  }
  return group;
}

export function emittedMark(row: { id: string; look: string }, { x, y }: Place) {
  return fill(svg("g", { class: "tm-pic-result", "data-id": row.id }), square(row.look, x, y));
}

function square(look: string, x: number, y: number) {
  const node = mark(SQUARES[look]);
  for (const [name, value] of Object.entries({ x: x - SQUARE / 2, y: y - SQUARE / 2, width: SQUARE, height: SQUARE })) {
    node.setAttribute(name, px(value));
  }
  return node;
}

/** The label beside a record. */
export function recordLabel(
  row: PlaneRecord,
  { left, baseline }: Label,
  { dot, numbers }: Pick<Laid, "dot" | "numbers">,
) {
  const quiet = row.fate === "ahead" ? " tm-quiet-mark" : "";
  return textAt(labelOf(row, dot, numbers), left, baseline, {
    class: `tm-pic-label${quiet}`,
    ...names("record", row.id),
  });
}

/** What a label is, and the id of what it names: every text of the picture says so. */
export function names(kind: string, id: string) {
  return { "data-label": kind, "data-names": id };
}

/** A path along lines that are horizontal, vertical or slanting. */
export function lineThrough(rows: Line[], { x, y }: { x: (ms: number) => number; y: (arrival: number) => number }) {
  return rows.map((row) => `M${px(x(row.x))} ${px(y(row.y))}L${px(x(row.x2))} ${px(y(row.y2))}`).join("");
}

/** The rings of a step. */
export function ringsOf(rows: Halo[], { at, dot }: Laid) {
  return rows.flatMap((row) => {
    const place = at.get(row.id);
    return place ? [{ id: row.id, x: place.x, y: place.y, r: dot / 2 + 7 }] : [];
  });
}
