// Keyed drawing in SVG: a layer keeps the node of each thing for as long as the thing looks the same, so that a step
// costs what has changed.
import { svg } from "../base/dom.ts";
import type { Attributes } from "../types/player.ts";
import type { Drawing } from "../types/picture.ts";

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
