// The files of a site: gzipped JSON, each fetched once for as long as the page is open.
import { walkthroughFile } from "./languages.js";
/** @import { Common, Lectures, Manifest, Part, Reading } from "./types.d.ts" */
/** @import { LibraryData } from "../library/types.d.ts" */
/** @import { SymptomsData } from "../symptoms/types.d.ts" */

/** A file of the site that did not arrive; the message is its path. */
export class Missing extends Error {}

/** The first two bytes of gzip; a server may have unpacked the file on the way. */
const GZIP = [0x1f, 0x8b];

/**
 * A script of the site. Rejects with `Missing`.
 * @param {string} path
 * @returns {Promise<any>}
 */
export async function moduleAt(path) {
  try {
    return await import(new URL(path, document.baseURI).href);
  } catch {
    throw new Missing(path);
  }
}

/**
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {GenericTransformStream} through
 */
function piped(bytes, through) {
  return new Response(new Blob([bytes]).stream().pipeThrough(through));
}

/**
 * The text of a file, gzipped or not.
 * @param {Uint8Array<ArrayBuffer>} bytes
 */
export async function textOf(bytes) {
  const packed = GZIP.every((byte, index) => bytes[index] === byte);
  return packed ? piped(bytes, new DecompressionStream("gzip")).text() : new TextDecoder().decode(bytes);
}

/**
 * A payload as Python packs it: the common parts, and over them those of the scenario.
 * @param {string} common JSON of an object
 * @param {string} own the same
 */
export async function joined(common, own) {
  const text = common === "{}" ? own : `${common.slice(0, -1)},${own.slice(1)}`;
  const packed = piped(new TextEncoder().encode(text), new CompressionStream("gzip"));
  return new Uint8Array(await packed.arrayBuffer());
}

export class Store {
  /** @param {Manifest} manifest */
  constructor(manifest) {
    this.manifest = manifest;
    /** @type {Map<string, Promise<any>>} */
    this.kept = new Map();
  }

  /**
   * What `make` returns for `key`, made once; a failure is tried again.
   * @template T
   * @param {string} key
   * @param {() => Promise<T>} make
   * @returns {Promise<T>}
   */
  once(key, make) {
    const made = this.kept.get(key) ?? make();
    this.kept.set(key, made);
    made.catch(() => this.kept.delete(key));
    return made;
  }

  /**
   * The bytes of a file. Rejects with `Missing`.
   * @param {string} path
   */
  async bytes(path) {
    try {
      const answer = await fetch(path);
      if (answer.ok) return new Uint8Array(await answer.arrayBuffer());
    } catch {
      // No network, or no such server: the same to whoever waits for the file.
    }
    throw new Missing(path);
  }

  /** @param {string} path */
  json(path) {
    return this.once(path, async () => JSON.parse(await textOf(await this.bytes(path))));
  }

  /**
   * @param {Part} part
   * @param {string} language
   */
  part(part, language) {
    return this.json(this.manifest.parts[language][part]);
  }

  /** @param {string} language @returns {Promise<Common>} */
  common(language) {
    return this.part("common", language);
  }

  /** @param {string} language @returns {Promise<Omit<LibraryData, "refused">>} */
  library(language) {
    return this.part("library", language);
  }

  /** @param {string} language @returns {Promise<SymptomsData>} */
  symptoms(language) {
    return this.part("symptoms", language);
  }

  /** @param {string} language @returns {Promise<Lectures>} */
  lectures(language) {
    return this.part("lectures", language);
  }

  /**
   * The packed payload of a scenario; null for one that the site does not have.
   * @param {string} name
   * @param {Reading} reading
   * @returns {Promise<Uint8Array<ArrayBuffer> | null>}
   */
  walkthrough(name, reading) {
    const files = Object.hasOwn(this.manifest.scenarios, name) ? this.manifest.scenarios[name] : null;
    const path = files ? walkthroughFile(files, reading) : null;
    if (typeof path !== "string") return Promise.resolve(null);
    return this.once(`walkthrough ${path}`, async () => {
      const [common, own] = await Promise.all([this.common(reading.language), this.bytes(path).then(textOf)]);
      return joined(JSON.stringify(common.payload), own);
    });
  }
}
