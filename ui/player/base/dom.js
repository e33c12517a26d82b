// Small helpers to build elements. Text always goes in as text, never as markup.
/** @import { Attributes, Child, Children } from "../types/player.d.ts" */

/**
 * An element with a class and, maybe, text and attributes.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string | number | null} [text]
 * @param {Attributes} [attributes]
 */
export function el(tag, className = "", text = null, attributes = {}) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== null && text !== undefined) node.textContent = String(text);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  return node;
}

/**
 * An SVG element.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 */
export function svg(tag, attributes = {}) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  return node;
}

/**
 * `parent` with exactly these children; nulls are left out.
 * @template {Element} Parent
 * @param {Parent} parent
 * @param {...Children} children
 */
export function fill(parent, ...children) {
  parent.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined));
  return parent;
}

/**
 * Rows of a table for `items`, made again only where the item at a place is another one (by `sign`).
 * @template T
 * @param {HTMLElement & { tmShown?: unknown[] }} body
 * @param {T[]} items
 * @param {(item: T) => unknown} sign
 * @param {(item: T) => HTMLElement} render
 */
export function patch(body, items, sign, render) {
  const shown = (body.tmShown ??= []);
  items.forEach((item, index) => {
    const mine = sign(item);
    if (shown[index] === mine) return;
    shown[index] = mine;
    const row = render(item);
    if (body.children[index]) body.children[index].replaceWith(row);
    else body.append(row);
  });
  shown.length = items.length;
  while (body.children.length > items.length) body.lastElementChild?.remove();
}

/**
 * A sign for `patch`: the fact itself, told apart by what else its row shows.
 * @returns {(fact: object, extra: string) => object} the same object for the same two
 */
export function signer() {
  /** @type {WeakMap<object, Map<string, object>>} */
  const signs = new WeakMap();
  return (fact, extra) => {
    const mine = signs.get(fact) ?? new Map();
    signs.set(fact, mine);
    const sign = mine.get(extra) ?? { fact, extra };
    mine.set(extra, sign);
    return sign;
  };
}

/**
 * What is below `root` and matches, as elements that may carry data.
 * @param {ParentNode} root
 * @param {string} selector
 * @returns {NodeListOf<HTMLElement>}
 */
export function dataNodes(root, selector) {
  return root.querySelectorAll(selector);
}

/**
 * The nearest element to where an event happened that matches, null for none.
 * @param {Event} event
 * @param {string} selector
 */
export function nearest(event, selector) {
  return event.target instanceof Element ? /** @type {HTMLElement | null} */ (event.target.closest(selector)) : null;
}

/**
 * A table's row of cells; a cell is text or a node, `numeric` names the right-aligned columns.
 * @param {(Child | number)[]} cells
 * @param {{ header?: boolean, numeric?: number[], className?: string }} [options]
 */
export function tableRow(cells, { header = false, numeric = [], className = "" } = {}) {
  const row = el("tr", className);
  cells.forEach((cell, index) => {
    const node = el(header ? "th" : "td", numeric.includes(index) ? "tm-num" : "");
    if (header) node.setAttribute("scope", "col");
    if (cell instanceof Node) node.append(cell);
    else node.textContent = String(cell ?? "");
    row.append(node);
  });
  return row;
}
