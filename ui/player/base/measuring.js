// A canvas's 2D context, and how wide and high a canvas would write a text.

/** @type {{ context: CanvasRenderingContext2D | null }} */
const measuring = { context: null };

/**
 * @param {HTMLCanvasElement} canvas
 * @throws {Error} where the browser has no memory left for one
 */
export function context2d(canvas) {
  const context = canvas.getContext("2d");
  if (!context) throw new Error("picture_too_large");
  return context;
}

/**
 * @param {string} font as in CSS
 * @param {string} text
 */
export function textMetrics(font, text) {
  measuring.context ??= context2d(document.createElement("canvas"));
  measuring.context.font = font;
  return measuring.context.measureText(text);
}
