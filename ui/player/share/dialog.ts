// The dialog Export: the link, pictures, the whole walkthrough as a file, data, and the small view for course pages.
import { el, fill } from "../base/dom.ts";
import { say } from "../base/format.ts";
import { TabRow } from "../base/tab_row.ts";
import { ownInAddress } from "../frame/place.ts";
import { AnimationJob, MOST_FRAMES, framesOf } from "./animation.ts";
import { dataRow } from "./data_row.ts";
import { ask } from "./desk.ts";
import { figureOf, fourSteps, sheetOf } from "./figure.ts";
import { offlinePage } from "./offline.ts";
import { CodeTab } from "./code_tab.ts";
import { fileName, save } from "../base/save.ts";
import { frameOf, studentsRow } from "./students.ts";
import type { Player } from "../player.ts";
import type { FramesBy, PictureForm } from "../types/share.ts";

const PICTURE_FORMS: PictureForm[] = ["png", "svg"];

export class Share {
  player: Player;
  words;
  node: HTMLDialogElement;
  said = el("p", "tm-share-said", null, { role: "status" });
  body = el("div", "tm-share-body");
  tabs: TabRow;
  code: CodeTab;
  job: AnimationJob | null = null;
  /** The step of the picture and of the offline page: the player's when the dialog was opened. */
  step: number;
  bar: HTMLProgressElement;
  going = el("div", "tm-share-steps");
  makeGif: HTMLButtonElement | null = null;

  constructor(player: Player) {
    this.player = player;
    this.words = player.words.share;
    this.node = el("dialog", "tm-share", null, { "aria-label": this.words.title });
    // Keys pressed in the dialog are not the player's.
    this.node.addEventListener("keydown", (event) => event.stopPropagation());
    this.node.addEventListener("click", (event) => {
      if (event.target === this.node) this.node.close();
    });
    const { share, code } = this.words.tabs;
    this.tabs = new TabRow(this.words.title, Object.entries({ share, code }), this.body, () => this.showTab());
    this.code = new CodeTab(this);
    this.step = player.step;
    this.bar = el("progress", "tm-share-bar", null, { max: 1, value: 0, "aria-label": this.words.animation.title });
  }

  get isOpen() {
    return this.node.open;
  }

  open() {
    if (this.isOpen) return;
    this.player.transport.stop();
    this.step = this.player.step;
    this.build();
    this.node.showModal();
  }

  build() {
    const { words, player } = this;
    const head = el("div", "tm-share-head");
    const close = this.button(player.words.close, () => this.node.close());
    close.append(el("kbd", "", "Esc"));
    head.append(el("h2", "", words.title), el("span", "tm-about", say(words.step, { step: this.step })), close);
    if (!this.job) this.tell("");
    fill(this.node, head, player.alone ? null : this.tabs.node, this.body, this.said);
    this.showTab();
  }

  /** The tab that is chosen; a page without a server has only the first. */
  showTab() {
    this.body.scrollTop = 0;
    if (this.tabs.name === "code") {
      fill(this.body, this.code.opened());
      return;
    }
    const { player } = this;
    const rows = player.alone
      ? [this.figure(), this.sheet()]
      : [
          this.link(),
          this.figure(),
          this.sheet(),
          this.animation(),
          this.page(),
          dataRow(this),
          this.embed(),
          player.isStudents || player.tryouts.now ? "" : studentsRow(this),
        ];
    fill(this.body, rows);
  }

  // --- the parts of the dialog -----------------------------------------------------------------------------------

  link() {
    const { words, player } = this;
    if (ownInAddress()?.[0] === "own") {
      return this.row(words.link.title, [
        this.button(words.data.file, () => this.dataFile("scenario")),
        this.note(words.link.long),
      ]);
    }
    return this.row(
      words.link.title,
      this.copied(el("input", "tm-share-text", null, { readonly: "" }), player.link(), words.link),
    );
  }

  figure() {
    const { words } = this;
    const make = (form: PictureForm) =>
      this.button(form.toUpperCase(), () =>
        this.make(fileName(this.name, `step-${this.step}`, form), () => figureOf(this.player, this.step, form)),
      );
    return this.row(words.figure.title, [...PICTURE_FORMS.map(make), this.note(words.figure.note)]);
  }

  sheet() {
    const { words, player } = this;
    const fields = fourSteps(player).map((step, index) =>
      this.number(step, say(words.sheet.label, { number: index + 1 })),
    );
    const steps = el("span", "tm-share-set");
    steps.append(...fields);
    const make = (form: PictureForm) =>
      this.button(form.toUpperCase(), () => {
        const chosen = [...new Set(fields.map((field) => this.within(field)))];
        return this.make(fileName(this.name, `steps-${chosen.join("-")}`, form), () => sheetOf(player, chosen, form));
      });
    return this.row(words.sheet.title, [steps, ...PICTURE_FORMS.map(make), this.note(words.sheet.note)]);
  }

  animation() {
    const { words, player } = this;
    const by = el("select", "tm-share-choice", null, { "aria-label": words.animation.frames });
    const ways: [FramesBy, number][] = [
      ["record", player.payload.items.length],
      ["mark", player.payload.marks.length],
      ["beat", player.payload.beats.length],
      ["step", 1],
    ];
    for (const [way, there] of ways) {
      if (there) by.append(el("option", "", words.animation[`by_${way}`], { value: way }));
    }
    const from = this.number(0, words.animation.from);
    const to = this.number(player.last, words.animation.to);
    const note = this.note("");
    const chosen = () => {
      const [first, last] = [this.within(from), this.within(to)].sort((a, b) => a - b);
      return framesOf(player, way(), first, last);
    };
    const way = () => by.value as FramesBy;
    const count = () => {
      note.textContent = say(words.animation.note, { count: chosen().length, most: MOST_FRAMES });
    };
    for (const field of [by, from, to]) field.addEventListener("input", count);
    count();
    const make = this.button(words.animation.make, () => this.animate(chosen(), way()));
    const labelled = (field: HTMLInputElement, text: string) => {
      const label = el("label", "tm-share-set", text);
      label.append(field);
      return label;
    };
    const cancel = this.button(words.animation.cancel, () => this.job?.stop());
    fill(this.going, this.bar, cancel);
    this.makeGif = make;
    this.working(this.job !== null);
    const range = el("div", "tm-share-animate");
    range.append(labelled(from, words.animation.from), labelled(to, words.animation.to), make);
    return this.row(words.animation.title, [by, range, this.going, note]);
  }

  page() {
    const { words, player } = this;
    const make = this.button(words.page.make, () =>
      this.make(fileName(this.name, "", "html"), () => this.offline(player.packed)),
    );
    return this.row(words.page.title, [make, this.note(words.page.note)]);
  }

  /** The offline page of these facts. */
  offline(facts: Uint8Array) {
    return offlinePage(facts, { title: this.player.payload.title, step: this.step });
  }

  embed() {
    const { words, player } = this;
    const frame = frameOf(new URL(player.link()), player.payload.title);
    return this.row(words.embed.title, [
      ...this.copied(el("textarea", "tm-share-text", null, { readonly: "" }), frame, words.embed),
      this.note(words.embed.note),
    ]);
  }

  // --- pieces ----------------------------------------------------------------------------------------------------

  get name() {
    return this.player.payload.name;
  }

  row(title: string, does: Node[]) {
    const row = el("section", "tm-share-row");
    const right = el("div", "tm-share-does");
    right.append(...does);
    row.append(el("h3", "", title), right);
    return row;
  }

  button(text: string, run: () => void) {
    const button = el("button", "tm-button", text, { type: "button" });
    button.addEventListener("click", run);
    return button;
  }

  note(text: string) {
    return el("p", "tm-share-note", text);
  }

  number(value: number, label: string) {
    const field = el("input", "tm-share-number", null, {
      type: "number",
      min: 0,
      max: this.player.last,
      step: 1,
      "aria-label": label,
    });
    field.value = String(value);
    return field;
  }

  /** The step in a field, kept within the run. */
  within(field: HTMLInputElement) {
    return Math.min(Math.max(Math.round(Number(field.value)) || 0, 0), this.player.last);
  }

  /** A field with a text to copy, and the button that copies it. */
  copied(
    field: HTMLInputElement | HTMLTextAreaElement,
    text: string,
    words: { label: string; copy: string; copied?: string },
  ) {
    field.setAttribute("aria-label", words.label);
    field.value = text;
    field.addEventListener("focus", () => field.select());
    const copy = this.button(words.copy, async () => {
      field.select();
      try {
        await navigator.clipboard.writeText(text);
      } catch {
        document.execCommand("copy");
      }
      this.tell(words.copied ?? this.words.link.copied);
    });
    return [field, copy];
  }

  tell(text: string, wrong = false) {
    this.said.textContent = text;
    this.said.classList.toggle("tm-wrong", wrong);
  }

  failed(error: unknown) {
    this.tell(this.reasonOf(error), true);
  }

  reasonOf(error: unknown) {
    const { unanswered, picture_too_large, failed } = this.words;
    const message = error instanceof Error ? error.message : String(error);
    const known: { [message: string]: string | undefined } = { unanswered, picture_too_large };
    return say(failed, { reason: known[message] ?? message });
  }

  /** Makes a file, saves it and reports how that went. A `File` keeps its own name. */
  async make(name: string, work: () => Promise<Blob | File>) {
    this.tell(say(this.words.making, { file: name }));
    try {
      const blob = await work();
      const called = blob instanceof File ? blob.name : name;
      save(blob, called);
      this.tell(say(this.words.saved, { file: called, size: sizeText(blob.size) }));
    } catch (error) {
      this.failed(error);
    }
  }

  /** @param form null for the scenario's own */
  dataFile(what: string, form: string | null = null) {
    const part = what === "scenario" ? "" : what;
    return this.make(fileName(this.name, part, form ?? "yaml"), async () => {
      const { said, body } = await ask("data", { what, form });
      if (said.problem) throw new Error(said.problem);
      ask("taken").catch(() => null);
      return new File([body], fileName(this.name, part, form ?? said.ending ?? ""), { type: said.type });
    });
  }

  async animate(steps: number[], by: FramesBy) {
    const { animation } = this.words;
    this.job = new AnimationJob(this.player, steps, by, (progress) => {
      this.tell(say(animation.drawing, { ...progress }));
      this.bar.value = progress.done / progress.total;
    });
    this.bar.value = 0;
    this.working(true);
    try {
      const blob = await this.job.make();
      const name = fileName(this.name, `steps-${steps[0]}-${steps.at(-1)}`, "gif");
      if (blob) save(blob, name);
      this.tell(blob ? say(this.words.saved, { file: name, size: sizeText(blob.size) }) : animation.stopped);
    } catch (error) {
      this.failed(error);
    }
    this.job = null;
    this.working(false);
  }

  /** Whether an animation is being made: only one at a time. */
  working(busy: boolean) {
    if (this.makeGif) this.makeGif.disabled = busy;
    this.going.hidden = !busy;
  }

  close() {
    this.job?.stop();
    this.node.remove();
  }
}

/** A size in words: `88 KB`, `1.2 MB`. */
function sizeText(bytes: number) {
  return bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1000))} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
