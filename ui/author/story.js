// The beats of the walkthrough, edited where they happen: what is said, asked or to be predicted at a step.
import { dataNodes, el, fill } from "../player/base/dom.js";
import { say } from "../player/base/format.js";
import { icon } from "../player/base/icons.js";
import { LanguageDesk } from "./languages.js";
import { framingEntry, framingForm } from "./texts.js";
/** @import { Author } from "./author.js" */
/** @import { Beat, BeatChoice, BeatDraft, BeatFields, BeatKind, Choice, DraftFacts, StoryTexts } from "./types.d.ts" */

/** @type {BeatKind[]} */
const KINDS = ["say", "ask", "predict"];

/** A choice that is yet to be written. */
const UNWRITTEN = { text: "", reply: "" };

/**
 * What is sent of a beat: the fields of its kind.
 * @param {BeatDraft} draft
 * @returns {BeatFields}
 */
function fieldsOf({ kind, say: text, ask, choices, answer, because, note, predict }) {
  if (kind === "say") return { say: text, note };
  if (kind === "predict") return { predict, note };
  const replied = choices.map((each, index) => (index === answer ? { ...each, reply: "" } : each));
  return { ask, choices: replied, answer, because, note };
}

export class StoryList {
  /** @param {Author} author */
  constructor(author) {
    this.author = author;
    this.name = "story";
    this.title = author.words.story.title;
    /** @type {Beat[]} */
    this.beats = [];
    /** @type {Choice[]} */
    this.predictions = [];
    /** @type {StoryTexts} */
    this.texts = { summary: "", look_for: "", takeaway: "" };
    /** @type {BeatDraft | StoryTexts | null} what the form shows */
    this.opened = null;
    this.node = el("div", "tm-au-part tm-au-story");
    this.languages = new LanguageDesk(author);
    this.here = el("span");
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

  /** @param {DraftFacts} facts */
  show({ story }) {
    const { words } = this.author;
    this.beats = story.beats;
    this.texts = story.texts;
    this.predictions = story.predictions;
    if (this.opened) return;
    const list = el("ol", "tm-au-beats");
    const order = [...story.beats].sort(
      (one, other) => (one.step ?? Infinity) - (other.step ?? Infinity) || one.number - other.number,
    );
    const frame = () => this.frame();
    list.append(framingEntry(words.story, "before", [story.texts.summary, story.texts.look_for], frame));
    for (const beat of order) list.append(this.entry(beat));
    list.append(framingEntry(words.story, "after", [story.texts.takeaway], frame));
    const add = el("button", "tm-button", null, { type: "button" });
    add.append(icon("plus"), this.here);
    this.tellStep();
    add.addEventListener("click", () => this.begin(this.author.picture.chosenStep));
    const languages = el("button", "tm-button", words.languages.open, { type: "button" });
    languages.addEventListener("click", () => this.languages.open());
    fill(this.node, list, story.beats.length ? null : el("p", "tm-quiet", words.story.none), add, languages);
  }

  /** @param {Beat} beat */
  entry(beat) {
    const { words } = this.author;
    const { step } = beat;
    const item = el("li");
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
    const edit = el("button", "tm-button tm-plain", words.story.edit, {
      type: "button",
      "aria-label": say(words.story.edit_beat, { number: beat.number + 1 }),
    });
    edit.addEventListener("click", () => this.form(beat));
    const remove = el("button", "tm-button tm-plain tm-au-icon", null, {
      type: "button",
      "aria-label": say(words.story.remove_beat, { number: beat.number + 1 }),
    });
    remove.append(icon("remove"));
    remove.addEventListener("click", () =>
      this.author.edit({ kind: "drop", list: "walkthrough", number: beat.number }),
    );
    item.append(place, body, edit, remove);
    return item;
  }

  /**
   * The label of a kind of prediction.
   * @param {string | null} name
   */
  prediction(name) {
    return this.predictions.find(([value]) => value === name)?.[1] ?? name;
  }

  /**
   * A new beat at a step.
   * @param {number} step
   */
  begin(step) {
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
    });
  }

  /**
   * The fields of one beat.
   * @param {BeatDraft} beat
   */
  form(beat) {
    const { words } = this.author;
    /** @type {BeatDraft} */
    const draft = { ...beat, choices: beat.choices.map((each) => ({ ...each })) };
    this.opened = draft;
    const form = el("form", "tm-au-form");
    const fields = el("div", "tm-au-form-fields");
    const head = el("div", "tm-au-door-row");
    const where = beat.place ?? say(words.story.at_step, { step: beat.step, what: this.whatAt(beat.step ?? 0) });
    const kind = el("select", "tm-au-choice", null, { "aria-label": words.story.kind });
    for (const name of KINDS) kind.append(el("option", "", words.story.kinds[name], { value: name }));
    kind.value = beat.kind;
    kind.addEventListener("change", () => {
      draft.kind = /** @type {BeatKind} */ (kind.value);
      draw();
    });
    head.append(kind, el("span", "tm-quiet tm-au-where", where));
    let move = false;
    if (beat.number !== null) {
      const label = say(words.story.move_here, { step: this.author.picture.at });
      const mover = el("button", "tm-button tm-plain", label, { type: "button", "aria-pressed": "false" });
      mover.addEventListener("click", () => {
        move = true;
        draft.step = this.author.picture.at;
        mover.setAttribute("aria-pressed", "true");
        mover.textContent = say(words.story.moves_here, { step: draft.step });
      });
      head.append(mover);
    }
    const field = (/** @type {"say" | "ask" | "because" | "note"} */ name, /** @type {number} */ rows) => {
      const row = el("label", "tm-au-form-row");
      const area = el("textarea", "", null, { rows, "data-field": name });
      area.value = draft[name] ?? "";
      area.addEventListener("input", () => {
        draft[name] = area.value;
      });
      row.append(el("span", "", words.story.fields[name]), area);
      return row;
    };
    const reply = (/** @type {BeatChoice} */ choice, /** @type {number} */ index) => {
      const row = el("div", "tm-au-door-row tm-au-reply");
      const area = el("textarea", "tm-au-long", null, {
        rows: 1,
        "aria-label": say(words.story.reply, { number: index + 1 }),
        placeholder: words.story.reply_hint,
      });
      area.value = choice.reply;
      area.addEventListener("input", () => {
        choice.reply = area.value;
      });
      row.append(area);
      return row;
    };
    const choices = () => {
      const box = el("fieldset", "tm-au-choices");
      box.append(el("legend", "", words.story.choices));
      draft.choices.forEach((choice, index) => {
        const row = el("div", "tm-au-door-row");
        const right = el("input", "", null, {
          type: "radio",
          name: "tm-au-answer",
          "aria-label": say(words.story.right, { number: index + 1 }),
        });
        right.checked = draft.answer === index;
        right.addEventListener("change", () => {
          draft.answer = index;
          draw();
        });
        const input = el("input", "tm-au-long", null, {
          type: "text",
          "aria-label": say(words.story.choice, { number: index + 1 }),
        });
        input.value = choice.text;
        input.addEventListener("input", () => {
          choice.text = input.value;
        });
        row.append(right, input);
        if (draft.choices.length > 2) {
          const remove = el("button", "tm-button tm-plain tm-au-icon", null, {
            type: "button",
            "aria-label": say(words.story.remove_choice, { number: index + 1 }),
          });
          remove.append(icon("remove"));
          remove.addEventListener("click", () => {
            draft.choices.splice(index, 1);
            draft.answer = Math.min(draft.answer ?? 0, draft.choices.length - 1);
            draw();
          });
          row.append(remove);
        }
        box.append(row);
        if (!right.checked) box.append(reply(choice, index));
      });
      const more = el("button", "tm-button tm-plain", words.story.one_more, { type: "button" });
      more.addEventListener("click", () => {
        draft.choices.push({ ...UNWRITTEN });
        draw();
      });
      box.append(more);
      return box;
    };
    const predict = () => {
      const row = el("label", "tm-au-form-row");
      const list = el("select", "tm-au-choice");
      for (const [value, text] of this.predictions) list.append(el("option", "", text, { value }));
      list.value = draft.predict ?? this.predictions[0][0];
      draft.predict = list.value;
      list.addEventListener("change", () => {
        draft.predict = list.value;
      });
      row.append(el("span", "", words.story.predicts), list);
      return row;
    };
    const draw = () => {
      if (draft.kind === "ask") {
        while (draft.choices.length < 2) draft.choices.push({ ...UNWRITTEN });
        draft.answer ??= 0;
      }
      const parts = {
        say: () => [field("say", 2)],
        ask: () => [field("ask", 1), choices(), field("because", 1)],
        predict: () => [predict()],
      }[draft.kind]();
      fill(fields, ...parts, field("note", 1));
    };
    draw();
    const foot = el("div", "tm-au-door-row");
    const done = el("button", "tm-button tm-strong-button", words.story.done, { type: "submit" });
    const cancel = el("button", "tm-button", words.story.cancel, { type: "button" });
    cancel.addEventListener("click", () => this.leave());
    foot.append(done, cancel, el("span", "tm-quiet", words.story.names));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const { number, step } = draft;
      if (await this.author.edit({ kind: "beat", number, step, move, fields: fieldsOf(draft) })) this.leave();
    });
    form.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.leave();
      event.stopPropagation();
    });
    for (const each of ["input", "change", "click"]) {
      form.addEventListener(each, () => this.opened === draft && this.author.half.put("beat", draft));
    }
    form.append(head, fields, foot);
    fill(this.node, form);
    dataNodes(fields, "textarea, select")[0]?.focus();
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

  /**
   * What happens at a step.
   * @param {number} step
   */
  whatAt(step) {
    const { steps } = this.author.picture;
    return steps?.length ? steps.row(Math.min(step, steps.length - 1)).what : "";
  }
}
