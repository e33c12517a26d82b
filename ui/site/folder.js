// A folder of the reader's own (File System Access): read before a question that may concern it, written afterwards.
//
// Python works on a copy (ui/site/mirror.py) and says which files are to become what. Nothing but these files is
// touched, none outside the folder can be named, and a change is made whole or taken back.
import { base64 } from "../player/base/save.js";
/** @import { FolderChanges } from "./types.d.ts" */

/** The files that Python gets: as NAME in ui/site/mirror.py. */
const FILES = /^[^/\\.][^/\\]{0,199}\.(yaml|json|jsonl|toml)$/;
const TRASH = ".trash";

/** Larger files (bytes) are no scenarios, and are left alone. */
const MOST_READ = 2 ** 20;

/** Somebody else has changed the folder since it was read. */
export class FolderChanged extends Error {}

/** Nothing has been saved; the message is the browser's reason. */
export class FolderRefused extends Error {}

/** @param {string} text in base64 */
function bytesIn(text) {
  return Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
}

/** @param {File} file */
function stampOf(file) {
  return `${file.lastModified} ${file.size}`;
}

export class PickedFolder {
  /** @param {FileSystemDirectoryHandle} handle */
  constructor(handle) {
    this.handle = handle;
    this.name = handle.name;
    /** @type {Map<string, { stamp: string, text: string }>} the files that were read last, by path */
    this.known = new Map();
  }

  /** @param {string} scenario whether the folder had a scenario of that name when it was read last */
  has(scenario) {
    return this.known.has(`${scenario}.yaml`) || this.known.has(`${scenario}.json`);
  }

  /**
   * The files by path, in base64. Rejects with `FolderRefused`.
   * @returns {Promise<{ [path: string]: string }>}
   */
  async read() {
    try {
      /** @type {typeof this.known} */
      const found = new Map();
      await this.readInto(found, this.handle, "");
      const trash = await this.handle.getDirectoryHandle(TRASH).catch(() => null);
      if (trash) await this.readInto(found, trash, `${TRASH}/`);
      this.known = found;
      return Object.fromEntries([...found].map(([path, { text }]) => [path, text]));
    } catch (error) {
      throw new FolderRefused(String(error));
    }
  }

  /**
   * @param {typeof this.known} found
   * @param {FileSystemDirectoryHandle} handle
   * @param {string} before the path of the folder
   */
  async readInto(found, handle, before) {
    for await (const [name, each] of handle.entries()) {
      if (each.kind !== "file" || !FILES.test(name)) continue;
      const path = `${before}${name}`;
      const file = await /** @type {FileSystemFileHandle} */ (each).getFile();
      if (file.size > MOST_READ) continue;
      const stamp = stampOf(file);
      const known = this.known.get(path);
      const same = known?.stamp === stamp;
      const text = same ? known.text : base64(new Uint8Array(await file.arrayBuffer()));
      found.set(path, { stamp, text });
    }
  }

  /**
   * Makes the changes, or none of them. Rejects with `FolderChanged` or `FolderRefused`.
   * @param {FolderChanges} changes
   */
  async apply(changes) {
    const paths = Object.keys(changes);
    for (const path of paths) {
      if ((await this.stamp(path)) !== (this.known.get(path)?.stamp ?? null)) throw new FolderChanged(path);
    }
    // What is new or different first: whatever stops it, no file is missing then.
    const order = paths.sort((a, b) => Number(changes[a] === null) - Number(changes[b] === null));
    /** @type {string[]} */
    const done = [];
    try {
      for (const path of order) {
        done.push(path);
        await this.put(path, changes[path]);
      }
    } catch (error) {
      for (const path of done) await this.put(path, this.known.get(path)?.text ?? null).catch(() => {});
      throw new FolderRefused(String(error));
    }
  }

  /**
   * @param {string} path
   * @param {boolean} [create]
   * @returns {Promise<[FileSystemDirectoryHandle, string]>} the folder that a path lies in, and the name there
   */
  async at(path, create = false) {
    const name = path.startsWith(`${TRASH}/`) ? path.slice(TRASH.length + 1) : path;
    if (!FILES.test(name)) throw new Error(path);
    return [name === path ? this.handle : await this.handle.getDirectoryHandle(TRASH, { create }), name];
  }

  /** @param {string} path @returns {Promise<string | null>} null where there is no file */
  async stamp(path) {
    try {
      const [folder, name] = await this.at(path);
      return stampOf(await (await folder.getFileHandle(name)).getFile());
    } catch {
      return null;
    }
  }

  /**
   * @param {string} path
   * @param {string | null} text in base64; null removes the file
   */
  async put(path, text) {
    const [folder, name] = await this.at(path, text !== null);
    if (text === null) {
      await folder.removeEntry(name).catch((error) => {
        if (error.name !== "NotFoundError") throw error;
      });
      return;
    }
    // The browser writes beside the file, and puts the new one in its place when the stream is closed.
    const stream = await (await folder.getFileHandle(name, { create: true })).createWritable();
    try {
      await stream.write(bytesIn(text));
    } catch (error) {
      await stream.abort().catch(() => {});
      throw error;
    }
    await stream.close();
  }
}

/** In place of a folder, for a page that saves one file: what is saved is downloaded. */
export class LentFolder {
  /** @param {(path: string, bytes: Uint8Array<ArrayBuffer>) => void} download */
  constructor(download) {
    this.download = download;
    /** @type {{ [path: string]: string }} */
    this.files = {};
  }

  async read() {
    return this.files;
  }

  /** @param {FolderChanges} changes */
  async apply(changes) {
    for (const [path, text] of Object.entries(changes)) {
      if (text === null) continue;
      this.files[path] = text;
      this.download(path, bytesIn(text));
    }
  }
}
