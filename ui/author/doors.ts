// The ways in and out: something new, a file, a CSV, the folder, a link, the preview.
import { linkTo } from "../player/base/address.ts";
import { coded, dataNodes, el, fill, save, pushButton } from "../player/base/dom.ts";
import { say } from "../player/base/format.ts";
import { iconButton, onChosen } from "./buttons.ts";
import { openSqlDoor } from "./from_sql.ts";
import { keptDraft, nameIn, titleIn } from "./history.ts";
import { languageNames } from "./languages.ts";
import { Wizard } from "./wizard.ts";
import { CodeOut } from "../player/base/code_out.ts";
import { allDrafts, removeDraft } from "./drafts.ts";
import { AuthorPart } from "./author_part.ts";
import type { Author } from "./author.ts";
import type { Child } from "../player/types/player.ts";
import type { Command, CommandName, CommandQuestion, Done, NewDraftName, SharedDraft } from "./types.ts";

/** The blank between a number and its unit, where no line should end. */
const UNIT_GAP = /(?<=\d) (?=(?:ms|s|min|h|d)\b)/g;

export class Doors extends AuthorPart {
  node = el("dialog", "tm-au-dialog", null, { "aria-label": this.author.words.doors.label });
  problem = el("p", "tm-au-dialog-problem", null, { role: "alert" });

  constructor(author: Author) {
    super(author);
    this.node.addEventListener("click", (event) => {
      if (event.target === this.node) this.close();
    });
    this.node.addEventListener("keydown", (event) => event.stopPropagation());
    this.node.addEventListener("close", () => {
      author.half.put("field");
      author.half.put("table");
      this.neverEmpty();
    });
  }

  // --- the dialog --------------------------------------------------------------------------------------------------

  open(title: string, ...parts: Child[]) {
    const { words } = this.author;
    const head = el("div", "tm-au-dialog-head");
    head.append(
      el("h2", "", title),
      doorButton(words.doors.close, () => this.close(), "tm-plain"),
    );
    this.problem.textContent = "";
    this.node.classList.remove("tm-au-wide");
    fill(this.node, head, this.problem, parts);
    if (!this.node.open) this.node.showModal();
    dataNodes(this.node, ".tm-au-template, .tm-au-upload")[0]?.focus();
  }

  close() {
    this.node.close();
  }

  /** An author who closes the dialog without a choice begins with the first template. */
  neverEmpty() {
    const { author } = this;
    if (!author.history && !author.closed) this.fresh({ name: "template", template: author.base.templates[0].name });
  }

  /**
   * Asks the server; shows a refusal in the dialog, or on the page.
   * @param more of
   *   questions in one slot only the newest is asked
   * @returns null where it was refused
   */
  async command<Name extends CommandName>(
    command: Command<Name>,
    {
      slot,
      onRefused,
      ...more
    }: { before?: string; slot?: string; onRefused?: (place: [number, number] | undefined) => void } = {},
  ): Promise<Done<Name> | null> {
    let text = "";
    const reply = await this.author.wire.ask(() => {
      text = this.author.history?.text ?? "";
      return { text, command, ...more } as CommandQuestion;
    }, slot);
    if (!reply) return null;
    if ("problem" in reply.told) {
      this.say(reply.told.problem);
      onRefused?.(reply.told.place);
      return null;
    }
    return { ...reply, of: text } as unknown as Done<Name>;
  }

  /** @param problem said in the dialog, or on the page where none is open */
  say(problem: string) {
    if (this.node.open) fill(this.problem, coded(problem));
    else this.author.tell(problem);
  }

  /**
   * A new draft from a command.
   * @param onRefused is given the place that is refused
   */
  async fresh(command: Command<NewDraftName>, onRefused?: (place: [number, number] | undefined) => void) {
    const reply = await this.command(command, { onRefused });
    if (!reply) return;
    const { file, digest, whole, left_out: leftOut = [] } = reply.told;
    const saved = file && digest ? { file: { name: file, digest }, saved: reply.text } : {};
    const before = whole && leftOut.length ? { texts: [whole, reply.text] } : {};
    const opening = this.author.openNew(reply.text, { ...saved, ...before });
    this.close();
    await opening;
    if (leftOut.length) {
      this.author.tell(say(this.author.words.doors.left_out, { languages: languageNames(leftOut) }));
    }
  }

  // --- something new -----------------------------------------------------------------------------------------------

  begin() {
    const { words, base } = this.author;
    const grid = el("div", "tm-au-templates");
    for (const { name, title, about } of base.templates) {
      const card = pushButton("tm-au-template", null, () => this.fresh({ name: "template", template: name }));
      const unbroken = about.replaceAll(UNIT_GAP, "\u00a0");
      card.append(el("b", "", title), el("span", "tm-quiet", unbroken));
      grid.append(card);
    }
    const list = el("select", "tm-au-choice", null, { "aria-label": words.doors.copy_of });
    list.append(el("option", "", words.doors.choose, { value: "" }));
    for (const { name, title } of base.library) list.append(el("option", "", title, { value: name }));
    onChosen(list, (scenario) => scenario && this.fresh({ name: "fork", scenario }));
    const row = fill(el("div", "tm-au-door-columns"), doorSection(words.doors.copy_of, list));
    if (base.saving) row.append(doorSection(words.doors.from_folder, this.folder()));
    row.append(
      doorSection(
        words.doors.upload,
        this.fileField(".yaml,.yml,.json", (file, content) => this.fresh({ name: "upload", file, content })),
      ),
    );
    row.append(
      doorSection(
        words.sql.title,
        doorButton(words.sql.open, () => openSqlDoor(this)),
      ),
    );
    const table = pushButton("tm-au-template tm-au-from-table", null, () => this.take("", true));
    table.append(el("b", "", words.wizard.new_table), el("span", "tm-quiet", words.wizard.new_about));
    const earlier = earlierDrafts(this.author);
    this.open(
      words.doors.new,
      table,
      doorSection(words.doors.templates, grid),
      row,
      earlier && doorSection(words.doors.earlier, earlier),
    );
  }

  /** The files of the folder that was given at the start. */
  folder() {
    const { words } = this.author;
    const list = el("select", "tm-au-choice", null, { "aria-label": words.doors.from_folder });
    list.append(el("option", "", words.doors.choose, { value: "" }));
    this.command({ name: "names" }).then((reply) => {
      for (const name of reply?.told.names ?? []) list.append(el("option", "", name, { value: name }));
    });
    onChosen(list, (file) => file && this.fresh({ name: "open", file }));
    return list;
  }

  /** @param accept the endings of the files */
  fileField(accept: string, take: (name: string, content: string) => void) {
    const { words, base } = this.author;
    const field = el("input", "tm-au-upload", null, { type: "file", accept, "aria-label": words.doors.file });
    field.addEventListener("change", async () => {
      const file = field.files?.[0];
      if (!file) return;
      if (file.size > base.most_bytes) {
        this.problem.textContent = say(words.doors.too_large, { limit: Math.floor(base.most_bytes / 1024) });
        return;
      }
      take(file.name, await file.text());
    });
    return fileButton(field, words.doors.choose_file);
  }

  /**
   * Records from a table into this draft, which must be open, or into a new one.
   * @param pasted rows that were pasted elsewhere on the page
   */
  take(pasted = "", isNew = false) {
    const wizard = new Wizard(
      this.author,
      () => this.close(),
      (problem) => {
        this.problem.textContent = problem;
      },
      isNew,
    );
    this.open(isNew ? wizard.words.new_table : wizard.words.title, wizard.node);
    this.node.classList.add("tm-au-wide");
    if (isNew) dataNodes(wizard.node, "textarea")[0].focus();
    if (pasted) wizard.open(new Blob([pasted]), wizard.words.pasted);
    return wizard;
  }

  // --- out ---------------------------------------------------------------------------------------------------------

  /**
   * What opens the draft; null where nothing does.
   * @param way what it is for
   */
  async shared(way: "preview" | "copy") {
    this.author.settleTyping();
    const reply = await this.command({ name: "link", for: way });
    return reply ? reply.told : null;
  }

  link([name, value]: [string, string], more: { [name: string]: string }) {
    return new URL(linkTo("", { [name]: value, ...more }), document.baseURI).href;
  }

  /** Opens the walkthrough in present mode, at the step of the picture. */
  async preview() {
    const { words, history, picture } = this.author;
    if (!history) return;
    const tab = window.open("about:blank", "_blank");
    const shared = await this.shared("preview");
    if (!shared || shared.lost.length) tab?.close();
    if (!shared) return;
    const url = this.link(shared.address, { step: String(picture.step ?? 0), present: "1" });
    if (shared.lost.length) {
      const openIt = () => {
        this.close();
        window.open(url, "_blank", "noopener");
      };
      this.open(words.head.preview, lostBeats(this.author, shared.lost, "open", openIt));
    } else if (tab) {
      tab.opener = null;
      tab.location.replace(url);
    } else {
      window.location.assign(url);
    }
  }

  /** The link and the file of the draft; first, which beats neither can hold. */
  async share() {
    const { words } = this.author;
    this.open(words.doors.share, el("p", "tm-quiet", words.doors.share_about));
    const shared = await this.shared("copy");
    if (shared && !shared.lost.length) {
      this.showLink(shared);
      return;
    }
    const without = () => {
      if (!shared) return;
      this.open(words.doors.share, el("p", "tm-quiet", words.doors.share_about));
      this.showLink(shared);
    };
    this.node.append(
      ...(shared ? [lostBeats(this.author, shared.lost, "share", without)] : []),
      doorSection(
        words.doors.as_file,
        doorButton(words.doors.download, () => this.download()),
      ),
    );
  }

  showLink({ address, carried }: SharedDraft) {
    const { words } = this.author;
    const url = this.link(address, { step: "0" });
    const field = el("input", "tm-au-link", null, { type: "text", readonly: "", "aria-label": words.doors.link });
    field.value = url;
    const copy = doorButton(
      words.doors.copy,
      async () => {
        field.select();
        await navigator.clipboard.writeText(url).catch(() => document.execCommand("copy"));
        copy.textContent = words.doors.copied;
      },
      "tm-strong-button",
    );
    const row = fill(el("div", "tm-au-door-row"), field, copy);
    this.node.append(
      doorSection(words.doors.link, row, address[0] === "own" ? el("p", "tm-quiet", words.doors.link_short) : null),
      doorSection(
        words.doors.as_file,
        doorButton(words.doors.download, () => this.download(carried)),
      ),
      codeSection(this),
    );
    field.focus();
    field.select();
  }

  /** @param text what is in the file, if not the whole draft */
  download(text?: string) {
    const { author } = this;
    author.settleTyping();
    save(new Blob([text ?? author.text], { type: "application/yaml" }), `${this.fileName()}.yaml`);
  }

  fileName() {
    const { facts, draft } = this.author;
    return facts?.name ?? draft.file?.name ?? nameIn(draft.text) ?? "scenario";
  }
}

// The draft as programs for real engines, in the dialog Share.

/** The part of the dialog that leads to the programs. */
function codeSection(doors: Doors) {
  const { code_out: words, share } = doors.author.base.player;
  return doorSection(
    share.tabs.code,
    el("p", "tm-quiet", words.about),
    doorButton(words.show, () => openCodeDoor(doors)),
  );
}

async function openCodeDoor(doors: Doors) {
  const { code_out: words, share } = doors.author.base.player;
  const shown = new CodeOut(words, () => null);
  doors.open(share.tabs.code, shown.node);
  doors.node.classList.add("tm-au-wide");
  shown.wait();
  const reply = await doors.command({ name: "programs" });
  if (reply) shown.show(reply.told);
  else shown.node.replaceChildren();
}

// The other drafts of this browser, to go back to or to throw away.

const MOST_NAME = 40;

/** A list of them, the one last edited first; null for none. An untouched copy is no draft. */
function earlierDrafts(author: Author) {
  const { words } = author;
  const drafts = allDrafts().filter((each) => each.at !== null && each.id !== author.history?.id);
  if (!drafts.length) return null;
  const list = el("ul", "tm-au-earlier");
  for (const { id, text, at } of drafts) {
    const name = `${(titleIn(text) ?? nameIn(text) ?? words.head.unnamed).slice(0, MOST_NAME)}`;
    const open = pushButton("tm-button tm-plain", `${name} · ${new Date(at ?? 0).toLocaleString()}`, () => {
      const kept = keptDraft(id);
      if (kept) author.opening.open(kept);
      author.doors.close();
    });
    const item = el("li");
    const remove = iconButton("remove", say(words.doors.throw_away, { name }), () => {
      removeDraft(id);
      item.remove();
    });
    item.append(open, remove);
    list.append(item);
  }
  return list;
}

// Beats that the run of the draft contradicts: which they are, and a way to go on without them.

/**
 * @param lost the numbers of the beats
 * @param way what is done without them
 * @param act does it
 */
function lostBeats(author: Author, lost: number[], way: "share" | "open", act: () => void) {
  const { words } = author;
  const form = lost.length === 1 ? "one" : "many";
  const list = el("ul", "tm-au-lost");
  for (const number of lost) {
    const beat = author.facts?.story.beats[number];
    if (!beat) continue;
    const said = beat.kind === "predict" ? author.story.prediction(beat.predict) : beat.say || beat.ask;
    const item = fill(el("li"), el("span", "tm-au-beat-text", said), el("span", "tm-quiet", beat.place));
    list.append(item);
  }
  const row = el("div", "tm-au-door-row");
  row.append(
    doorButton(words.lost_beats[`${way}_${form}`], act, "tm-strong-button"),
    el("span", "tm-quiet", words.lost_beats[`kept_${form}`]),
  );
  return doorSection(say(words.lost_beats[`fits_not_${form}`], { count: lost.length }), list, row);
}

// What the dialogs of the page are made of.

export function doorButton(text: string, act: () => void, className = "") {
  return pushButton(`tm-button ${className}`, text, act);
}

export function doorSection(title: string, ...children: Child[]) {
  return fill(el("section", "tm-au-door"), el("h3", "", title), children);
}

/** A field for files as a button in the language of the page: the browser's own is in that of the browser. */
export function fileButton(field: HTMLInputElement, text: string) {
  const names = el("span", "tm-quiet");
  field.addEventListener("change", () => {
    names.textContent = [...(field.files ?? [])].map(({ name }) => name).join(" · ");
  });
  return fill(el("span", "tm-au-choose-file"), el("span", "tm-button", text, { "aria-hidden": "true" }), names, field);
}
