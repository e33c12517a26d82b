// A reader's folder on a page without a server: what is read of it, and changes that are made whole or not at all.
import assert from "node:assert/strict";
import test from "node:test";
import { FolderChanged, FolderRefused, Folders, LentFolder, PickedFolder } from "../../ui/site/folder.ts";

const inBase64 = (text) => Buffer.from(text).toString("base64");

/** A directory of the File System Access API over a plain object; a file called in `broken` refuses to be written. */
class FakeDirectory {
  constructor(files, broken = []) {
    Object.assign(this, { kind: "directory", name: "course", files, broken });
  }

  async *entries() {
    for (const [name, held] of Object.entries(this.files)) {
      yield [name, held instanceof FakeDirectory ? held : await this.getFileHandle(name)];
    }
  }

  async getDirectoryHandle(name, { create = false } = {}) {
    if (!this.files[name] && create) this.files[name] = new FakeDirectory({});
    if (!this.files[name]) throw Object.assign(new Error("none"), { name: "NotFoundError" });
    return this.files[name];
  }

  async getFileHandle(name, { create = false } = {}) {
    const { files, broken } = this;
    if (files[name] === undefined && !create) throw Object.assign(new Error("none"), { name: "NotFoundError" });
    files[name] ??= "";
    return {
      kind: "file",
      getFile: async () => Object.assign(new Blob([files[name]]), { lastModified: files[name].length }),
      createWritable: async () => {
        let text = "";
        return {
          write: async (bytes) => {
            if (broken.includes(name)) throw new Error("disk full");
            text = new TextDecoder().decode(bytes);
          },
          close: async () => {
            files[name] = text;
          },
          abort: async () => {},
        };
      },
    };
  }

  async removeEntry(name) {
    if (this.files[name] === undefined) throw Object.assign(new Error("none"), { name: "NotFoundError" });
    delete this.files[name];
  }
}

test("only scenarios, lessons and the trash are read", async () => {
  const inside = { "1-a.yaml": "old" };
  const disk = {
    "a.yaml": "A",
    "lessons.toml": "L",
    "thesis.docx": "T",
    ".env": "E",
    ".trash": new FakeDirectory(inside),
  };
  const folder = new PickedFolder(new FakeDirectory(disk));
  assert.deepEqual(await folder.read(), {
    "a.yaml": inBase64("A"),
    "lessons.toml": inBase64("L"),
    ".trash/1-a.yaml": inBase64("old"),
  });
  assert.deepEqual([folder.has("a"), folder.has("b")], [true, false]);
});

test("a file is saved, another renamed, a third goes into the trash", async () => {
  const disk = { "a.yaml": "A", "b.yaml": "B" };
  const folder = new PickedFolder(new FakeDirectory(disk));
  await folder.read();
  await folder.apply({ "a.yaml": inBase64("new"), "b.yaml": null, ".trash/1-b.yaml": inBase64("B") });
  assert.equal(disk["a.yaml"], "new");
  assert.equal(disk["b.yaml"], undefined);
  assert.deepEqual(disk[".trash"].files, { "1-b.yaml": "B" });
});

test("what fails is taken back, and nothing outside the folder has a name", async () => {
  const disk = { "a.yaml": "A", "b.yaml": "B" };
  const folder = new PickedFolder(new FakeDirectory(disk, ["c.yaml"]));
  await folder.read();
  const rename = { "a.yaml": inBase64("AA"), "c.yaml": inBase64("C"), "b.yaml": null };
  await assert.rejects(
    folder.apply(rename),
    (error) => error instanceof FolderRefused && /disk full/.test(error.message),
  );
  assert.deepEqual(disk, { "a.yaml": "A", "b.yaml": "B" });
  for (const path of ["../x.yaml", "sub/x.yaml", ".trash/../x.yaml", "/x.yaml", ".bashrc", "x.sh"]) {
    await assert.rejects(folder.apply({ [path]: inBase64("x") }), FolderRefused);
  }
  assert.deepEqual(Object.keys(disk), ["a.yaml", "b.yaml"]);
});

test("a file that somebody else has changed is not written over", async () => {
  const disk = { "a.yaml": "A" };
  const folder = new PickedFolder(new FakeDirectory(disk));
  await folder.read();
  disk["a.yaml"] = "theirs";
  await assert.rejects(folder.apply({ "a.yaml": inBase64("mine") }), FolderChanged);
  assert.equal(disk["a.yaml"], "theirs");
});

test("a question that finds the folder changed is asked again with what is there", async () => {
  const disk = { "a.yaml": "A" };
  const folders = new Folders({ worker: {}, starts: 1 });
  folders.picked = new PickedFolder(new FakeDirectory(disk));
  assert.equal(folders.isDue(false), true);
  const seen = [];
  const answer = await folders.ask(
    async ({ folder: { files } }) => {
      seen.push(Buffer.from(files["a.yaml"], "base64").toString());
      if (seen.length === 1) disk["a.yaml"] = "theirs";
      return { said: { saved: true, folder: { "a.yaml": inBase64(`${seen.at(-1)}!`) } }, body: new Uint8Array(0) };
    },
    false,
    { folder_refused: "{reason}" },
  );
  assert.deepEqual(seen, ["A", "theirs"]);
  assert.deepEqual([answer.said, disk["a.yaml"]], [{ saved: true }, "theirs!"]);
  assert.deepEqual([folders.isDue(false), folders.isDue(true)], [false, true]);
});

test("without a folder the file is downloaded, and is there for the next question", async () => {
  const downloads = [];
  const lent = new LentFolder((path, bytes) => downloads.push([path, new TextDecoder().decode(bytes)]));
  await lent.apply({ "lessons.toml": inBase64("lessons = []") });
  assert.deepEqual(downloads, [["lessons.toml", "lessons = []"]]);
  assert.deepEqual(await lent.read(), { "lessons.toml": inBase64("lessons = []") });
});
