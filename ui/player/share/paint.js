// Paints lists of things to draw (outline.js): on a canvas, or as SVG that any program opens.
import { svg } from "../base/dom.js";
/** @import { Attributes } from "../types/player.d.ts" */
/** @import { Drawn, DrawnBox, DrawnClip, DrawnPath, DrawnText, Look, Matrix } from "../types/share.d.ts" */

// eslint-disable-next-line no-control-regex -- XML cannot hold these
const UNPRINTABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const counted = { clips: 0 };

/**
 * On a canvas whose unit is 1 px of the list.
 * @param {CanvasRenderingContext2D} context
 * @param {Drawn[]} list
 */
export function paintOn(context, list) {
  for (const each of list) {
    context.save();
    paintOne(context, each);
    context.restore();
  }
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Drawn} each
 */
function paintOne(context, each) {
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

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Path2D} path
 * @param {Look} look
 */
function inked(context, path, { fill, stroke, line, dash, cap, opacity }) {
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

/**
 * The list as the text of an SVG file.
 * @param {Drawn[]} list
 * @param {number} wide
 * @param {number} high
 */
export function asSvg(list, wide, high) {
  const root = svg("svg", { width: wide, height: high, viewBox: `0 0 ${wide} ${high}` });
  root.append(svg("rect", { width: wide, height: high, fill: "#ffffff" }), ...list.map(nodeOf));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(root)}\n`;
}

/**
 * @param {Drawn} each
 * @returns {SVGElement}
 */
function nodeOf(each) {
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

/** @param {DrawnBox} box */
function boxNode({ x, y, w, h, r, ...look }) {
  return svg("rect", {
    x: pixels(x),
    y: pixels(y),
    width: pixels(w),
    height: pixels(h),
    rx: pixels(Math.min(r, w / 2, h / 2)),
    ...attributesOf(look),
  });
}

/** @param {DrawnPath} path */
function pathNode({ d, matrix, ...look }) {
  return svg("path", {
    d,
    ...turned(matrix),
    ...attributesOf(look),
  });
}

/** @param {DrawnText} text */
function textNode({ x, y, w, text, size, weight, family, slant, matrix, font: _font, ...look }) {
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

/** @param {DrawnClip} clip */
function clipNode({ x, y, w, h, list }) {
  const id = `tm-clip-${(counted.clips += 1)}`;
  const clip = svg("clipPath", { id });
  clip.append(svg("rect", { x: pixels(x), y: pixels(y), width: pixels(w), height: pixels(h) }));
  const inside = svg("g", { "clip-path": `url(#${id})` });
  inside.append(...list.map(nodeOf));
  const node = svg("g");
  node.append(clip, inside);
  return node;
}

/**
 * @param {Matrix} [matrix]
 * @returns {Attributes}
 */
function turned(matrix) {
  return matrix ? { transform: `matrix(${matrix.map(inDigits).join(" ")})` } : {};
}

/** @param {{ x: number, y: number }} place */
function moved({ x, y }) {
  return `translate(${pixels(x)} ${pixels(y)})`;
}

/**
 * The page's font, and its names on other machines.
 * @param {string} family
 */
function installed(family) {
  return family.replace(/"?Source Sans"?/, "'Source Sans', 'Source Sans 3', 'Source Sans Pro'");
}

/**
 * The share of a turned or enlarged shape needs more digits than a length.
 * @param {number} value
 */
function inDigits(value) {
  return String(Math.round(value * 10000) / 10000);
}

/** @param {number} value */
function pixels(value) {
  return String(Math.round(value * 100) / 100);
}

/** @param {Look} look */
function attributesOf({ fill, stroke, line, dash, cap, opacity }) {
  /** @type {Attributes} */
  const found = { fill: fill ?? "none" };
  if (stroke && line) {
    Object.assign(found, { stroke, "stroke-width": line });
    if (dash) found["stroke-dasharray"] = dash.join(" ");
    if (cap && cap !== "butt") found["stroke-linecap"] = cap;
  }
  if (opacity !== undefined && opacity < 1) found.opacity = opacity;
  return found;
}
