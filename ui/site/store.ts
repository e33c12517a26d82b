// The files of a site: gzipped JSON, each fetched once for as long as the page is open.
import { walkthroughFile } from "./languages.ts";
import type { Common, Lectures, Manifest, Part, Reading } from "./types.ts";
import type { LibraryData } from "../library/types.ts";
import type { SymptomsData } from "../library/symptoms/types.ts";

/** A file of the site that did not arrive; the message is its path. */
export class Missing extends Error {}

/** The first two bytes of gzip; a server may have unpacked the file on the way. */
const GZIP = [0x1f, 0x8b];

/** A script of the site. Rejects with `Missing`. */
export async function moduleAt(path: string): Promise<any> {
  try {
    return await import(new URL(path, document.baseURI).href);
  } catch {
    throw new Missing(path);
  }
}

function piped(bytes: Uint8Array<ArrayBuffer>, through: GenericTransformStream) {
  return new Response(new Blob([bytes]).stream().pipeThrough(through));
}

/** The text of a file, gzipped or not. */
export async function textOf(bytes: Uint8Array<ArrayBuffer>) {
  const packed = GZIP.every((byte, index) => bytes[index] === byte);
  return packed ? piped(bytes, new DecompressionStream("gzip")).text() : new TextDecoder().decode(bytes);
}

/**
 * A payload as Python packs it: the common parts, and over them those of the scenario.
 * @param common JSON of an object
 * @param own the same
 */
export async function joined(common: string, own: string) {
  const text = common === "{}" ? own : `${common.slice(0, -1)},${own.slice(1)}`;
  const packed = piped(new TextEncoder().encode(text), new CompressionStream("gzip"));
  return new Uint8Array(await packed.arrayBuffer());
}

export class Store {
  manifest: Manifest;
  kept: Map<string, Promise<any>> = new Map();

  constructor(manifest: Manifest) {
    this.manifest = manifest;
  }

  /** What `make` returns for `key`, made once; a failure is tried again. */
  once<T>(key: string, make: () => Promise<T>): Promise<T> {
    const made = this.kept.get(key) ?? make();
    this.kept.set(key, made);
    made.catch(() => this.kept.delete(key));
    return made;
  }

  /** The bytes of a file. Rejects with `Missing`. */
  async bytes(path: string) {
    try {
      const answer = await fetch(path);
      if (answer.ok) return new Uint8Array(await answer.arrayBuffer());
    } catch {
      // No network, or no such server: the same to whoever waits for the file.
    }
    throw new Missing(path);
  }

  json(path: string) {
    return this.once(path, async () => JSON.parse(await textOf(await this.bytes(path))));
  }

  part(part: Part, language: string) {
    return this.json(this.manifest.parts[language][part]);
  }

  common(language: string): Promise<Common> {
    return this.part("common", language);
  }

  library(language: string): Promise<Omit<LibraryData, "refused">> {
    return this.part("library", language);
  }

  symptoms(language: string): Promise<SymptomsData> {
    return this.part("symptoms", language);
  }

  lectures(language: string): Promise<Lectures> {
    return this.part("lectures", language);
  }

  /** The packed payload of a scenario; null for one that the site does not have. */
  walkthrough(name: string, reading: Reading): Promise<Uint8Array<ArrayBuffer> | null> {
    const files = Object.hasOwn(this.manifest.scenarios, name) ? this.manifest.scenarios[name] : null;
    const path = files ? walkthroughFile(files, reading) : null;
    if (typeof path !== "string") return Promise.resolve(null);
    return this.once(`walkthrough ${path}`, async () => {
      const [common, own] = await Promise.all([this.common(reading.language), this.bytes(path).then(textOf)]);
      return joined(JSON.stringify(common.payload), own);
    });
  }
}
