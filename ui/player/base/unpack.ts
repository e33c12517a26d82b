// What comes from the server in packed form.

/** @param bytes a gzipped text */
export function unpackText(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

/** @param bytes gzipped JSON */
export async function unpack(bytes: Uint8Array<ArrayBuffer>): Promise<any> {
  return JSON.parse(await unpackText(bytes));
}

/**
 * Takes apart what `packed_answer` of ui/share/answers.py makes: four bytes for the length of what is said, that as
 * JSON, and then the bytes of a file, which may be empty.
 */
export function readAnswer(bytes: Uint8Array<ArrayBuffer>): { said: any; body: Uint8Array<ArrayBuffer> } {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
  const said = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  return { said, body: bytes.slice(4 + length) };
}

/** Whether a page that runs again is handed the same bytes. */
export function sameBytes(a: Uint8Array | null, b: Uint8Array | null) {
  return a !== null && b !== null && a.length === b.length && a.every((byte, index) => byte === b[index]);
}
