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
