// Small helpers to build elements. Text always goes in as text, never as markup.

/** An element with a class and, maybe, text and attributes. */
export function el(tag, className = "", text = null, attributes = {}) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== null && text !== undefined) node.textContent = text;
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

/** An SVG element. */
export function svg(tag, attributes = {}) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

/** `parent` with exactly these children; nulls are left out. */
export function fill(parent, ...children) {
  parent.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined));
  return parent;
}

/** Rows of a table for `items`, made anew only where the item at a place is another one (by `sign`). */
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
  while (body.children.length > items.length) body.lastChild.remove();
}

/** A sign for `patch`: the fact itself, told apart by what else its row shows. */
export function signer() {
  const signs = new WeakMap();
  return (fact, extra) => {
    if (!signs.has(fact)) signs.set(fact, new Map());
    const mine = signs.get(fact);
    if (!mine.has(extra)) mine.set(extra, { fact, extra });
    return mine.get(extra);
  };
}

/** A table's row of cells; a cell is text or a node, `numeric` names the right-aligned columns. */
export function tableRow(cells, { header = false, numeric = [], className = "" } = {}) {
  const row = el("tr", className);
  cells.forEach((cell, index) => {
    const node = el(header ? "th" : "td", numeric.includes(index) ? "tm-num" : "");
    if (header) node.scope = "col";
    if (cell instanceof Node) node.append(cell);
    else node.textContent = cell ?? "";
    row.append(node);
  });
  return row;
}
