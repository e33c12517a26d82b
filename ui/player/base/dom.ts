// Small helpers to build elements. Text always goes in as text, never as markup.
import type { Attributes, Child, Children } from "../types/player.ts";

/** An element with a class and, maybe, text and attributes. */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className = "",
  text: string | number | null = null,
  attributes: Attributes = {},
) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== null && text !== undefined) node.textContent = String(text);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  return node;
}

/** An SVG element. */
export function svg<Tag extends keyof SVGElementTagNameMap>(tag: Tag, attributes: Attributes = {}) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  return node;
}

/** `parent` with exactly these children; nulls are left out. */
export function fill<Parent extends Element>(parent: Parent, ...children: Children[]) {
  parent.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined));
  return parent;
}

/** Rows of a table for `items`, made again only where the item at a place is another one (by `sign`). */
export function patch<T>(
  body: HTMLElement & { tmShown?: unknown[] },
  items: T[],
  sign: (item: T) => unknown,
  render: (item: T) => HTMLElement,
) {
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
 * @returns the same object for the same two
 */
export function signer(): (fact: object, extra: string) => object {
  const signs: WeakMap<object, Map<string, object>> = new WeakMap();
  return (fact, extra) => {
    const mine = signs.get(fact) ?? new Map();
    signs.set(fact, mine);
    const sign = mine.get(extra) ?? { fact, extra };
    mine.set(extra, sign);
    return sign;
  };
}

/** What is below `root` and matches, as elements that may carry data. */
export function dataNodes(root: ParentNode, selector: string): NodeListOf<HTMLElement> {
  return root.querySelectorAll(selector);
}

/** The nearest element to where an event happened that matches, null for none. */
export function nearest(event: Event, selector: string) {
  return event.target instanceof Element ? (event.target.closest(selector) as HTMLElement | null) : null;
}

/** A table's row of cells; a cell is text or a node, `numeric` names the right-aligned columns. */
export function tableRow(
  cells: (Child | number)[],
  { header = false, numeric = [], className = "" }: { header?: boolean; numeric?: number[]; className?: string } = {},
) {
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
