// A step as a figure for slides and print: the author's words, or what happened and why, then plane and lanes on white
// paper, whatever the size and colours of the screen. At a question the picture does not tell the answer. The figure is
// set up outside the visible page with the player's own plane and lanes, drawn, and removed again.
import { context2d, el, fill, svg } from "../base/dom.ts";
import { say } from "../base/format.ts";
import { legend, sentence } from "../frame/head.ts";
import { Account } from "../picture/account.ts";
import { Plane } from "../picture/chart.ts";
import { Lanes } from "../picture/lanes.ts";
import { outline } from "./outline.ts";
import type { Attributes, StoppingPlace } from "../types/player.ts";
import type {
  Drawn,
  DrawnBox,
  DrawnClip,
  DrawnPath,
  DrawnText,
  Look,
  Matrix,
  PictureForm,
  Size,
} from "../types/share.ts";
import type { Player } from "../player.ts";
import type { Mark } from "#types/payload";

const FIGURE = { wide: 1280, high: 720 };
const TILE = { wide: 960, high: 600 };
const SHEET = { head: 96, gap: 16, edge: 24 };
const LANES_PART = 0.38;

/** What the author says or asks at `step`; null where it is nothing. */
function beatAt(player: Player, step: number) {
  return player.payload.beats.find((each) => each.step === step) ?? null;
}

/** Paper on which steps of the run are drawn; a `tile` leaves out what a sheet of several says only once. */
export class Paper {
  player: Player;
  wide: number;
  high: number;
  node: HTMLDivElement;
  count = el("span", "tm-figure-count");
  what = el("p", "tm-figure-what");
  why = el("p", "tm-figure-why");
  choices = el("ol", "tm-figure-choices");
  words = el("div", "tm-figure-words");
  canvas = el("div", "tm-plane");
  below: HTMLParagraphElement;
  account: Account;
  plane: Plane;
  stand;
  lanes: Lanes;

  constructor(
    player: Player,
    { tile = false, wide = FIGURE.wide, high = FIGURE.high }: { tile?: boolean } & Partial<Size> = {},
  ) {
    this.player = player;
    this.wide = wide;
    this.high = high;
    this.node = el("div", `tm-paper tm-figure${tile ? " tm-tile" : ""}`, null, { "aria-hidden": "true", inert: "" });
    Object.assign(this.node.style, { width: `${wide}px`, height: `${high}px` });
    const head = fill(el("div", "tm-figure-head"), el("b", "", player.payload.title), this.count);
    this.words.append(this.what, this.why, this.choices);
    const lanes = el("div", "tm-lanes");
    this.below = sentence(player);
    this.account = new Account(player);
    this.node.append(head, this.words, legend(player), this.account.node, this.canvas, lanes, this.below);
    player.root.append(this.node);
    this.plane = new Plane(this.canvas, player.payload);
    this.stand = Object.assign(Object.create(player), { plane: this.plane });
    this.lanes = new Lanes(lanes, this.stand);
  }

  async open() {
    await this.plane.open();
    return this;
  }

  /** Room for the longest words of `steps`, so that all their pictures have one size. */
  reserve(steps: number[]) {
    this.words.style.minHeight = "";
    const heights = steps.map((step) => {
      this.write(step);
      return this.words.offsetHeight;
    });
    this.words.style.minHeight = `${Math.max(0, ...heights)}px`;
  }

  /** What the author says or asks at `step`; where there is nothing, what happened and why. */
  write(step: number) {
    const beat = beatAt(this.player, step);
    const { what, why } = beat ? { what: beat.text, why: "" } : this.player.said(step);
    this.words.classList.toggle("tm-author", beat !== null);
    this.words.classList.toggle("tm-asks", Boolean(beat?.choices.length));
    this.what.textContent = what;
    this.why.textContent = why ?? "";
    fill(
      this.choices,
      (beat?.choices ?? []).map((text, index) => el("li", "", `${index + 1}. ${text}`)),
    );
  }

  /** Sets the paper to `step` and returns what is to be drawn. */
  draw(step: number) {
    const { words, last } = this.player;
    this.count.textContent = say(words.step_of, { step, last });
    this.write(step);
    const beat = beatAt(this.player, step);
    const asks = Boolean(beat?.choices.length);
    const shown = beat && asks ? beat.before : step;
    this.plane.keepFuture(asks);
    this.plane.up = this.player.plane.up;
    this.plane.numbers = this.player.plane.numbers;
    this.plane.turn(shown);
    this.account.show(shown);
    const room = this.high - this.canvas.offsetTop - (this.below.offsetHeight || 0);
    this.lanes.layout(room * LANES_PART);
    this.plane.resize(this.canvas.clientWidth, this.canvas.clientHeight);
    this.plane.show(shown);
    this.lanes.show(shown);
    return outline(this.node);
  }

  close() {
    this.plane.close();
    this.node.remove();
  }
}

/** Does `work` with a paper, which is removed afterwards whatever happens. */
async function withPaper<T>(
  player: Player,
  options: { tile?: boolean } & Partial<Size>,
  work: (paper: Paper) => Promise<T>,
) {
  const paper = new Paper(player, options);
  try {
    return await work(await paper.open());
  } finally {
    paper.close();
  }
}

/** A canvas on which the parts of a picture are painted, on white. */
export function painted(list: Drawn[], wide: number, high: number, scale = 1) {
  const context = context2d(el("canvas", "", null, { width: wide * scale, height: high * scale }));
  context.scale(scale, scale);
  context.fillStyle = "#ffffff";
  context.fillRect(0, 0, wide, high);
  paintOn(context, list);
  return context;
}

function asPng(list: Drawn[], wide: number, high: number): Promise<Blob> {
  const { canvas } = painted(list, wide, high, 2);
  return new Promise((done, failed) => {
    canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("picture_too_large"))), "image/png");
  });
}

const SVG_TYPE = { type: "image/svg+xml" };

/** `step` as a PNG file, at twice the size for sharp screens, or as an SVG file. */
export function figureOf(player: Player, step: number, form: PictureForm) {
  const { wide, high } = FIGURE;
  return withPaper(player, {}, async (paper) => {
    const list = paper.draw(step);
    return form === "png" ? asPng(list, wide, high) : new Blob([asSvg(list, wide, high)], SVG_TYPE);
  });
}

/**
 * Up to four steps on one sheet, two by two, with captions. `tile` is the size of each; the smaller it is, the larger
 * its text looks.
 */
export function sheetOf(player: Player, steps: number[], form: PictureForm, tile = TILE) {
  const { head, gap, edge } = SHEET;
  const rows = Math.ceil(steps.length / 2);
  const columns = Math.min(steps.length, 2);
  const wide = 2 * edge + columns * tile.wide + (columns - 1) * gap;
  const high = head + edge + rows * tile.high + (rows - 1) * gap;
  return withPaper(player, { tile: true, ...tile }, async (paper) => {
    const list: Drawn[] = [{ kind: "group", x: edge, y: 0, list: headOf(player, wide - 2 * edge) }];
    paper.reserve(steps);
    for (const [number, step] of steps.entries()) {
      const x = edge + (number % 2) * (tile.wide + gap);
      const y = head + Math.floor(number / 2) * (tile.high + gap);
      list.push({ kind: "group", x, y, list: paper.draw(step) });
    }
    return form === "png" ? asPng(list, wide, high) : new Blob([asSvg(list, wide, high)], SVG_TYPE);
  });
}

/** Title, configuration and legend: the same for all four. */
function headOf(player: Player, wide: number) {
  const node = el("div", "tm-paper tm-figure tm-sheet-title", null, { "aria-hidden": "true", inert: "" });
  Object.assign(node.style, { width: `${wide}px`, height: `${SHEET.head}px` });
  const title = fill(el("div", "tm-figure-head"), el("b", "", player.payload.title));
  node.append(title, sentence(player), legend(player));
  player.root.append(node);
  const list = outline(node);
  node.remove();
  return list;
}

/**
 * The steps that a sheet shows until the reader chooses: the beats, else the most telling marks, spread over the run.
 */
export function fourSteps(player: Player) {
  const { beats, marks } = player.payload;
  const weight: { [Kind in Mark["kind"]]: number } = {
    dropped: 3,
    side: 3,
    late: 2,
    update: 1,
    fired: 0,
    early: 0,
    checkpoint: 0,
    restored: 0,
  };
  const seen = new Set();
  const once = (each: StoppingPlace | Mark) => !seen.has(each.step) && seen.add(each.step);
  const chosen =
    beats.length >= 4
      ? beats.filter(once)
      : marks
          .slice()
          .sort((a, b) => weight[b.kind] - weight[a.kind])
          .filter(once)
          .slice(0, 4);
  const steps = chosen.map((each) => each.step);
  for (const part of [1, 0.75, 0.5, 0.25]) {
    const step = Math.round(player.last * part);
    if (steps.length < 4 && !steps.includes(step)) steps.push(step);
  }
  const spread = beats.length >= 4 ? [0, 1, 2, 3].map((i) => steps[Math.round((i * (steps.length - 1)) / 3)]) : steps;
  return spread.sort((a, b) => a - b);
}

// Paints lists of things to draw (outline.ts): on a canvas, or as SVG that any program opens.

// eslint-disable-next-line no-control-regex -- XML cannot hold these
const UNPRINTABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const counted = { clips: 0 };

/** On a canvas whose unit is 1 px of the list. */
function paintOn(context: CanvasRenderingContext2D, list: Drawn[]) {
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

function inked(
  context: CanvasRenderingContext2D,
  path: Path2D,
  { fill: filled, stroke, line, dash, cap, opacity }: Look,
) {
  context.globalAlpha = opacity ?? 1;
  if (filled) {
    context.fillStyle = filled;
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
function asSvg(list: Drawn[], wide: number, high: number) {
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
      return fill(svg("g", { transform: moved(each) }), ...each.list.map(nodeOf));
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
  return fill(svg("g"), clip, fill(svg("g", { "clip-path": `url(#${id})` }), ...list.map(nodeOf)));
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

function attributesOf({ fill: filled, stroke, line, dash, cap, opacity }: Look) {
  const found: Attributes = { fill: filled ?? "none" };
  if (stroke && line) {
    Object.assign(found, { stroke, "stroke-width": line });
    if (dash) found["stroke-dasharray"] = dash.join(" ");
    if (cap && cap !== "butt") found["stroke-linecap"] = cap;
  }
  if (opacity !== undefined && opacity < 1) found.opacity = opacity;
  return found;
}
