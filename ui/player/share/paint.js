// Paints lists of things to draw (outline.js): on a canvas, or as SVG that any program opens.
import { svg } from "../base/dom.js";
/** @import { Json } from "../types/payload.d.ts" */

// eslint-disable-next-line no-control-regex -- XML cannot hold these
const UNPRINTABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const counted = { clips: 0 };

/**
 * On a canvas whose unit is 1 px of the list.
 * @param {CanvasRenderingContext2D} context
 */
export function paintOn(context, list) {
  for (const each of list) {
    context.save();
    PAINTERS[each.kind](context, each);
    context.restore();
  }
}

const PAINTERS = {
  /** @param {CanvasRenderingContext2D} context */
  box(context, { x, y, w, h, r, ...look }) {
    const path = new Path2D();
    path.roundRect(x, y, w, h, Math.min(r, w / 2, h / 2));
    inked(context, path, look);
  },
  /** @param {CanvasRenderingContext2D} context */
  path(context, { d, matrix, ...look }) {
    if (matrix) context.transform(...matrix);
    inked(context, new Path2D(d), look);
  },
  /** @param {CanvasRenderingContext2D} context */
  text(context, { x, y, w, text, font, fill }) {
    context.font = font;
    context.fillStyle = fill;
    const wide = context.measureText(text).width;
    context.translate(x, y);
    if (wide > 0 && w > 0) context.scale(w / wide, 1);
    context.fillText(text, 0, 0);
  },
  /** @param {CanvasRenderingContext2D} context */
  clip(context, { x, y, w, h, list }) {
    context.beginPath();
    context.rect(x, y, w, h);
    context.clip();
    paintOn(context, list);
  },
  /** @param {CanvasRenderingContext2D} context */
  group(context, { x, y, list }) {
    context.translate(x, y);
    paintOn(context, list);
  },
  /** @param {CanvasRenderingContext2D} context */
  plane(context, { x, y, w, h, canvas }) {
    context.drawImage(canvas, x, y, w, h);
  },
};

/** @param {CanvasRenderingContext2D} context */
function inked(context, path, { fill, stroke, line, dash, cap }) {
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
 * @param {number} wide
 * @param {number} high
 */
export function asSvg(list, wide, high) {
  const root = svg("svg", { width: wide, height: high, viewBox: `0 0 ${wide} ${high}` });
  root.append(svg("rect", { width: wide, height: high, fill: "#ffffff" }), ...list.map(nodeOf));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(root)}\n`;
}

function nodeOf(each) {
  return WRITERS[each.kind](each);
}

const WRITERS = {
  box: ({ x, y, w, h, r, ...look }) =>
    svg("rect", {
      x: pixels(x),
      y: pixels(y),
      width: pixels(w),
      height: pixels(h),
      rx: pixels(Math.min(r, w / 2, h / 2)),
      ...attributesOf(look),
    }),
  path: ({ d, matrix, ...look }) =>
    svg("path", {
      d,
      ...(matrix ? { transform: `matrix(${matrix.map(pixels).join(" ")})` } : {}),
      ...attributesOf(look),
    }),
  text({ x, y, w, text, size, weight, family, slant, fill }) {
    // The length is given, so that a program without the font still fits the text into its place.
    const node = svg("text", {
      x: pixels(x),
      y: pixels(y),
      "font-size": size,
      "font-weight": weight,
      "font-family": installed(family),
      fill,
      textLength: pixels(w),
      lengthAdjust: "spacingAndGlyphs",
    });
    if (slant !== "normal") node.setAttribute("font-style", slant);
    node.textContent = text.replace(UNPRINTABLE, "");
    return node;
  },
  clip({ x, y, w, h, list }) {
    const id = `tm-clip-${(counted.clips += 1)}`;
    const clip = svg("clipPath", { id });
    clip.append(svg("rect", { x: pixels(x), y: pixels(y), width: pixels(w), height: pixels(h) }));
    const inside = svg("g", { "clip-path": `url(#${id})` });
    inside.append(...list.map(nodeOf));
    const node = svg("g");
    node.append(clip, inside);
    return node;
  },
  group({ x, y, list }) {
    const node = svg("g", { transform: `translate(${pixels(x)} ${pixels(y)})` });
    node.append(...list.map(nodeOf));
    return node;
  },
  plane({ x, y, written }) {
    counted.clips += 1;
    const unique = written.replace(/\b(clip\d+|gradient_\d+)\b/g, `$1-${counted.clips}`);
    const read = new DOMParser().parseFromString(unique, "image/svg+xml").documentElement;
    const node = svg("g", { transform: `translate(${pixels(x)} ${pixels(y)})` });
    for (const name of ["font-family", "font-size", "stroke-miterlimit", "fill", "stroke"]) {
      if (read.hasAttribute(name)) node.setAttribute(name, read.getAttribute(name));
    }
    for (const text of read.querySelectorAll("text")) fitted(text);
    node.append(...[...read.childNodes].map((child) => document.importNode(child, true)));
    return node;
  },
};

/** The page's font, and by which names it lies on other machines. */
function installed(family) {
  return family.replace(/"?Source Sans"?/, "'Source Sans', 'Source Sans 3', 'Source Sans Pro'");
}

/**
 * A text of the plane: it takes the room that it has on the screen, whatever font there is.
 * @param {string} text
 */
function fitted(text) {
  const [size, family, weight] = ["font-size", "font-family", "font-weight"].map((name) => text.getAttribute(name));
  counted.context ??= document.createElement("canvas").getContext("2d");
  counted.context.font = `${weight ?? 400} ${size} ${family}`;
  const wide = counted.context.measureText(text.textContent).width;
  if (!wide || !family) return;
  text.setAttribute("textLength", pixels(wide));
  text.setAttribute("lengthAdjust", "spacingAndGlyphs");
  text.setAttribute("font-family", installed(family));
}

/** @param {Json} value */
function pixels(value) {
  return String(Math.round(value * 100) / 100);
}

function attributesOf({ fill, stroke, line, dash, cap }) {
  const found = { fill: fill ?? "none" };
  if (stroke && line) {
    Object.assign(found, { stroke, "stroke-width": line });
    if (dash) found["stroke-dasharray"] = dash.join(" ");
    if (cap && cap !== "butt") found["stroke-linecap"] = cap;
  }
  return found;
}
