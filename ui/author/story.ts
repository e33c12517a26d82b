// The beats of the walkthrough, edited where they happen: what is said, asked or to be predicted at a step.
import { dataNodes, el, fill, icon, pushButton } from "../player/base/dom.ts";
import { say } from "../player/base/format.ts";
import { BeatForm, UNWRITTEN } from "./beat_form.ts";
import { LanguageDesk } from "./languages.ts";
import { AuthorPart } from "./author_part.ts";
import type { Beat, BeatDraft, Choice, DraftFacts, Story, StoryTexts } from "./types.ts";
import type { AuthorWords } from "#types/words";

export class StoryList extends AuthorPart {
  name = "story";
  title: string = this.author.words.story.title;
  beats: Beat[] = [];
  predictions: Choice[] = [];
  ways: Story["ways"] = {};
  beliefs: Choice[] = [];
  texts: StoryTexts = { summary: "", look_for: "", takeaway: "" };
  shown: BeatDraft | StoryTexts | null = null;
  node = el("div", "tm-au-part tm-au-story");
  languages = new LanguageDesk(this.author);
  here = el("span");

  /** What the form shows; while there is one, it takes the place of table and text. */
  get opened() {
    return this.shown;
  }

  set opened(draft: BeatDraft | StoryTexts | null) {
    this.shown = draft;
    this.author.root.toggleAttribute("data-writing", draft !== null);
  }

  /** Where a beat would be added now. */
  tellStep() {
    this.here.textContent = say(this.author.words.story.add_here, { step: this.author.picture.chosenStep });
  }

  note() {
    return this.beats.length
      ? say(this.author.words.story[this.beats.length === 1 ? "count_one" : "count"], { count: this.beats.length })
      : "";
  }

  show({ story }: DraftFacts) {
    const { words } = this.author;
    this.beats = story.beats;
    this.texts = story.texts;
    this.predictions = story.predictions;
    this.ways = story.ways;
    this.beliefs = story.beliefs;
    if (this.opened) return;
    const list = el("ol", "tm-au-beats");
    const order = [...story.beats].sort(
      (one, other) => (one.step ?? Infinity) - (other.step ?? Infinity) || one.number - other.number,
    );
    const frame = () => this.frame();
    list.append(framingEntry(words.story, "before", [story.texts.summary, story.texts.look_for], frame));
    for (const beat of order) list.append(this.entry(beat));
    list.append(framingEntry(words.story, "after", [story.texts.takeaway], frame));
    const add = pushButton("tm-button", null, () => this.begin(this.author.picture.chosenStep));
    add.append(icon("plus"), this.here);
    this.tellStep();
    const languages = pushButton("tm-button", words.languages.open, () => this.languages.open());
    const foot = fill(el("div", "tm-au-door-row"), add, languages);
    fill(this.node, list, story.beats.length ? null : el("p", "tm-quiet", words.story.none), foot);
  }

  entry(beat: Beat) {
    const { words } = this.author;
    const { step } = beat;
    const place = el("button", "tm-au-beat-step", step === null ? words.story.never : say(words.story.step, beat), {
      type: "button",
      title: beat.place,
    });
    if (step === null) place.disabled = true;
    else place.addEventListener("click", () => this.author.picture.go(step));
    const text = beat.kind === "predict" ? this.prediction(beat.predict) : beat.say || beat.ask;
    const body = el("div", "tm-au-finding");
    body.append(
      el("b", "", words.story.kinds[beat.kind]),
      el("span", "tm-quiet", ` · ${beat.place}`),
      el("p", "tm-au-beat-text", text),
    );
    if (beat.note) body.append(el("p", "tm-quiet", say(words.story.note_line, beat)));
    const edit = pushButton("tm-button tm-plain", words.story.edit, () => this.form(beat), {
      "aria-label": say(words.story.edit_beat, { number: beat.number + 1 }),
    });
    const remove = pushButton(
      "tm-button tm-plain tm-au-icon",
      null,
      () => this.author.edit({ kind: "drop", list: "walkthrough", number: beat.number }),
      { "aria-label": say(words.story.remove_beat, { number: beat.number + 1 }) },
    );
    remove.append(icon("remove"));
    return fill(el("li"), place, body, edit, remove);
  }

  /** The label of a kind of prediction. */
  prediction(name: string | null) {
    return this.predictions.find(([value]) => value === name)?.[1] ?? name;
  }

  /** A new beat at a step. */
  begin(step: number) {
    this.form({
      number: null,
      kind: "say",
      step,
      say: "",
      ask: "",
      choices: [{ ...UNWRITTEN }, { ...UNWRITTEN }],
      answer: 0,
      because: "",
      note: "",
      predict: "windows-that-fire",
      way: "",
    });
  }

  /** The fields of one beat. */
  form(beat: BeatDraft) {
    const form = new BeatForm(this, beat);
    this.opened = form.draft;
    fill(this.node, form.node);
    dataNodes(form.fields, "textarea, select")[0]?.focus();
  }

  /** The form of what is said before the first step and after the last. */
  frame(texts = this.texts) {
    const draft = { ...texts };
    this.opened = draft;
    const save = async () => {
      if (await this.author.edit({ kind: "texts", texts: draft })) this.leave();
    };
    const form = framingForm(this.author.words.story, draft, save, () => this.leave());
    form.addEventListener("input", () => this.author.half.put("frame", draft));
    fill(this.node, form);
    dataNodes(form, "textarea")[0]?.focus();
  }

  leave() {
    this.opened = null;
    this.author.half.put("beat");
    this.author.half.put("frame");
    this.show(this.author.shown);
  }

  /** What happens at a step. */
  whatAt(step: number) {
    const { steps } = this.author.picture;
    return steps?.length ? steps.row(Math.min(step, steps.length - 1)).what : "";
  }
}

// What frames the beats: the summary and what to look for before the first step, what it showed after the last.

const TEXTS: (keyof StoryTexts)[] = ["summary", "look_for", "takeaway"];

/** The first or the last entry of the list of beats. */
function framingEntry(words: AuthorWords["story"], place: "before" | "after", texts: string[], edit: () => void) {
  const body = fill(el("div", "tm-au-finding"), el("b", "", words.frames[place]));
  const written = texts.filter(Boolean);
  for (const text of written) body.append(el("p", "tm-au-beat-text", text));
  if (!written.length) body.append(el("p", "tm-quiet", words.frames.nothing));
  const button = pushButton("tm-button tm-plain", words.edit, edit, {
    "aria-label": `${words.edit}: ${words.frames[place]}`,
  });
  return fill(el("li"), body, button);
}

/** The form of all of them; it writes what is typed into `draft`. */
function framingForm(words: AuthorWords["story"], draft: StoryTexts, save: () => void, leave: () => void) {
  const form = el("form", "tm-au-form");
  const fields = el("div", "tm-au-form-fields");
  for (const name of TEXTS) {
    const area = el("textarea", "", null, { rows: 2, "data-field": name });
    area.value = draft[name];
    area.addEventListener("input", () => {
      draft[name] = area.value;
    });
    fields.append(fill(el("label", "tm-au-form-row"), el("span", "", words.fields[name]), area));
  }
  const done = el("button", "tm-button tm-strong-button", words.done, { type: "submit" });
  const cancel = pushButton("tm-button", words.cancel, leave);
  const foot = fill(el("div", "tm-au-door-row"), done, cancel);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    save();
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape") leave();
    event.stopPropagation();
  });
  form.append(fields, foot);
  return form;
}
