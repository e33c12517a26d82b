// The title row: what the draft is called, how it stands, and what can be done with the whole of it.
import { el, fill, icon, pushButton } from "../player/base/dom.ts";
import { say } from "../player/base/format.ts";
import { compare } from "./buttons.ts";
import { nameIn, titleIn } from "./history.ts";
import { AuthorPart } from "./author_part.ts";
import type { Author } from "./author.ts";

export class TitleRow extends AuthorPart {
  shownTitle = "";
  node = el("header", "tm-title-row tm-au-title-row");
  title = el("input", "tm-au-title", null, {
    type: "text",
    "aria-label": this.author.words.head.title,
    autocomplete: "off",
    spellcheck: "false",
  });
  file = pushButton("tm-about tm-au-file", null, () => this.author.saving.manage());
  chips = el("div", "tm-au-chips", null, { role: "status" });
  undo: HTMLButtonElement;
  redo: HTMLButtonElement;
  save: HTMLButtonElement;

  constructor(author: Author) {
    super(author);
    const { words } = author;
    this.title.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.title.blur();
      if (event.key === "Escape") {
        this.retype(this.shownTitle);
        this.title.blur();
      }
    });
    this.title.addEventListener("input", () => {
      author.half.put("title", this.title.value);
      this.fit();
    });
    this.title.addEventListener("blur", () => this.rename());
    const act: (name: string, iconName: string | null, run: () => void, className?: string) => HTMLButtonElement = (
      name,
      iconName,
      run,
      className = "tm-plain",
    ) => {
      const button = pushButton(`tm-button ${className}`, null, run, {
        "data-act": name,
        "aria-label": words.head[name],
        title: words.head[`${name}_key`] ?? words.head[name],
      });
      if (iconName) button.append(icon(iconName));
      button.append(el("span", "tm-label", words.head[name]));
      return button;
    };
    const { doors } = author;
    this.undo = act("undo", "undo", () => author.undo());
    this.redo = act("redo", "redo", () => author.redo());
    this.save = act("save", null, () => author.saving.save(), "tm-strong-button");
    const preview = act("preview", "screen", () => doors.preview(), "");
    preview.append(el("kbd", "", "P"));
    this.node.append(
      this.title,
      this.file,
      this.chips,
      el("span", "tm-spring"),
      this.undo,
      this.redo,
      act("new", "plus", () => doors.begin()),
      act("take", "up", () => author.history && doors.take()),
      act("share", "link", () => doors.share()),
      act("compare", "both", () => compare(author)),
      preview,
      this.save,
    );
  }

  fit() {
    if (!CSS.supports("field-sizing", "content")) {
      this.title.style.width = `${Math.min(Math.max(this.title.value.length, 4), 44) + 1}ch`;
    }
  }

  retype(text: string) {
    this.title.value = text;
    this.fit();
  }

  /** Goes on with a title that was typed halfway: like any other, it is taken as soon as the field is left. */
  resume(text: string) {
    this.retype(text);
    this.title.focus();
  }

  /** The title as it is written, whether its edit is answered or not; in one language where the text has several. */
  get written() {
    const { facts, lastSound, text } = this.author;
    const typed = this.title.value.trim();
    if (facts && typed !== this.shownTitle) return typed;
    return (text === lastSound ? null : titleIn(text)) ?? facts?.title ?? "";
  }

  async rename() {
    const { author } = this;
    author.half.put("title");
    const wanted = this.title.value.trim();
    if (!author.facts || wanted === this.shownTitle) return;
    if (!wanted || !(await author.edit({ kind: "texts", texts: { title: wanted } }))) {
      this.title.value = this.shownTitle;
    }
    this.fit();
  }

  show() {
    const { author } = this;
    const { words, facts, draft } = author;
    const typing = document.activeElement === this.title || author.half.of("title") !== undefined;
    if (facts && !typing) this.retype(facts.title);
    if (facts && document.activeElement !== this.title) this.shownTitle = facts.title;
    this.title.disabled = author.locked;
    const name = draft.file?.name ?? facts?.name ?? nameIn(draft.text) ?? words.head.unnamed;
    if (!facts) {
      this.title.value = titleIn(draft.text) ?? name;
      this.fit();
    }
    this.file.textContent = say(
      draft.isSaved ? words.head.saved : draft.file ? words.head.changed : words.head.unsaved,
      { name },
    );
    this.file.title = this.file.textContent;
    this.undo.disabled = !draft.canUndo;
    this.redo.disabled = !draft.canRedo;
    const checks = author.checks.checks;
    const errors = checks.filter((each) => each.mark === "error").length;
    const warnings = checks.filter((each) => each.mark === "warning").length;
    const goals = author.sound && facts ? facts.goals : [];
    const chip: (iconName: string | null, text: string, open: () => void) => HTMLElement = (iconName, text, open) => {
      const node = pushButton("tm-au-chip", null, open);
      if (iconName) node.append(icon(iconName));
      node.append(text);
      return node;
    };
    fill(
      this.chips,
      errors
        ? chip("warning", say(words.head[errors === 1 ? "error_one" : "errors"], { count: errors }), () =>
            author.cards[2].open("checks"),
          )
        : null,
      warnings
        ? chip("warning", say(words.head[warnings === 1 ? "warning_one" : "warnings"], { count: warnings }), () =>
            author.cards[2].open("checks"),
          )
        : null,
      goals.length
        ? chip(null, say(words.head.goals, { met: goals.filter((each) => each.met).length, count: goals.length }), () =>
            author.cards[1].open("goals"),
          )
        : null,
    );
  }
}
