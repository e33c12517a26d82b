// Paints lists of things to draw (outline.ts): on a canvas, or as SVG that any program opens.
import { svg } from "../base/dom.ts";
import type { Attributes } from "../types/player.ts";
import type { Drawn, DrawnBox, DrawnClip, DrawnPath, DrawnText, Look, Matrix } from "../types/share.ts";

// eslint-disable-next-line no-control-regex -- XML cannot hold these
const UNPRINTABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const counted = { clips: 0 };

/** On a canvas whose unit is 1 px of the list. */
export function paintOn(context: CanvasRenderingContext2D, list: Drawn[]) {
  for (const each of list) {
    context.save();
    paintOne(context, each);
    context.restore();
  }
}

function paintOne(context: CanvasRenderingContext2D, each: Drawn) {
  switch (each.kind) {
    case "box": {
      const path = new Path2D();
      path.roundRect(each.x, each.y, each.w, each.h, Math.min(each.r, each.w / 2, each.h / 2));
      inked(context, path, each);
      break;
    }
    case "path":
      if (each.matrix) context.transform(...each.matrix);
      inked(context, new Path2D(each.d), each);
      break;
    case "text": {
      context.font = each.font;
      if (each.matrix) context.transform(...each.matrix);
      const wide = context.measureText(each.text).width;
      context.translate(each.x, each.y);
      if (wide > 0 && each.w > 0) context.scale(each.w / wide, 1);
      if (each.stroke && each.line) {
        context.strokeStyle = each.stroke;
        context.lineWidth = each.line;
        context.lineJoin = "round";
        context.strokeText(each.text, 0, 0);
      }
      if (each.fill) {
        context.fillStyle = each.fill;
        context.fillText(each.text, 0, 0);
      }
      break;
    }
    case "clip":
      context.beginPath();
      context.rect(each.x, each.y, each.w, each.h);
      context.clip();
      paintOn(context, each.list);
      break;
    default:
      context.translate(each.x, each.y);
      paintOn(context, each.list);
  }
}

function inked(context: CanvasRenderingContext2D, path: Path2D, { fill, stroke, line, dash, cap, opacity }: Look) {
  context.globalAlpha = opacity ?? 1;
  if (fill) {
    context.fillStyle = fill;
    context.fill(path);
  }
  if (!stroke || !line) return;
  context.strokeStyle = stroke;
  context.lineWidth = line;
  context.lineCap = cap ?? "butt";
  context.setLineDash(dash ?? []);
  context.stroke(path);
}

/** The list as the text of an SVG file. */
export function asSvg(list: Drawn[], wide: number, high: number) {
  const root = svg("svg", { width: wide, height: high, viewBox: `0 0 ${wide} ${high}` });
  root.append(svg("rect", { width: wide, height: high, fill: "#ffffff" }), ...list.map(nodeOf));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(root)}\n`;
}

function nodeOf(each: Drawn): SVGElement {
  switch (each.kind) {
    case "box":
      return boxNode(each);
    case "path":
      return pathNode(each);
    case "text":
      return textNode(each);
    case "clip":
      return clipNode(each);
    default: {
      const node = svg("g", { transform: moved(each) });
      node.append(...each.list.map(nodeOf));
      return node;
    }
  }
}

function boxNode({ x, y, w, h, r, ...look }: DrawnBox) {
  return svg("rect", {
    x: pixels(x),
    y: pixels(y),
    width: pixels(w),
    height: pixels(h),
    rx: pixels(Math.min(r, w / 2, h / 2)),
    ...attributesOf(look),
  });
}

function pathNode({ d, matrix, ...look }: DrawnPath) {
  return svg("path", {
    d,
    ...turned(matrix),
    ...attributesOf(look),
  });
}

function textNode({ x, y, w, text, size, weight, family, slant, matrix, font: _font, ...look }: DrawnText) {
  // The length is given, so that a program without the font still fits the text into its place.
  const node = svg("text", {
    x: pixels(x),
    y: pixels(y),
    "font-size": size,
    "font-weight": weight,
    "font-family": installed(family),
    ...turned(matrix),
    ...attributesOf(look),
    textLength: pixels(w),
    lengthAdjust: "spacingAndGlyphs",
  });
  if (slant !== "normal") node.setAttribute("font-style", slant);
  node.textContent = text.replace(UNPRINTABLE, "");
  return node;
}

function clipNode({ x, y, w, h, list }: DrawnClip) {
  const id = `tm-clip-${(counted.clips += 1)}`;
  const clip = svg("clipPath", { id });
  clip.append(svg("rect", { x: pixels(x), y: pixels(y), width: pixels(w), height: pixels(h) }));
  const inside = svg("g", { "clip-path": `url(#${id})` });
  inside.append(...list.map(nodeOf));
  const node = svg("g");
  node.append(clip, inside);
  return node;
}

function turned(matrix?: Matrix): Attributes {
  return matrix ? { transform: `matrix(${matrix.map(inDigits).join(" ")})` } : {};
}

function moved({ x, y }: { x: number; y: number }) {
  return `translate(${pixels(x)} ${pixels(y)})`;
}

/** The page's font, and its names on other machines. */
function installed(family: string) {
  return family.replace(/"?Source Sans"?/, "'Source Sans', 'Source Sans 3', 'Source Sans Pro'");
}

/** The share of a turned or enlarged shape needs more digits than a length. */
function inDigits(value: number) {
  return String(Math.round(value * 10000) / 10000);
}

function pixels(value: number) {
  return String(Math.round(value * 100) / 100);
}

function attributesOf({ fill, stroke, line, dash, cap, opacity }: Look) {
  const found: Attributes = { fill: fill ?? "none" };
  if (stroke && line) {
    Object.assign(found, { stroke, "stroke-width": line });
    if (dash) found["stroke-dasharray"] = dash.join(" ");
    if (cap && cap !== "butt") found["stroke-linecap"] = cap;
  }
  if (opacity !== undefined && opacity < 1) found.opacity = opacity;
  return found;
}
