// Facts on their way: gzipped JSON.
/** @import { Payload } from "../types/player.d.ts" */

/**
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @returns {Promise<Payload>}
 */
export async function unpack(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}
