// Questions that concern the reader's folder: its files go with them, and what Python changes goes back into it.
import { say } from "../player/base/format.ts";
import { save } from "../player/base/save.ts";
import { FolderChanged, FolderRefused, LentFolder, PickedFolder } from "./folder.ts";
import type { SiteWords } from "#types/words";
import type { Engine } from "./engine.ts";
import type { Answered } from "./types.ts";

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
  lent: LentFolder;
  /** The start of Python that has the files of the folder. */
  held = 0;

  constructor(engine: Engine) {
    this.engine = engine;
    this.lent = new LentFolder((path, bytes) => save(new Blob([bytes], { type: "application/toml" }), path));
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
