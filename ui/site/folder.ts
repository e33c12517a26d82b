// A folder of the reader's own (File System Access): read before a question that may concern it, written afterwards.
//
// Python works on a copy (ui/site/engine.py) and says which files are to become what. Nothing but these files is
// touched, none outside the folder can be named, and a change is made whole or taken back.
import { base64, save } from "../player/base/dom.ts";
import { say } from "../player/base/format.ts";
import type { Answered, FolderChanges } from "./types.ts";
import type { Engine } from "./engine.ts";
import type { SiteWords } from "#types/words";

/** The files that Python gets: as NAME in ui/site/engine.py. */
const FILES = /^[^/\\.][^/\\]{0,199}\.(yaml|json|jsonl|toml)$/;
const TRASH = ".trash";

/** Larger files (bytes) are no scenarios, and are left alone. */
const MOST_READ = 2 ** 20;

/** Somebody else has changed the folder since it was read. */
export class FolderChanged extends Error {}

/** Nothing has been saved; the message is the browser's reason. */
export class FolderRefused extends Error {}

/** @param text in base64 */
function bytesIn(text: string) {
  return Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
}

function stampOf(file: File) {
  return `${file.lastModified} ${file.size}`;
}

export class PickedFolder {
  handle: FileSystemDirectoryHandle;
  name: string;
  /** the files that were read last, by path */
  known: Map<string, { stamp: string; text: string }> = new Map();

  constructor(handle: FileSystemDirectoryHandle) {
    this.handle = handle;
    this.name = handle.name;
  }

  /** @param scenario whether the folder had a scenario of that name when it was read last */
  has(scenario: string) {
    return this.known.has(`${scenario}.yaml`) || this.known.has(`${scenario}.json`);
  }

  /** The files by path, in base64. Rejects with `FolderRefused`. */
  async read(): Promise<{ [path: string]: string }> {
    try {
      const found: typeof this.known = new Map();
      await this.readInto(found, this.handle, "");
      const trash = await this.handle.getDirectoryHandle(TRASH).catch(() => null);
      if (trash) await this.readInto(found, trash, `${TRASH}/`);
      this.known = found;
      return Object.fromEntries([...found].map(([path, { text }]) => [path, text]));
    } catch (error) {
      throw new FolderRefused(String(error));
    }
  }

  /** @param before the path of the folder */
  async readInto(found: typeof this.known, handle: FileSystemDirectoryHandle, before: string) {
    for await (const [name, each] of handle.entries()) {
      if (each.kind !== "file" || !FILES.test(name)) continue;
      const path = `${before}${name}`;
      const file = await (each as FileSystemFileHandle).getFile();
      if (file.size > MOST_READ) continue;
      const stamp = stampOf(file);
      const known = this.known.get(path);
      const same = known?.stamp === stamp;
      const text = same ? known.text : base64(new Uint8Array(await file.arrayBuffer()));
      found.set(path, { stamp, text });
    }
  }

  /** Makes the changes, or none of them. Rejects with `FolderChanged` or `FolderRefused`. */
  async apply(changes: FolderChanges) {
    const paths = Object.keys(changes);
    for (const path of paths) {
      if ((await this.stamp(path)) !== (this.known.get(path)?.stamp ?? null)) throw new FolderChanged(path);
    }
    // What is new or different first: whatever stops it, no file is missing then.
    const order = paths.sort((a, b) => Number(changes[a] === null) - Number(changes[b] === null));
    const done: string[] = [];
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

  /** @returns the folder that a path lies in, and the name there */
  async at(path: string, create = false): Promise<[FileSystemDirectoryHandle, string]> {
    const name = path.startsWith(`${TRASH}/`) ? path.slice(TRASH.length + 1) : path;
    if (!FILES.test(name)) throw new Error(path);
    return [name === path ? this.handle : await this.handle.getDirectoryHandle(TRASH, { create }), name];
  }

  /** @returns null where there is no file */
  async stamp(path: string): Promise<string | null> {
    try {
      const [folder, name] = await this.at(path);
      return stampOf(await (await folder.getFileHandle(name)).getFile());
    } catch {
      return null;
    }
  }

  /** @param text in base64; null removes the file */
  async put(path: string, text: string | null) {
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
  download: (path: string, bytes: Uint8Array<ArrayBuffer>) => void;
  files: { [path: string]: string } = {};

  constructor(download: (path: string, bytes: Uint8Array<ArrayBuffer>) => void) {
    this.download = download;
  }

  async read() {
    return this.files;
  }

  async apply(changes: FolderChanges) {
    for (const [path, text] of Object.entries(changes)) {
      if (text === null) continue;
      this.files[path] = text;
      this.download(path, bytesIn(text));
    }
  }
}

// Questions that concern the reader's folder: its files go with them, and what Python changes goes back into it.

/** Two pages, or two questions, take turns. */
const TURNS = "tidemark-folder";

/** How often a question is asked again because somebody else has changed the folder meanwhile. */
const MOST_TRIES = 3;

/** @returns null where the browser has none */
function folderPicker(): ((options: object) => Promise<FileSystemDirectoryHandle>) | null {
  const { showDirectoryPicker: pick } = globalThis as any;
  return typeof pick === "function" ? pick.bind(globalThis) : null;
}

export class Folders {
  engine: Engine;
  picked: PickedFolder | null = null;
  lent = new LentFolder((path, bytes) => save(new Blob([bytes], { type: "application/toml" }), path));
  /** The start of Python that has the files of the folder. */
  held = 0;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  /** What the pages use to have a folder picked; null where the browser cannot. */
  picker(onPicked: () => void) {
    if (!folderPicker()) return null;
    const { picked } = this;
    return {
      name: picked?.name ?? "",
      choose: async () => {
        const handle = await folderPicker()?.({ id: "tidemark", mode: "readwrite" }).catch(() => null);
        if (!handle) return false;
        this.picked = new PickedFolder(handle);
        this.held = 0;
        onPicked();
        return true;
      },
    };
  }

  /** Whether a question has to bring the files: it may change them, or Python does not have them. */
  isDue(concerned: boolean) {
    const { worker, starts } = this.engine;
    return this.picked !== null && (concerned || !worker || this.held !== starts);
  }

  /** Asks with the files of the picked folder, or of the lent one. */
  async ask(ask: (more: object) => Promise<Answered>, lent: boolean, words: SiteWords): Promise<Answered> {
    const folder = lent || !this.picked ? this.lent : this.picked;
    return inTurn(async () => {
      for (let tries = 1; ; tries += 1) {
        try {
          const files = await folder.read();
          const { said, body } = await ask({ folder: { files, lent: folder === this.lent } });
          const { folder: changes, ...rest } = said;
          if (changes) {
            this.held = 0;
            await folder.apply(changes);
            await folder.read();
          }
          if (folder !== this.lent) this.held = this.engine.starts;
          return { said: rest, body };
        } catch (error) {
          this.held = 0;
          if (error instanceof FolderChanged && tries < MOST_TRIES) continue;
          if (!(error instanceof FolderChanged) && !(error instanceof FolderRefused)) throw error;
          return { said: { problem: say(words.folder_refused, { reason: error.message }) }, body: new Uint8Array(0) };
        }
      }
    });
  }
}

function inTurn<Result>(act: () => Promise<Result>): Promise<Result> {
  return navigator.locks ? navigator.locks.request(TURNS, act) : act();
}
