// The dialog Export: the link, pictures, the whole walkthrough as a file, data, and the small view for course pages.
import { compareAddress, openPage, opensHere, ownInAddress } from "../base/address.ts";
import { base64, el, fileName, fill, save, pushButton } from "../base/dom.ts";
import { between, say } from "../base/format.ts";
import { TabRow } from "../base/tab_row.ts";
import { ask, kit, unwritten } from "./desk.ts";
import { Paper, figureOf, fourSteps, painted, sheetOf } from "./figure.ts";
import { frameOf, studentsRow } from "./students.ts";
import { Gif } from "./gif.ts";
import { CodeOut } from "../base/code_out.ts";
import { unpackText } from "../base/facts.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { Player } from "../player.ts";
import type { FramesBy, PictureForm, Programs, Progress } from "../types/share.ts";

const PICTURE_FORMS: PictureForm[] = ["png", "svg"];

export class Share extends PlayerPart {
  words = this.player.words.share;
  node = el("dialog", "tm-share", null, { "aria-label": this.words.title });
  said = el("p", "tm-share-said", null, { role: "status" });
  body = el("div", "tm-share-body");
  tabs: TabRow;
  code: CodeTab;
  job: AnimationJob | null = null;
  /** The step of the picture and of the offline page: the player's when the dialog was opened. */
  step: number = this.player.step;
  bar = el("progress", "tm-share-bar", null, { max: 1, value: 0, "aria-label": this.words.animation.title });
  going = el("div", "tm-share-steps");
  makeGif: HTMLButtonElement | null = null;

  constructor(player: Player) {
    super(player);
    // Keys pressed in the dialog are not the player's.
    this.node.addEventListener("keydown", (event) => event.stopPropagation());
    this.node.addEventListener("click", (event) => {
      if (event.target === this.node) this.node.close();
    });
    const { share, code } = this.words.tabs;
    this.tabs = new TabRow(this.words.title, Object.entries({ share, code }), this.body, () => this.showTab());
    this.code = new CodeTab(this);
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
    const steps = fill(el("span", "tm-share-set"), ...fields);
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
    const right = fill(el("div", "tm-share-does"), ...does);
    return fill(el("section", "tm-share-row"), el("h3", "", title), right);
  }

  button(text: string, run: () => void) {
    return pushButton("tm-button", text, run);
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

// An animation: each frame is drawn where it looks as on the screen, and goes into the file at once.

const MOST_FRAMES = 60;
const FRAME_SIZE = { wide: 1120, high: 700 };
// How long (ms) a frame stays on the screen.
const FRAME_PAUSE = { step: 350, other: 900, last: 2500 };

/** The steps of the frames from `from` to `to` (both inclusive), at most `MOST_FRAMES` of them. */
function framesOf(player: Player, by: FramesBy, from: number, to: number) {
  const { payload } = player;
  const steps = {
    record: () => payload.items.slice(1).map((step) => step - 1),
    mark: () => payload.marks.map((each) => each.step),
    beat: () => payload.beats.map((each) => each.step),
    step: () => Array.from({ length: to - from + 1 }, (_, index) => from + index),
  }[by]();
  const all = [...new Set([from, ...steps.filter((step: number) => step > from && step < to), to])].sort(
    (a, b) => a - b,
  );
  if (all.length <= MOST_FRAMES) return all;
  return Array.from(
    { length: MOST_FRAMES },
    (_, index) => all[Math.round((index * (all.length - 1)) / (MOST_FRAMES - 1))],
  );
}

/** One animation in the making. `tell` is called as it proceeds. */
class AnimationJob {
  player: Player;
  steps: number[];
  tell: (progress: Progress) => void;
  pause: number;
  stopped = false;

  constructor(player: Player, steps: number[], by: FramesBy, tell: (progress: Progress) => void) {
    this.player = player;
    this.steps = steps;
    this.tell = tell;
    this.pause = by === "step" ? FRAME_PAUSE.step : FRAME_PAUSE.other;
  }

  /** The GIF; null if the reader stopped it. */
  async make() {
    const { steps } = this;
    const { wide, high } = FRAME_SIZE;
    const paper = new Paper(this.player, FRAME_SIZE);
    const gif = new Gif(wide, high);
    try {
      await paper.open();
      paper.reserve(steps);
      for (const [number, step] of steps.entries()) {
        this.tell({ done: number + 1, total: steps.length });
        await new Promise((rested) => setTimeout(rested)); // the page shows how far it is, and hears the reader
        if (this.stopped) return null;
        const { data } = painted(paper.draw(step), wide, high).getImageData(0, 0, wide, high);
        gif.add(data, number === steps.length - 1 ? FRAME_PAUSE.last : this.pause);
      }
    } finally {
      paper.close();
    }
    return new Blob([gif.end()], { type: "image/gif" });
  }

  stop() {
    this.stopped = true;
  }
}

// The tab Code of the dialog Export: the scenario as programs for real engines.

class CodeTab {
  share: Share;
  shown: CodeOut;
  /** Whether the programs have come, or are on their way. */
  asked = false;

  constructor(share: Share) {
    this.share = share;
    this.shown = new CodeOut(share.player.words.code_out, (batch) => this.comparison(batch));
  }

  /** What the tab shows; the programs are asked for when it is opened first. */
  opened() {
    if (!this.asked) this.write();
    return this.shown.node;
  }

  async write() {
    this.asked = true;
    this.shown.wait();
    try {
      const { said } = await ask("programs");
      ask("taken").catch(() => null);
      if (!said.programs) throw new Error(said.problem);
      this.shown.show(said as Programs);
    } catch (error) {
      this.asked = false;
      this.shown.fail(this.share.reasonOf(error));
    }
  }

  /**
   * The link to the same comparison on the page Compare.
   * @param batch how many records a micro-batch has
   */
  comparison(batch: number) {
    const { player, step } = this.share;
    const href = compareAddress(player.payload.name, { spark: String(batch), step: String(step) });
    const link = el("a", "tm-code-out-compare", player.words.code_out.compare, { href });
    return opensHere(link, () => {
      player.remember();
      openPage(link.href);
    });
  }
}

// The row of Export with the data of the run: its rows and its micro-steps in several forms, and the scenario itself.

const FORMS = [
  ["csv", "CSV"],
  ["jsonl", "JSON Lines"],
  ["parquet", "Parquet"],
];

/** A form that nobody here can write has no button; a sentence says where it comes from. */
function dataRow(share: Share) {
  const words = share.words.data;
  const forms = FORMS.filter(([form]) => !unwritten().includes(form));
  const set = (what: string) => {
    const group = el("span", "tm-share-set tm-share-data", null, { role: "group", "aria-label": words[what] });
    group.append(el("span", "", words[what]));
    for (const [form, title] of forms) group.append(share.button(title, () => share.dataFile(what, form)));
    return group;
  };
  const scenario = el("span", "tm-share-set tm-share-data");
  scenario.append(
    el("span", "", words.scenario),
    share.button(words.file, () => share.dataFile("scenario")),
  );
  const { note: said, more_in_app: more } = words;
  const note = forms.length < FORMS.length ? `${said}${between(said, more)}${more}` : said;
  return share.row(words.title, [set("rows"), set("trace"), scenario, share.note(note)]);
}

// One HTML file that holds the whole walkthrough: made from what the page already holds; the server adds the fonts.

/** The fonts as CSS rules, so that the file looks the same where they are not installed; "" without an answer. */
async function fonts() {
  try {
    const { body } = await ask("fonts");
    ask("taken").catch(() => null);
    return new TextDecoder().decode(body);
  } catch {
    return ""; // then the reader's own fonts must do
  }
}

/**
 * The file, opening at `step`; rejected with "unanswered" if this page lacks what it needs.
 * @param facts the packed payload
 */
async function offlinePage(facts: Uint8Array, { title, step }: { title: string; step: number }) {
  const shell = await unpackText(await kit());
  const filled: { [name: string]: string } = {
    fonts: await fonts(),
    facts: base64(facts),
    frame: "",
    step: String(step),
    title: title.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`),
  };
  return new Blob([shell.replace(/@@(facts|fonts|frame|step|title)@@/g, (_, name) => filled[name])], {
    type: "text/html",
  });
}
