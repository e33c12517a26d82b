// Joins the frames of an animation to a GIF in a thread of its own: each comes as a PNG and goes into the file at once.
import { Gif } from "./gif.js";
/** @import { GifAsked, GifSays } from "./types.d.ts" */

/** @param {GifSays} said @param {Transferable[]} [hand] */
function tellJoiner(said, hand = []) {
  self.postMessage(said, { transfer: hand });
}

/** @type {Gif | null} */
let gif = null;
/** @type {OffscreenCanvasRenderingContext2D | null} */
let paper = null;
/** @type {Promise<void>} frames are joined one after another */
let turn = Promise.resolve();

/** @param {GifAsked} asked */
async function joinFrame({ png, palette, pause }) {
  const picture = await createImageBitmap(new Blob([Uint8Array.from(atob(png), (sign) => sign.charCodeAt(0))]));
  const { width, height } = picture;
  paper ??= new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
  if (!paper) throw new Error("no canvas");
  gif ??= new Gif(palette, width, height);
  paper.drawImage(picture, 0, 0);
  picture.close();
  gif.add(paper.getImageData(0, 0, gif.wide, gif.high).data, pause);
}

/** @param {GifAsked} asked */
async function answerJoiner(asked) {
  try {
    await joinFrame(asked);
    if (asked.last && gif) {
      const bytes = gif.end();
      tellJoiner({ bytes }, [bytes.buffer]);
    } else tellJoiner({ joined: true });
  } catch (error) {
    tellJoiner({ failed: String(error) });
  }
}

self.addEventListener("message", ({ data }) => {
  turn = turn.then(() => answerJoiner(data));
});
