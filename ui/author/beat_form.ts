// The form of a beat: what it says, asks or lets predict, what only the presenter sees, and what it is tied to.
import { el, fill, given as there, icon, pushButton } from "../player/base/dom.ts";
import { say } from "../player/base/format.ts";
import type { StoryList } from "./story.ts";
import type { Anchor, BeatChoice, BeatDraft, BeatFields, BeatKind, Choice, StreamRow } from "./types.ts";
import type { Author } from "./author.ts";

const KINDS: BeatKind[] = ["say", "ask", "predict"];

/** A choice that is yet to be written. */
export const UNWRITTEN = { text: "", reply: "", belief: "" };

/** What is sent of a beat: the fields of its kind. */
export function fieldsOf({
  kind,
  say: text,
  ask,
  choices,
  answer,
  because,
  note,
  predict,
  way,
}: BeatDraft): BeatFields {
  if (kind === "say") return { say: text, note };
  if (kind === "predict") return { predict, way, note };
  const given = choices.map((each, index) => (index === answer ? { ...UNWRITTEN, text: each.text } : each));
  return { ask, choices: given, answer, because, note };
}

/** A list to choose from. */
function menuOf(label: string, choices: Choice[], value: string, act: (value: string) => void) {
  const list = el("select", "tm-au-choice", null, { "aria-label": label });
  for (const [each, text] of choices) list.append(el("option", "", text, { value: each }));
  list.value = value;
  list.addEventListener("change", () => act(list.value));
  return list;
}

export class BeatForm {
  story: StoryList;
  author: Author;
  words;
  draft: BeatDraft & { anchor?: Anchor; move?: boolean };
  fields = el("div", "tm-au-form-fields");
  head = el("div", "tm-au-door-row");
  node = el("form", "tm-au-form");

  constructor(story: StoryList, beat: BeatDraft) {
    this.story = story;
    this.author = story.author;
    this.words = story.author.words.story;
    this.draft = { ...beat, choices: beat.choices.map((each) => ({ ...each })) };
    this.drawHead();
    this.draw();
    this.node.append(this.head, this.fields, this.foot());
    this.node.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send();
    });
    this.node.addEventListener("keydown", (event) => {
      if (event.key === "Escape") story.leave();
      event.stopPropagation();
    });
    for (const each of ["input", "change", "click"]) {
      this.node.addEventListener(each, () => story.opened === this.draft && this.author.half.put("beat", this.draft));
    }
  }

  async send() {
    const { number, step, anchor = "", move = false } = this.draft;
    const fields = fieldsOf(this.draft);
    const moves = move || anchor !== "";
    if (await this.author.edit({ kind: "beat", number, step, move: moves, anchor, fields })) this.story.leave();
  }

  // --- where it is ---------------------------------------------------------------------------------------------------

  drawHead() {
    const { words, draft, story } = this;
    const kinds = KINDS.map((name) => [name, words.kinds[name]] as Choice);
    const kind = menuOf(words.kind, kinds, draft.kind, (name) => {
      draft.kind = name as BeatKind;
      this.drawHead();
      this.draw();
    });
    const where = say(words.at_step, { step: draft.step ?? 0, what: story.whatAt(draft.step ?? 0) });
    const place = draft.step === null ? (draft.place ?? "") : where;
    const focused = this.head.contains(document.activeElement) ? document.activeElement?.ariaLabel : null;
    fill(this.head, kind, this.anchors(), this.mover(), el("span", "tm-quiet tm-au-where", place));
    for (const each of this.head.querySelectorAll("select")) if (each.ariaLabel === focused) each.focus();
  }

  /** What the beat is tied to, so that it keeps its place when the scenario changes. */
  anchors() {
    const { words, draft, author } = this;
    const { step } = draft;
    const stays = draft.number !== null && !draft.move;
    const choices: Choice[] = [["", stays ? say(words.anchors.stays, { place: draft.place }) : words.anchors.fits]];
    const { steps } = author.picture;
    if (step !== null && steps?.length) {
      const at = Math.min(step, steps.length - 1);
      const of = draft.kind === "predict" ? "item_first" : "item";
      choices.push(
        ["event", this.timeOf(at)],
        ["item", say(words.anchors[of], { place: this.itemOf(steps.row(at).item) })],
        ["step", say(words.anchors.step, { step })],
      );
    }
    return menuOf(words.anchor, choices, draft.anchor ?? "", (anchor) => {
      draft.anchor = anchor as Anchor;
    });
  }

  /** Which time it is that this event happens, in words. */
  timeOf(step: number) {
    const { words, author } = this;
    const steps = there(author.picture.steps);
    const { event } = steps.row(step);
    let number = 0;
    for (let each = 0; each <= step; each += 1) if (steps.row(each).event === event) number += 1;
    const said = words.events[event as keyof typeof words.events];
    return say(words[number === 1 ? "at_event_first" : "at_event"], { event: said, number });
  }

  /** An item of the stream as the table names it. */
  itemOf(item: number) {
    const { words, author } = this;
    const { rows, columns = [] } = author.shown.stream as { rows?: StreamRow[]; columns?: string[] };
    const row = rows?.[item];
    const { kinds } = author.words.table;
    if (row && row.kind !== "record") return say(words.at_item, { item, kind: kinds[row.kind as keyof typeof kinds] });
    return say(words.at_record, { item, key: row?.cells[columns.indexOf("key")] ?? "…" });
  }

  /** A beat that stands somewhere can be moved to the step of the picture. */
  mover() {
    const { words, draft, author } = this;
    if (draft.number === null) return null;
    const { at } = author.picture;
    const text = draft.move ? say(words.moves_here, { step: draft.step }) : say(words.move_here, { step: at });
    const mover = el("button", "tm-button tm-plain", text, {
      type: "button",
      "aria-pressed": String(draft.move === true),
    });
    mover.addEventListener("click", () => {
      draft.move = true;
      draft.step = author.picture.at;
      this.drawHead();
    });
    return mover;
  }

  // --- what it says --------------------------------------------------------------------------------------------------

  draw() {
    const { draft } = this;
    if (draft.kind === "ask") {
      while (draft.choices.length < 2) draft.choices.push({ ...UNWRITTEN });
      draft.answer ??= 0;
    }
    const parts = {
      say: () => [this.field("say", 5)],
      ask: () => [this.field("ask", 2), this.choices(), this.field("because", 2)],
      predict: () => this.prediction(),
    }[draft.kind]();
    fill(this.fields, ...parts, this.field("note", 2));
  }

  field(name: "say" | "ask" | "because" | "note", rows: number) {
    const area = el("textarea", "", null, { rows, "data-field": name });
    area.value = this.draft[name] ?? "";
    area.addEventListener("input", () => {
      this.draft[name] = area.value;
    });
    return fill(el("label", "tm-au-form-row"), el("span", "", this.words.fields[name]), area);
  }

  choices() {
    const { words, draft } = this;
    const box = fill(el("fieldset", "tm-au-choices"), el("legend", "", words.choices));
    draft.choices.forEach((choice, index) => {
      box.append(this.choice(choice, index));
      if (draft.answer !== index) box.append(this.reply(choice, index));
    });
    const more = pushButton("tm-button tm-plain", words.one_more, () => {
      draft.choices.push({ ...UNWRITTEN });
      this.draw();
    });
    box.append(more);
    return box;
  }

  choice(choice: BeatChoice, index: number) {
    const { words, draft } = this;
    const number = index + 1;
    const right = el("input", "", null, {
      type: "radio",
      name: "tm-au-answer",
      "aria-label": say(words.right, { number }),
    });
    right.checked = draft.answer === index;
    right.addEventListener("change", () => {
      draft.answer = index;
      this.draw();
    });
    const input = el("input", "tm-au-long", null, { type: "text", "aria-label": say(words.choice, { number }) });
    input.value = choice.text;
    input.addEventListener("input", () => {
      choice.text = input.value;
    });
    const row = fill(el("div", "tm-au-door-row"), right, input);
    if (draft.choices.length > 2) {
      const remove = el("button", "tm-button tm-plain tm-au-icon", null, {
        type: "button",
        "aria-label": say(words.remove_choice, { number }),
      });
      remove.append(icon("remove"));
      remove.addEventListener("click", () => {
        draft.choices.splice(index, 1);
        draft.answer = Math.min(draft.answer ?? 0, draft.choices.length - 1);
        this.draw();
      });
      row.append(remove);
    }
    return row;
  }

  /** What is said to somebody who picks a wrong choice, and which belief leads to it. */
  reply(choice: BeatChoice, index: number) {
    const { words, story } = this;
    const number = index + 1;
    const area = el("textarea", "tm-au-long", null, {
      rows: 1,
      "aria-label": say(words.reply, { number }),
      placeholder: words.reply_hint,
    });
    area.value = choice.reply;
    area.addEventListener("input", () => {
      choice.reply = area.value;
    });
    const beliefs: Choice[] = [["", words.no_belief], ...story.beliefs];
    const belief = menuOf(say(words.belief, { number }), beliefs, choice.belief, (name) => {
      choice.belief = name;
    });
    return fill(el("div", "tm-au-door-row tm-au-reply"), area, belief);
  }

  prediction() {
    const { words, draft, story } = this;
    const row = (label: string, control: HTMLElement) => {
      return fill(el("label", "tm-au-form-row"), el("span", "", label), control);
    };
    draft.predict ??= story.predictions[0][0];
    const what = menuOf(words.predicts, story.predictions, draft.predict, (name) => {
      draft.predict = name;
      draft.way = "";
      this.draw();
    });
    const ways = story.ways[draft.predict] ?? [];
    const written = ways.some(([name]) => name === draft.way) ? draft.way : (ways[0]?.[0] ?? "");
    const how = menuOf(words.way, ways, written, (name) => {
      draft.way = name === ways[0][0] ? "" : name;
    });
    return [row(words.predicts, what), row(words.way, how)];
  }

  foot() {
    const { words, story } = this;
    const done = el("button", "tm-button tm-strong-button", words.done, { type: "submit" });
    const cancel = pushButton("tm-button", words.cancel, () => story.leave());
    return fill(el("div", "tm-au-door-row"), done, cancel, el("span", "tm-quiet", words.names));
  }
}
