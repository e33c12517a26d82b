// What comes from the server in packed form.

/**
 * @param {Uint8Array<ArrayBuffer>} bytes a gzipped text
 * @returns {Promise<string>}
 */
export function unpackText(bytes) {
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

/**
 * @param {Uint8Array<ArrayBuffer>} bytes gzipped JSON
 * @returns {Promise<any>}
 */
export async function unpack(bytes) {
  return JSON.parse(await unpackText(bytes));
}

/**
 * Takes apart what `packed_answer` of ui/share/answers.py makes: four bytes for the length of what is said, that as
 * JSON, and then the bytes of a file, which may be empty.
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @returns {{ said: any, body: Uint8Array<ArrayBuffer> }}
 */
export function readAnswer(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
  const said = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  return { said, body: bytes.slice(4 + length) };
}

/**
 * Whether a page that runs again is handed the same bytes.
 * @param {Uint8Array | null} a
 * @param {Uint8Array | null} b
 */
export function sameBytes(a, b) {
  return a !== null && b !== null && a.length === b.length && a.every((byte, index) => byte === b[index]);
}
