// What a part of the page shows, as a list of things to draw: boxes, paths and texts, in px from its corner.
// From that list a picture is painted on a canvas or written as SVG, and looks as it does on the screen.
import { textMetrics } from "./measuring.js";
/** @import { Drawn, DrawnBox, DrawnPath, DrawnText, Rectangle } from "../types/share.d.ts" */

const UNPAINTED = new Set(["rgba(0, 0, 0, 0)", "transparent", "none", ""]);
const DRAWN_SHAPES = new Set(["path", "circle", "rect", "line"]);
const HATCH = { apart: 6.5 * Math.SQRT2, line: 1.5 };

/**
 * A drawing in the making: what has been found, the page's place of its corner, and what replaces elements.
 * @typedef {{ list: Drawn[], left: number, top: number, instead: Map<Element, Drawn> }} Drawing
 */

/**
 * Everything visible in `root`; `instead` holds what is drawn in place of some of its elements.
 * @param {Element} root
 * @param {Map<Element, Drawn>} [instead]
 */
export function outline(root, instead = new Map()) {
  const { left, top } = root.getBoundingClientRect();
  /** @type {Drawn[]} */
  const list = [];
  outlineOf(root, { list, left, top, instead });
  return list;
}

/**
 * @param {Element} element
 * @param {Drawing} drawing
 */
function outlineOf(element, drawing) {
  const other = drawing.instead.get(element);
  if (other) {
    drawing.list.push(other);
    return;
  }
  const style = getComputedStyle(element);
  if (style.display === "none" || style.visibility === "hidden" || Number(style.opacity) === 0) return;
  const place = placeOf(element.getBoundingClientRect(), drawing);
  if (element instanceof SVGSVGElement) {
    for (const shape of element.querySelectorAll("*")) {
      if (shape instanceof SVGGraphicsElement && DRAWN_SHAPES.has(shape.tagName)) {
        drawing.list.push(pathOf(shape, drawing));
      }
    }
    return;
  }
  drawing.list.push(...boxesOf(style, place));
  const before = beforeOf(element, style, place);
  if (before) drawing.list.push(...before);
  /** @type {Drawing} */
  const inside = { ...drawing, list: [] };
  for (const child of inOrder(element)) {
    if (child instanceof Text) inside.list.push(...textsOf(child, style, drawing));
    else if (child instanceof Element) outlineOf(child, inside);
  }
  if (!inside.list.length) return;
  const clips = style.overflowX !== "visible" || style.overflowY !== "visible";
  if (clips) drawing.list.push({ kind: "clip", ...place, list: inside.list });
  else drawing.list.push(...inside.list);
}

/**
 * The children from the back to the front.
 * @param {Element} element
 */
function inOrder(element) {
  const layer = (/** @type {Node} */ node) =>
    node instanceof Element ? Number(getComputedStyle(node).zIndex) || 0 : 0;
  return [...element.childNodes]
    .map((node) => ({ node, layer: layer(node) }))
    .sort((a, b) => a.layer - b.layer)
    .map(({ node }) => node);
}

/**
 * @param {DOMRect} rectangle
 * @param {{ left: number, top: number }} corner
 * @returns {Rectangle}
 */
function placeOf(rectangle, { left, top }) {
  return { x: rectangle.left - left, y: rectangle.top - top, w: rectangle.width, h: rectangle.height };
}

/**
 * Background, hatching, borders, outline and inner line of a box, from the back to the front.
 * @param {CSSStyleDeclaration} style
 * @param {Rectangle} place
 */
function boxesOf(style, place) {
  /** @type {Drawn[]} */
  const found = [];
  const { x, y, w, h } = place;
  const r = Number.parseFloat(style.borderTopLeftRadius) || 0;
  if (w <= 0 || h <= 0) return found;
  const [ground, ...stripes] = style.backgroundImage.startsWith("repeating-linear-gradient")
    ? (style.backgroundImage.match(/rgba?\([^)]*\)/g) ?? [])
    : [];
  const fill = [ground, style.backgroundColor].find((each) => each && !UNPAINTED.has(each)) ?? null;
  if (fill) found.push({ kind: "box", x, y, w, h, r, fill });
  if (stripes.length) {
    found.push({
      kind: "clip",
      x,
      y,
      w,
      h,
      list: [{ kind: "path", d: hatching(place), fill: null, stroke: stripes.at(-1), line: HATCH.line }],
    });
  }
  found.push(...bordersOf(style, place, r));
  if (style.outlineStyle === "solid" && Number.parseFloat(style.outlineWidth) > 0) {
    const line = Number.parseFloat(style.outlineWidth);
    const away = Number.parseFloat(style.outlineOffset) + line / 2;
    found.push({
      kind: "box",
      x: x - away,
      y: y - away,
      w: w + 2 * away,
      h: h + 2 * away,
      r: r + away,
      fill: null,
      stroke: style.outlineColor,
      line,
    });
  }
  const inner = /^(rgba?\([^)]*\)) 0px 0px 0px ([\d.]+)px inset$/.exec(style.boxShadow);
  if (inner) found.push(framed(place, r, inner[1], Number(inner[2])));
  return found;
}

/**
 * @param {CSSStyleDeclaration} style
 * @param {Rectangle} place
 * @param {number} r
 * @returns {Drawn[]}
 */
function bordersOf(style, place, r) {
  const sides = ["top", "right", "bottom", "left"].map((side) => {
    const kind = style.getPropertyValue(`border-${side}-style`);
    return {
      line: kind === "none" ? 0 : borderWidth(style, side),
      colour: style.getPropertyValue(`border-${side}-color`),
      dashed: kind === "dashed",
    };
  });
  const [first] = sides;
  if (sides.every((each) => each.line === first.line && each.colour === first.colour)) {
    return first.line && !UNPAINTED.has(first.colour) ? [framed(place, r, first.colour, first.line, first.dashed)] : [];
  }
  const { x, y, w, h } = place;
  return sides.flatMap(({ line, colour, dashed }, side) => {
    if (!line || UNPAINTED.has(colour)) return [];
    const half = line / 2;
    const d = [
      `M${x} ${y + half}h${w}`,
      `M${x + w - half} ${y}v${h}`,
      `M${x} ${y + h - half}h${w}`,
      `M${x + half} ${y}v${h}`,
    ][side];
    return [{ kind: "path", d, fill: null, stroke: colour, line, dash: dashed ? [line * 2, line * 2] : null }];
  });
}

/**
 * @param {CSSStyleDeclaration} style
 * @param {string} side
 */
function borderWidth(style, side) {
  return Number.parseFloat(style.getPropertyValue(`border-${side}-width`)) || 0;
}

/**
 * A frame whose line lies inside the box.
 * @param {Rectangle} place
 * @param {number} r
 * @param {string} stroke
 * @param {number} line
 * @returns {DrawnBox}
 */
function framed({ x, y, w, h }, r, stroke, line, dashed = false) {
  const half = line / 2;
  return {
    kind: "box",
    x: x + half,
    y: y + half,
    w: Math.max(w - line, 0),
    h: Math.max(h - line, 0),
    r: Math.max(r - half, 0),
    fill: null,
    stroke,
    line,
    dash: dashed ? [line * 3, line * 2] : null,
  };
}

/** @param {Rectangle} place */
function hatching({ x, y, w, h }) {
  let d = "";
  for (let at = x; at < x + w + h; at += HATCH.apart) {
    d += `M${at.toFixed(1)} ${y.toFixed(1)}l${-h.toFixed(1)} ${h.toFixed(1)}`;
  }
  return d;
}

/**
 * The `::before` of an element, if it has a place of its own.
 * @param {Element} element
 * @param {CSSStyleDeclaration} around
 * @param {Rectangle} place
 */
function beforeOf(element, around, place) {
  const style = getComputedStyle(element, "::before");
  if (style.content === "none" || style.content === "normal" || style.position !== "absolute") return null;
  const [left, top, w, h, up, side] = [
    style.left,
    style.top,
    style.width,
    style.height,
    style.marginTop,
    style.marginLeft,
  ].map((each) => Number.parseFloat(each) || 0);
  const edge = (Number.parseFloat(style.borderTopWidth) || 0) * (style.boxSizing === "border-box" ? 0 : 1);
  return boxesOf(style, {
    x: place.x + borderWidth(around, "left") + left + side,
    y: place.y + borderWidth(around, "top") + top + up,
    w,
    h: h + edge,
  });
}

/**
 * A shape of an icon or mark, in the colours that it has on the screen.
 * @param {SVGGraphicsElement} shape
 * @param {{ left: number, top: number }} corner
 * @returns {DrawnPath}
 */
function pathOf(shape, { left, top }) {
  const style = getComputedStyle(shape);
  const { a, b, c, d, e, f } = shape.getScreenCTM() ?? new DOMMatrix();
  const number = (/** @type {string} */ name) => Number(shape.getAttribute(name) ?? 0);
  const colour = (/** @type {string} */ value) => (UNPAINTED.has(value) ? null : value);
  return {
    kind: "path",
    d: drawn(shape, number) ?? "",
    matrix: [a, b, c, d, e - left, f - top],
    fill: colour(style.fill),
    stroke: colour(style.stroke),
    line: Number.parseFloat(style.strokeWidth),
    cap: /** @type {CanvasLineCap} */ (style.strokeLinecap),
    dash:
      style.strokeDasharray === "none" ? null : style.strokeDasharray.split(",").map((each) => Number.parseFloat(each)),
  };
}

/**
 * @param {SVGGraphicsElement} shape
 * @param {(name: string) => number} number
 */
function drawn(shape, number) {
  switch (shape.tagName) {
    case "circle": {
      const r = number("r");
      return `M${number("cx") - r} ${number("cy")}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
    }
    case "rect":
      return `M${number("x")} ${number("y")}h${number("width")}v${number("height")}h${-number("width")}z`;
    case "line":
      return `M${number("x1")} ${number("y1")}L${number("x2")} ${number("y2")}`;
    default:
      return shape.getAttribute("d");
  }
}

/**
 * The lines of a text, each in its place.
 * @param {Text} node
 * @param {CSSStyleDeclaration} style
 * @param {Drawing} drawing
 * @returns {DrawnText[]}
 */
function textsOf(node, style, drawing) {
  /** @type {(Rectangle & { start: number, end: number })[]} */
  const found = [];
  const range = document.createRange();
  for (const word of node.data.matchAll(/\S+/g)) {
    range.setStart(node, word.index);
    range.setEnd(node, word.index + word[0].length);
    const place = placeOf(range.getBoundingClientRect(), drawing);
    if (!place.w) continue;
    const line = found.at(-1);
    if (line && Math.abs(line.y - place.y) < 2) {
      line.end = word.index + word[0].length;
      line.w = place.x + place.w - line.x;
    } else found.push({ ...place, start: word.index, end: word.index + word[0].length });
  }
  const font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  const { fontBoundingBoxAscent: above, fontBoundingBoxDescent: below } = textMetrics(font, "x");
  return found.map(({ x, y, w, h, start, end }) => ({
    kind: "text",
    x,
    y: y + (h - above - below) / 2 + above,
    w,
    text: node.data.slice(start, end).replace(/\s+/g, " "),
    font,
    size: style.fontSize,
    weight: style.fontWeight,
    family: style.fontFamily,
    slant: style.fontStyle,
    fill: style.color,
  }));
}
