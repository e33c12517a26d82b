// What a part of the page shows, as a list of things to draw: boxes, paths and texts, in px from its corner.
// From that list a picture is painted on a canvas or written as SVG, and looks as it does on the screen.
import { textMetrics } from "../base/dom.ts";
import type { Drawn, DrawnBox, DrawnPath, DrawnText, Matrix, Rectangle } from "../types/share.ts";

const UNPAINTED = new Set(["rgba(0, 0, 0, 0)", "transparent", "none", ""]);
const DRAWN_SHAPES = new Set(["path", "circle", "rect", "line"]);
const HATCH = { apart: 6.5 * Math.SQRT2, line: 1.5 };

/** A drawing in the making: what has been found, and the page's place of its corner. */
type Outlining = { list: Drawn[]; left: number; top: number };

/** Everything visible in `root`. */
export function outline(root: Element) {
  const { left, top } = root.getBoundingClientRect();
  const list: Drawn[] = [];
  outlineOf(root, { list, left, top });
  return list;
}

function outlineOf(element: Element, drawing: Outlining) {
  const style = getComputedStyle(element);
  if (style.display === "none" || style.visibility === "hidden" || Number(style.opacity) === 0) return;
  const place = placeOf(element.getBoundingClientRect(), drawing);
  if (element instanceof SVGSVGElement) {
    for (const shape of element.querySelectorAll("*")) {
      if (shape instanceof SVGTextElement) drawing.list.push(...lettersOf(shape, drawing));
      else if (shape instanceof SVGGraphicsElement && DRAWN_SHAPES.has(shape.tagName)) {
        drawing.list.push(...pathsOf(shape, drawing));
      }
    }
    return;
  }
  drawing.list.push(...boxesOf(style, place));
  const before = beforeOf(element, style, place);
  if (before) drawing.list.push(...before);
  const inside: Outlining = { ...drawing, list: [] };
  for (const child of inOrder(element)) {
    if (child instanceof Text) inside.list.push(...textsOf(child, style, drawing));
    else if (child instanceof Element) outlineOf(child, inside);
  }
  if (!inside.list.length) return;
  const clips = style.overflowX !== "visible" || style.overflowY !== "visible";
  if (clips) drawing.list.push({ kind: "clip", ...place, list: inside.list });
  else drawing.list.push(...inside.list);
}

/** The children from the back to the front. */
function inOrder(element: Element) {
  const layer = (node: Node) => (node instanceof Element ? Number(getComputedStyle(node).zIndex) || 0 : 0);
  return [...element.childNodes]
    .map((node) => ({ node, layer: layer(node) }))
    .sort((a, b) => a.layer - b.layer)
    .map(({ node }) => node);
}

function placeOf(rectangle: DOMRect, { left, top }: { left: number; top: number }): Rectangle {
  return { x: rectangle.left - left, y: rectangle.top - top, w: rectangle.width, h: rectangle.height };
}

/** Background, hatching, borders, outline and inner line of a box, from the back to the front. */
function boxesOf(style: CSSStyleDeclaration, place: Rectangle) {
  const found: Drawn[] = [];
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

function bordersOf(style: CSSStyleDeclaration, place: Rectangle, r: number): Drawn[] {
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

function borderWidth(style: CSSStyleDeclaration, side: string) {
  return Number.parseFloat(style.getPropertyValue(`border-${side}-width`)) || 0;
}

/** A frame whose line lies inside the box. */
function framed({ x, y, w, h }: Rectangle, r: number, stroke: string, line: number, dashed = false): DrawnBox {
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

function hatching({ x, y, w, h }: Rectangle) {
  let d = "";
  for (let at = x; at < x + w + h; at += HATCH.apart) {
    d += `M${at.toFixed(1)} ${y.toFixed(1)}l${-h.toFixed(1)} ${h.toFixed(1)}`;
  }
  return d;
}

/** The `::before` of an element, if it has a place of its own. */
function beforeOf(element: Element, around: CSSStyleDeclaration, place: Rectangle) {
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

/** Where an SVG element's own px are on the paper. */
function matrixOf(shape: SVGGraphicsElement, { left, top }: { left: number; top: number }): Matrix {
  const { a, b, c, d, e, f } = shape.getScreenCTM() ?? new DOMMatrix();
  return [a, b, c, d, e - left, f - top];
}

function unseen({ display, visibility, opacity }: CSSStyleDeclaration) {
  return display === "none" || visibility === "hidden" || Number(opacity) === 0;
}

function paintOf(colour: string) {
  return UNPAINTED.has(colour) ? null : colour;
}

/**
 * A shape of the picture, an icon or a mark, in the colours that it has on the screen.
 * @returns none for a shape that cannot be seen
 */
function pathsOf(shape: SVGGraphicsElement, corner: { left: number; top: number }): DrawnPath[] {
  const style = getComputedStyle(shape);
  const number = (name: string) => Number(shape.getAttribute(name) ?? 0);
  const d = drawn(shape, number);
  if (!d || unseen(style)) return [];
  const { strokeDasharray: dash } = style;
  return [
    {
      kind: "path",
      d,
      matrix: matrixOf(shape, corner),
      fill: paintOf(style.fill),
      stroke: paintOf(style.stroke),
      line: Number.parseFloat(style.strokeWidth),
      cap: style.strokeLinecap as CanvasLineCap,
      dash: dash === "none" ? null : dash.split(",").map((each) => Number.parseFloat(each)),
      opacity: Number(style.opacity),
    },
  ];
}

/** A text of the picture, under it the outline that keeps it readable on lines. */
function lettersOf(element: SVGTextElement, corner: { left: number; top: number }): DrawnText[] {
  const style = getComputedStyle(element);
  const text = element.textContent ?? "";
  if (!text || unseen(style)) return [];
  const w = element.getComputedTextLength();
  const [x, y] = ["x", "y"].map((name) => Number(element.getAttribute(name) ?? 0));
  const shift = { start: 0, middle: w / 2, end: w }[style.textAnchor] ?? 0;
  const font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  const letters: DrawnText = {
    kind: "text",
    x: x - shift,
    y,
    w,
    text,
    font,
    matrix: matrixOf(element, corner),
    size: style.fontSize,
    weight: style.fontWeight,
    family: style.fontFamily,
    slant: style.fontStyle,
    fill: paintOf(style.fill),
  };
  const stroke = paintOf(style.stroke);
  if (!stroke) return [letters];
  return [{ ...letters, fill: null, stroke, line: Number.parseFloat(style.strokeWidth) }, letters];
}

function drawn(shape: SVGGraphicsElement, number: (name: string) => number) {
  switch (shape.tagName) {
    case "circle": {
      const r = number("r");
      return `M${number("cx") - r} ${number("cy")}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
    }
    case "rect": {
      const r = number("rx");
      const [across, along] = [number("width") - 2 * r, number("height") - 2 * r];
      const arc = (dx: number, dy: number) => `a${r} ${r} 0 0 1 ${dx} ${dy}`;
      return [
        `M${number("x") + r} ${number("y")}h${across}${arc(r, r)}v${along}${arc(-r, r)}`,
        `h${-across}${arc(-r, -r)}v${-along}${arc(r, -r)}z`,
      ].join("");
    }
    case "line":
      return `M${number("x1")} ${number("y1")}L${number("x2")} ${number("y2")}`;
    default:
      return shape.getAttribute("d");
  }
}

/** The lines of a text, each in its place. */
function textsOf(node: Text, style: CSSStyleDeclaration, drawing: Outlining): DrawnText[] {
  const found: (Rectangle & { start: number; end: number })[] = [];
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
