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

/** A button that does `act` when it is pressed. */
export function pushButton(
  className: string,
  text: string | number | null,
  act: (event: MouseEvent) => void,
  attributes: Attributes = {},
) {
  const node = el("button", className, text, { type: "button", ...attributes });
  node.addEventListener("click", act);
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

/** Makes the buttons of `group` one stop of the Tab key: the pressed one has `tabIndex` 0, arrow keys press another. */
export function roving(group: HTMLElement) {
  const buttons = [...group.querySelectorAll("button")];
  group.dataset.roving = "";
  group.addEventListener("keydown", (event) => {
    const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const at = buttons.findIndex((each) => each === event.target);
    if (!way || at < 0) return;
    event.preventDefault();
    event.stopPropagation();
    const next = buttons[(at + way + buttons.length) % buttons.length];
    next.click();
    next.focus();
  });
}

/**
 * Gives the arrow keys back to the page after a choice by pointer: what takes them for itself loses the focus, wherever
 * it stands in `root`. After a choice by keyboard it keeps it.
 */
export function freeArrows(root: HTMLElement) {
  let pointed = false;
  root.addEventListener("pointerdown", () => (pointed = true), true);
  root.addEventListener("keydown", () => (pointed = false), true);
  const free = (selector: string) => (event: Event) => {
    if (pointed) (event.target as Element).closest<HTMLElement>(selector)?.blur();
  };
  root.addEventListener("click", free("[role='tab'], [data-roving] > button"));
  root.addEventListener("change", free("select, [type='range']"));
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

// Icons and marks as inline SVG: nothing is fetched, and every font shows the same.

const PATHS: { [name: string]: string } = {
  start: "M4 3h2v10H4zM13 3v10L6.5 8z",
  end: "M12 3h-2v10h2zM3 3v10l6.5-5z",
  back: "M11 3v10L4 8z",
  forward: "M5 3v10l7-5z",
  fastBack: "M8 3v10L1.5 8zM14.5 3v10L8 8z",
  fastForward: "M8 3v10l6.5-5zM1.5 3v10L8 8z",
  play: "M4 2.5v11l9.5-5.5z",
  pause: "M4 3h3v10H4zM9 3h3v10H9z",
  chevron: "M4 6l4 4 4-4",
  right: "M6 4l4 4-4 4",
  link: [
    "M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2.3-2.3a2.6 2.6 0 0 0-3.7-3.7l-.9.9",
    "M9.2 6.8a2.6 2.6 0 0 0-3.7 0L3.2 9.1a2.6 2.6 0 0 0 3.7 3.7l.9-.9",
  ].join(""),
  flag: "M4 14V2.500h8l-2 3 2 3H4",
  up: "M8 11V3M4.5 6.500L8 3l3.500 3.500M3 13.500h10",
  download: "M8 2.500v8M4.5 7.500L8 11l3.500-3.500M3 13.500h10",
  check: "M3 8.500l3.3 3.300L13 4.8",
  cross: "M4 4l8 8M12 4l-8 8",
  clock: "M8 2a6 6 0 1 0 0 12a6 6 0 0 0 0-12zM8 4.500V8l2.300 1.700",
  search: "M7 2.500a4.5 4.500 0 1 0 0 9a4.5 4.500 0 0 0 0-9zM10.3 10.300L14 14",
  screen: "M2 3h12v8H2zM6 14h4M8 11v3",
  both: "M2 3h8v8H2zM6 5.500h8v8H6z",
  bookmark: "M4 2.500h8v11l-4-3-4 3z",
  dot: "M8 3.200a4.8 4.800 0 1 0 0 9.600a4.8 4.800 0 0 0 0-9.600z",
  remove: "M4 4l8 8M12 4l-8 8",
  plus: "M8 3v10M3 8h10",
  pencil: "M3 13l.7-3L10.500 3.200l2.300 2.300L6 12.300zM9 4.700l2.300 2.300",
  undo: "M6.500 3.500L3 7l3.500 3.500M3 7h6.500a3.500 3.500 0 0 1 0 7H6",
  redo: "M9.500 3.500L13 7l-3.500 3.500M13 7H6.500a3.500 3.500 0 0 0 0 7H10",
  arrowUp: "M8 13V3M4 7l4-4 4 4",
  arrowDown: "M8 3v10M4 9l4 4 4-4",
  warning: "M8 2.500l6 11H2zM8 7v3M8 11.800v.4",
};
const TURN = "M11.5 8A3.5 3.5 0 1 1 9.8 4.99M7.1 4.6L10 5.1L9.6 2.3";
const FILLED = new Set(["start", "end", "back", "forward", "fastBack", "fastForward", "play", "pause"]);

/** A 16 px icon in the text's colour. */
export function icon(name: string) {
  const root = svg("svg", { viewBox: "0 0 16 16", class: "tm-icon", "aria-hidden": "true" });
  const look: Attributes = FILLED.has(name)
    ? { fill: "currentColor" }
    : {
        fill: "none",
        stroke: "currentColor",
        "stroke-width": "1.7",
        "stroke-linecap": "round",
        "stroke-linejoin": "round",
      };
  root.append(svg("path", { d: PATHS[name], ...look }));
  return root;
}

type Shape = [tag: keyof SVGElementTagNameMap, attributes: { [name: string]: string | number }];

const CROSS: Shape = ["path", { d: "M3.5 3.500l9 9M12.5 3.500l-9 9", class: "tm-stroke" }];

const MARKS: { [kind: string]: Shape[] | undefined } = {
  "on-time": [["circle", { cx: 8, cy: 8, r: 6.5, class: "tm-solid" }]],
  behind: [["circle", { cx: 8, cy: 8, r: 6, class: "tm-solid tm-ringed" }]],
  arrived: [["circle", { cx: 8, cy: 8, r: 6, class: "tm-hollow" }]],
  ahead: [["circle", { cx: 8, cy: 8, r: 6, class: "tm-dashed" }]],
  late: [["path", { d: "M8 1.500l7 12.500H1z", class: "tm-solid" }]],
  dropped: [CROSS],
  side: [["rect", { x: 1.5, y: 1.5, width: 13, height: 13, class: "tm-hollow" }], CROSS],
  right: [["path", { d: "M2.5 8.500l3.8 3.800L13.5 4.5", class: "tm-stroke" }]],
  fired: [["rect", { x: 2.5, y: 2.5, width: 11, height: 11, class: "tm-solid" }]],
  early: [["rect", { x: 3, y: 3, width: 10, height: 10, class: "tm-hollow" }]],
  // A turning arrow in the square, as in the plane (charts/plane.py): ↻ stands for a window that fires again.
  update: [
    ["rect", { x: 1, y: 1, width: 14, height: 14, class: "tm-hollow" }],
    ["path", { d: TURN, class: "tm-turn" }],
  ],
  minus: [
    ["rect", { x: 3, y: 3, width: 10, height: 10, class: "tm-hollow" }],
    ["path", { d: "M5.500 8h5", class: "tm-stroke" }],
  ],
  void: [
    ["rect", { x: 2, y: 3, width: 12, height: 10, class: "tm-dashed" }],
    ["path", { d: "M0 8h16", class: "tm-thin" }],
  ],
  skipped: [CROSS],
  filtered: [
    ["circle", { cx: 8, cy: 8, r: 5, class: "tm-thin tm-strong" }],
    ["path", { d: "M2.500 13.500l11-11", class: "tm-thin tm-strong" }],
  ],
  slice: [["rect", { x: 1, y: 4, width: 14, height: 8, rx: 2, class: "tm-dashed" }]],
  batch: [["path", { d: "M0 8h6M8 8h1M11 8h5", class: "tm-stroke" }]],
  stop: [["path", { d: "M0 8h6M8 8h1M11 8h5", class: "tm-stroke" }]],
  checkpoint: [["path", { d: "M4 14.500V2h9l-2.500 3.500L13 9H4", class: "tm-solid tm-outline" }]],
  restored: [["path", { d: "M4.500 6.500A5 5 0 1 1 3.500 10M3.500 2.500v4.500H8", class: "tm-thin tm-strong" }]],
  "left-input": [["path", { d: "M11 3v10L4 8z", class: "tm-solid" }]],
  "right-input": [["path", { d: "M5 3v10l7-5z", class: "tm-solid" }]],
  match: [["path", { d: "M0 8h16", class: "tm-stroke" }]],
  kept: [
    ["path", { d: "M-3 8h21", class: "tm-step" }],
    ["path", { d: "M18 3.500v9", class: "tm-thin" }],
  ],
  watermark: [["path", { d: "M1 4.500h7v7h7", class: "tm-step" }]],
  connector: [["path", { d: "M2 13L14 3", class: "tm-thin" }]],
};

/** The mark of a fate or result, as in the plane: shape first, colour second. */
export function mark(kind: string) {
  const root = svg("svg", { viewBox: "0 0 16 16", class: `tm-mark tm-mark-${kind}`, "aria-hidden": "true" });
  root.append(...(MARKS[kind] ?? []).map(([tag, attributes]) => svg(tag, attributes)));
  return root;
}

// Messages that name members, values and commands: these stand between backticks in a text, and as code on the screen.

const BETWEEN_BACKTICKS = /`([^`\n]+)`/;

/** The text as nodes for `fill` and `append`; never as markup. */
export function coded(text: string): (string | HTMLElement)[] {
  return text
    .split(BETWEEN_BACKTICKS)
    .map((piece, index) => (index % 2 ? el("code", "tm-coded", piece) : piece))
    .filter((piece) => piece !== "");
}

// What must be there by the time it is asked for.

/**
 * `value`, which is there by now.
 * @throws {TypeError} where it is not
 */
export function given<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new TypeError("a value is needed before it is there");
  return value;
}

// Copying a text, also where the browser has no clipboard for a page.

/**
 * Copies `text`. Only a page of this machine or one by https has a clipboard; elsewhere, as on a phone in a classroom,
 * a prompt lets the reader copy by hand.
 * @param label what the prompt says
 * @returns whether the text has been copied
 */
export async function copied(text: string, label: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // eslint-disable-next-line no-alert -- a prompt has the text selected, and closes with Enter
    window.prompt(label, text);
    return false;
  }
}

// Files for the reader: their names, and how the browser saves one.

const LONGEST_NAME = 60;
const REVOKED_LATER = 20000;

/** `late-but-allowed-step-114.png`: only letters, digits and hyphens, whatever the scenario is called. */
export function fileName(scenario: string, part: string, ending: string) {
  const safe =
    scenario
      .toLowerCase()
      .replace(/[^a-z0-9-]+/g, "-")
      .replace(/^-+|(?<!-)-+$/g, "")
      .slice(0, LONGEST_NAME) || "scenario";
  return `${safe}${part ? `-${part}` : ""}.${ending}`;
}

/** Saves `blob` as a file. */
export function save(blob: Blob, name: string) {
  const url = URL.createObjectURL(blob);
  const link = el("a", "", null, { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), REVOKED_LATER);
}

/** Bytes as base64, converted in pieces because each byte is an argument on the stack. */
export function base64(bytes: Uint8Array) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768));
  return btoa(text);
}

// A canvas's 2D context, and how wide and high a canvas would write a text.

const measuring: { context: CanvasRenderingContext2D | null } = { context: null };

/** @throws {Error} where the browser has no memory left for one */
export function context2d(canvas: HTMLCanvasElement) {
  const context = canvas.getContext("2d");
  if (!context) throw new Error("picture_too_large");
  return context;
}

/** @param font as in CSS */
export function textMetrics(font: string, text: string) {
  measuring.context ??= context2d(document.createElement("canvas"));
  measuring.context.font = font;
  return measuring.context.measureText(text);
}
