// The folder: under which name the draft is saved, what is done with its file, and what if somebody else saved it.
import { changeAddress, inAddress } from "../player/base/address.ts";
import { el, fill, icon } from "../player/base/dom.ts";
import { say } from "../player/base/format.ts";
import { Merge } from "./merge.ts";
import { nameIn } from "./history.ts";
import { doorButton, doorSection } from "./doors.ts";
import { AuthorPart } from "./author_part.ts";
import type { Deleted, FiledName, ShownReply, Theirs } from "./types.ts";

const MOST_IN_NAME = 100;

/** The name of a file for a title: "Late, but allowed" is `late-but-allowed`; "" where no letter can stay. */
export function slug(title: string) {
  return title
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, "")
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 60)
    .replace(/^-+|(?<!-)-+$/g, "");
}

export class Saving extends AuthorPart {
  get words() {
    return this.author.words.files;
  }

  /** An address with `manage` asks what to do with the file that it opens. */
  begin() {
    if (inAddress("manage") === null) return;
    changeAddress((query) => query.delete("manage"));
    this.manage();
  }

  /** Saves the draft: in its file, or under a name that is asked for. */
  async save() {
    const { author } = this;
    const { doors, words, base } = author;
    if (!author.history) return;
    author.settleTyping();
    if (!base.saving) {
      doors.open(
        words.doors.save,
        this.folderSection(),
        doorSection(
          words.doors.as_file,
          doorButton(words.doors.download, () => doors.download()),
        ),
      );
      return;
    }
    const { file, text } = author.draft;
    const name = nameIn(text);
    if (!file) this.ask();
    else if (name && name !== file.name) this.renamed(file.name, name);
    else await this.write(file.name, file.digest);
  }

  /** Where no folder was given: how to give one. A page without a server has one picked, if its browser can. */
  folderSection() {
    const { author } = this;
    const { doors } = author.words;
    const { tidemarkFolder: picker } = globalThis;
    if (!picker) return el("p", "", picker === null ? doors.no_folder_here : author.base.no_folder);
    const choose = async () => {
      if (!(await picker.choose())) return;
      author.base.saving = true;
      await this.save();
    };
    return doorSection(doors.into_folder, doorButton(doors.choose_folder, choose));
  }

  /** A name from the title as it stands on the page where it is free, else the one in the text. */
  proposal() {
    const { author } = this;
    const made = slug(author.head.written);
    const known = author.base.library.some((each) => each.name === made);
    return made && !known ? made : author.doors.fileName();
  }

  /** A field for the name of a file. */
  nameField(value: string, done: (name: string) => void) {
    const field = el("input", "tm-au-link", null, {
      type: "text",
      maxlength: String(MOST_IN_NAME),
      spellcheck: "false",
      autocomplete: "off",
      "aria-label": this.words.name,
      "data-control": "name",
    });
    field.value = value;
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") done(field.value.trim());
    });
    return field;
  }

  /** Asks under which name the draft is saved. */
  ask() {
    const { doors } = this.author;
    const save = (name: string) => this.write(name, null);
    const field = this.nameField(this.proposal(), save);
    const row = el("div", "tm-au-door-row", null, { "data-half": "save" });
    row.append(
      field,
      el("span", "tm-quiet", ".yaml"),
      doorButton(this.author.words.head.save, () => save(field.value.trim()), "tm-strong-button"),
    );
    doors.open(this.words.save_as, doorSection(this.words.name, row), el("p", "tm-quiet", this.words.name_rule));
    field.focus();
    field.select();
  }

  /** The name in the text is no longer that of the file: its file is renamed, or another one is made. */
  renamed(file: string, name: string) {
    const { doors } = this.author;
    const row = el("div", "tm-au-door-row");
    row.append(
      doorButton(say(this.words.rename_to, { file: name }), () => this.rename(name), "tm-strong-button"),
      doorButton(say(this.words.keep_both, { file, name }), () => this.write(name, null)),
    );
    doors.open(this.words.renamed, el("p", "", say(this.words.renamed_about, { file, name })), row);
  }

  /** @param expected the digest of the file that may be overwritten; null for none */
  async write(file: string, expected: string | null) {
    const { author } = this;
    const reply = await author.doors.command({ name: "save", file, expected, base: author.draft.saved });
    if (!reply) return false;
    const { told } = reply;
    if (told.conflict) {
      this.conflict(file, told.conflict);
      return false;
    }
    author.doors.close();
    // The name in the text is that of the file: a text that had another one comes back changed.
    const named = "text" in reply ? (reply as unknown as ShownReply) : null;
    if (named) {
      author.draft.push(named.text);
      author.pane.show(named.text);
      author.take(named);
    }
    author.draft.savedAs(file, told.digest, named?.text ?? reply.of);
    author.head.show();
    author.tell(say(author.words.doors.saved, { file }));
    return true;
  }

  /** Asks for something to be done with the file of the draft, or in the trash. */
  async filed(name: FiledName, file: string, to = "") {
    const reply = await this.author.doors.command({ name, file, to });
    return reply ? reply.told : null;
  }

  /** The file takes the name `to`, and the draft is saved in it. */
  async rename(to: string) {
    const { draft } = this.author;
    if (!draft.file) return;
    const before = draft.file;
    const told = await this.filed("rename", before.name, to);
    if (!told) return;
    draft.file = { name: to, digest: told.digest };
    await this.write(to, told.digest);
  }

  /** What can be done with the file: rename, duplicate, delete; and the files in the trash. */
  async manage() {
    const { author, words } = this;
    const { doors, history } = author;
    if (!history) return;
    if (!author.base.saving || !history.file) {
      await this.save();
      if (!author.base.saving || !doors.node.open) return;
    }
    if (!history.file) {
      const told = await this.filed("trash", "");
      if (told?.deleted.length) doors.node.append(this.trash(told.deleted));
      return;
    }
    const { name } = history.file;
    const field = this.nameField(name, (to) => this.rename(to));
    const row = el("div", "tm-au-door-row", null, { "data-half": "file" });
    row.append(
      field,
      el("span", "tm-quiet", ".yaml"),
      doorButton(words.rename, () => this.rename(field.value.trim())),
    );
    const acts = el("div", "tm-au-door-row");
    acts.append(
      doorButton(words.duplicate, async () => {
        const told = await this.filed("duplicate", name);
        if (told) doors.fresh({ name: "open", file: told.file });
      }),
      doorButton(words.delete, async () => {
        const told = await this.filed("delete", name);
        if (!told) return;
        history.file = null;
        history.saved = null;
        history.keep();
        author.head.show();
        doors.open(say(words.deleted_one, { file: name }), this.trash(told.deleted));
      }),
    );
    doors.open(`${name}.yaml`, doorSection(words.name, row), acts);
    field.focus();
    const told = await this.filed("trash", "");
    if (told?.deleted.length && doors.node.open) doors.node.append(this.trash(told.deleted));
  }

  trash(deleted: Deleted[]) {
    const { author, words } = this;
    const list = el("ul", "tm-au-trash");
    for (const { id, name, when } of deleted) {
      const item = el("li", "tm-au-door-row");
      const restore = doorButton(words.restore, async () => {
        const told = await this.filed("restore", id);
        if (told) author.doors.fresh({ name: "open", file: told.file });
      });
      restore.prepend(icon("undo"));
      item.append(el("b", "", `${name}.yaml`), el("span", "tm-quiet", new Date(when).toLocaleString()), restore);
      list.append(item);
    }
    return fill(doorSection(words.trash), el("h3", "", words.trash), list);
  }

  /** Somebody else has saved the file since: nothing is overwritten unasked. */
  conflict(file: string, theirs: Theirs) {
    const { author } = this;
    const { doors, words } = author;
    const merge = new Merge(theirs.blocks, words);
    const row = el("div", "tm-au-door-row tm-au-merge-foot");
    const save = doorButton(words.merge.save, () => this.merged(file, merge.text, theirs), "tm-strong-button");
    const note = el("p", "", null, { role: "status" });
    merge.watch(save, note);
    row.append(
      save,
      doorButton(words.doors.overwrite, () => this.write(file, theirs.digest)),
      doorButton(words.doors.open_theirs, () => {
        doors.close();
        const saved = theirs.digest ? { file: { name: file, digest: theirs.digest }, saved: theirs.text } : {};
        author.openNew(theirs.text, saved);
      }),
      doorButton(words.doors.other_name, () => this.ask()),
    );
    // Without a file of its own the draft meets another scenario; without a digest there is nothing to meet any more.
    const { doors: said } = words;
    const title = !theirs.digest ? said.gone : author.draft.file?.name === file ? said.conflict : said.taken;
    doors.open(say(title, { file }), el("p", "", words.merge.about), merge.node, note, row);
  }

  /**
   * The pieces that were chosen become the draft; it is saved if it runs.
   * @param theirs what is there now
   */
  async merged(file: string, text: string, { digest, text: there }: Theirs) {
    const { author } = this;
    const before = author.text;
    author.doors.close();
    author.draft.file = digest ? { name: file, digest } : null;
    author.draft.saved = digest ? there : null;
    author.draft.push(text);
    author.pane.show(text);
    await author.refresh(before);
    if (author.sound) await this.write(file, digest);
    else author.tell(author.words.merge.unsound);
  }
}
