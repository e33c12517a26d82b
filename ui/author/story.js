// The beats of the walkthrough, edited where they happen: what is said, asked or to be predicted at a step.
import { el, fill } from "../player/base/dom.js";
import { say } from "../player/base/format.js";
import { icon } from "../player/base/icons.js";

const KINDS = ["say", "ask", "predict"];

export class StoryList {
  constructor(author) {
    Object.assign(this, { author, name: "story", title: author.words.story.title, beats: [], opened: null });
    this.node = el("div", "tm-au-part tm-au-story");
  }

  note() {
    return this.beats.length
      ? say(this.author.words.story[this.beats.length === 1 ? "count_one" : "count"], { count: this.beats.length })
      : "";
  }

  show({ story }) {
    const { words } = this.author;
    Object.assign(this, { beats: story.beats, predictions: story.predictions });
    if (this.opened) return;
    const list = el("ol", "tm-au-beats");
    const order = [...story.beats].sort(
      (one, other) => (one.step ?? Infinity) - (other.step ?? Infinity) || one.number - other.number,
    );
    for (const beat of order) list.append(this.entry(beat));
    const add = el("button", "tm-button", null, { type: "button" });
    add.append(icon("plus"), el("span", "", say(words.story.add_here, { step: this.author.picture.at })));
    add.addEventListener("click", () => this.begin(this.author.picture.at));
    fill(this.node, story.beats.length ? list : el("p", "tm-quiet", words.story.none), add);
  }

  entry(beat) {
    const { words } = this.author;
    const item = el("li");
    const place = el(
      "button",
      "tm-au-beat-step",
      beat.step === null ? words.story.never : say(words.story.step, beat),
      { type: "button", title: beat.place },
    );
    place.disabled = beat.step === null;
    place.addEventListener("click", () => this.author.picture.go(beat.step));
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

  prediction(name) {
    return this.predictions.find(([value]) => value === name)?.[1] ?? name;
  }

  /** A new beat at a step. */
  begin(step) {
    this.form({
      number: null,
      kind: "say",
      step,
      say: "",
      ask: "",
      choices: ["", ""],
      answer: 0,
      because: "",
      note: "",
      predict: "windows-that-fire",
    });
  }

  /** The fields of one beat. */
  form(beat) {
    const { words } = this.author;
    const draft = { ...beat, choices: [...beat.choices] };
    this.opened = draft;
    const form = el("form", "tm-au-form");
    const fields = el("div", "tm-au-form-fields");
    const head = el("div", "tm-au-door-row");
    const where =
      beat.number === null ? say(words.story.at_step, { step: beat.step, what: this.whatAt(beat.step) }) : beat.place;
    const kind = el("select", "tm-au-choice", null, { "aria-label": words.story.kind });
    for (const name of KINDS) kind.append(el("option", "", words.story.kinds[name], { value: name }));
    kind.value = beat.kind;
    kind.addEventListener("change", () => {
      draft.kind = kind.value;
      draw();
    });
    head.append(kind, el("span", "tm-quiet tm-au-where", where));
    const field = (name, rows, label = words.story.fields[name]) => {
      const row = el("label", "tm-au-form-row");
      const area = el("textarea", "", null, { rows, "data-field": name });
      area.value = draft[name] ?? "";
      area.addEventListener("input", () => {
        draft[name] = area.value;
      });
      row.append(el("span", "", label), area);
      return row;
    };
    const choices = () => {
      const box = el("fieldset", "tm-au-choices");
      box.append(el("legend", "", words.story.choices));
      draft.choices.forEach((text, index) => {
        const row = el("div", "tm-au-door-row");
        const right = el("input", "", null, {
          type: "radio",
          name: "tm-au-answer",
          "aria-label": say(words.story.right, { number: index + 1 }),
        });
        right.checked = draft.answer === index;
        right.addEventListener("change", () => {
          draft.answer = index;
        });
        const input = el("input", "tm-au-long", null, {
          type: "text",
          "aria-label": say(words.story.choice, { number: index + 1 }),
        });
        input.value = text;
        input.addEventListener("input", () => {
          draft.choices[index] = input.value;
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
            draft.answer = Math.min(draft.answer, draft.choices.length - 1);
            draw();
          });
          row.append(remove);
        }
        box.append(row);
      });
      const more = el("button", "tm-button tm-plain", words.story.one_more, { type: "button" });
      more.addEventListener("click", () => {
        draft.choices.push("");
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
        while (draft.choices.length < 2) draft.choices.push("");
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
      const { number, kind: what, step, say: text, ask, choices: given, answer, because, note, predict: asked } = draft;
      const fieldsOf = {
        say: { say: text },
        ask: { ask, choices: given, answer, because },
        predict: { predict: asked },
      }[what];
      if (await this.author.edit({ kind: "beat", number, step, fields: { ...fieldsOf, note } })) this.leave();
    });
    form.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.leave();
      event.stopPropagation();
    });
    form.append(head, fields, foot);
    fill(this.node, form);
    fields.querySelector("textarea, select")?.focus();
  }

  leave() {
    this.opened = null;
    this.show(this.author.facts);
  }

  whatAt(step) {
    const { steps } = this.author.picture;
    return steps?.length ? steps.row(Math.min(step, steps.length - 1)).what : "";
  }
}
