// Keyed drawing in SVG: a layer keeps the node of each thing for as long as the thing looks the same, so that a step
// costs what has changed.
import { svg } from "../base/dom.js";
/** @import { Attributes } from "../types/player.d.ts" */
/** @import { Drawing } from "../types/picture.d.ts" */

/** A group of the picture; what is drawn later lies above. */
export class Layer {
  /**
   * @param {SVGElement} parent
   * @param {string} name the class of the group, after `tm-pic-`
   */
  constructor(parent, name) {
    this.node = svg("g", { class: `tm-pic-${name}` });
    /** @type {Map<unknown, { sign: unknown, node: SVGElement }>} */
    this.kept = new Map();
    parent.append(this.node);
  }

  /**
   * Shows exactly these things, the first at the back. A thing with another sign is drawn again; one that stays is only
   * moved, if `move` is given.
   * @template T
   * @param {T[]} things
   * @param {Drawing<T>} drawing
   */
  show(things, { key, sign, draw, move }) {
    /** @type {Map<unknown, { sign: unknown, node: SVGElement }>} */
    const kept = new Map();
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

/**
 * Gives an element an attribute only if it has another value, since the browser lays out again what is written.
 * @param {Element} node
 * @param {string} name
 * @param {string | number} value
 */
export function put(node, name, value) {
  if (node.getAttribute(name) !== String(value)) node.setAttribute(name, String(value));
}

/**
 * A number of px in a path, short.
 * @param {number} value
 */
export function px(value) {
  return String(Math.round(value * 10) / 10);
}

/**
 * A text element.
 * @param {string} said
 * @param {Attributes} attributes
 */
export function written(said, attributes) {
  const node = svg("text", attributes);
  node.textContent = said;
  return node;
}

/**
 * A text element at a place.
 * @param {string} said
 * @param {number} x
 * @param {number} y the baseline
 * @param {Attributes} [more]
 */
export function textAt(said, x, y, more = {}) {
  return written(said, { x: px(x), y: px(y), ...more });
}
