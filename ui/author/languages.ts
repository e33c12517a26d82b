// All texts of the draft side by side in its languages, and the names of languages.
import { el, fill, pushButton } from "../player/base/dom.ts";
import { say } from "../player/base/format.ts";
import { AuthorPart } from "./author_part.ts";
import type { Author } from "./author.ts";
import type { SideBySideText } from "./draft.ts";

/** The name of a language in the language of the page; the tag itself where the browser has no name for it. */
export function languageName(tag: string) {
  try {
    return new Intl.DisplayNames([document.documentElement.lang || "en"], { type: "language" }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/** The names of languages in a row, as the language of the page puts them. */
export function languageNames(tags: string[]) {
  return new Intl.ListFormat(document.documentElement.lang || "en").format(tags.map(languageName));
}

/** The dialog in which the texts of two languages stand beside each other. */
export class LanguageDesk extends AuthorPart {
  /** the language beside the original; it may have no text yet */
  other: string | null = null;
  /** whether only those texts are shown that lack a translation, or have one that is older than the original */
  only = false;
  /** where a translation is said to be older */
  marks: { path: string; language: string; node: HTMLElement }[] = [];
  buttons = el("span", "tm-au-door-row");
  remover = el("span");
  bar = el("div", "tm-au-door-row");
  node = el("div", "tm-au-languages");

  constructor(author: Author) {
    super(author);
    this.bar.append(this.buttons, this.adding(), this.remover);
  }

  /** @param other the language beside the original */
  open(other?: string) {
    const { words } = this.author;
    if (other) this.other = other;
    this.show();
    this.author.doors.open(words.languages.title, el("p", "tm-quiet", words.languages.about), this.node);
    this.author.doors.node.classList.add("tm-au-wide");
  }

  show() {
    const { facts } = this.author;
    if (!facts) return;
    const { original, languages, texts } = facts.languages;
    this.other ??= languages[1] ?? null;
    const { other } = this;
    this.node.dataset.half = `languages:${other ?? ""}`;
    this.marks = [];
    const wanted = texts.filter((row) => !other || !this.only || !row.texts[other] || other in row.older);
    const head = el("tr");
    head.append(el("th"), el("th", "", languageName(original)), other ? el("th", "", languageName(other)) : "");
    const table = fill(el("table", "tm-au-side"), head);
    for (const row of wanted) {
      const line = fill(el("tr"), el("th", "", row.label, { scope: "row" }), this.field(row, original));
      if (other) line.append(this.field(row, other));
      table.append(line);
    }
    const done = other && !wanted.length ? el("p", "tm-quiet", this.author.words.languages.all_done) : null;
    fill(this.node, this.bar, other ? this.choosing() : null, done ?? table);
    this.tell();
  }

  /** What is missing in each language and what is older, after an edit; fields stay, one may be typed in. */
  tell() {
    const { facts, words } = this.author;
    if (!facts) return;
    const { languages, texts } = facts.languages;
    const { other } = this;
    fill(this.buttons);
    for (const each of new Set([...languages.slice(1), ...(other ? [other] : [])])) {
      const missing = texts.filter((row) => !row.texts[each]).length;
      const older = texts.filter((row) => each in row.older).length;
      const language = languageName(each);
      const about = [say(words.languages.missing, { language, count: missing, all: texts.length })];
      if (older) about.push(say(words.languages.older_count, { language, count: older }));
      const choose = pushButton("tm-button", language, () => this.beside(each), {
        "aria-pressed": String(each === other),
        title: about.join("\n"),
      });
      if (missing) choose.append(el("span", "tm-quiet", ` −${missing}`));
      if (older) choose.append(el("span", "tm-au-older", ` ≠${older}`));
      this.buttons.append(choose);
    }
    fill(this.remover, other && languages.includes(other) ? this.removing(other) : null);
    for (const { path, language, node } of this.marks) {
      const row = this.row(path);
      fill(node, row && language in row.older ? this.older(row, language) : null);
    }
  }

  row(path: string) {
    return this.author.facts?.languages.texts.find((each) => String(each.path) === path);
  }

  choosing() {
    const box = el("input", "", null, { type: "checkbox" });
    box.checked = this.only;
    box.addEventListener("change", () => {
      this.only = box.checked;
      this.show();
    });
    return fill(el("label", "tm-au-only"), box, this.author.words.languages.only);
  }

  beside(language: string) {
    this.other = language;
    this.show();
  }

  adding() {
    const { words } = this.author;
    const form = el("form", "tm-au-door-row");
    const tag = el("input", "tm-au-field", null, {
      "aria-label": words.languages.tag,
      placeholder: "pt-BR",
      size: "8",
    });
    form.append(tag, el("button", "tm-button", words.languages.add, { type: "submit" }));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      try {
        this.beside(Intl.getCanonicalLocales(tag.value.trim())[0] ?? this.other);
      } catch {
        this.author.doors.problem.textContent = words.cells.no_language;
      }
    });
    return form;
  }

  removing(language: string) {
    const text = say(this.author.words.languages.remove, { language: languageName(language) });
    return pushButton("tm-button tm-plain", text, async () => {
      this.other = null;
      await this.author.edit({ kind: "unlanguage", language });
      this.show();
    });
  }

  /** Says that the translation is older than the original, and what that said then. */
  older(row: SideBySideText, language: string) {
    const { author } = this;
    const { words } = author;
    const then = row.older[language];
    const right = pushButton("tm-button", words.languages.still_right, async () => {
      const area = note.closest("td")?.querySelector("textarea");
      if (await author.edit({ kind: "still_right", path: row.path, language })) {
        this.tell();
        area?.focus({ preventScroll: true });
      } else author.doors.problem.textContent = author.told.node.textContent;
    });
    const note = el("div", "tm-au-outdated");
    const text = then ? say(words.languages.then, { text: then }) : words.languages.changed;
    note.append(el("strong", "tm-au-older", words.languages.older), el("span", "", text), right);
    return note;
  }

  field(row: SideBySideText, language: string) {
    const area = el("textarea", "", null, {
      rows: "2",
      lang: language,
      "aria-label": say(this.author.words.languages.in_language, { label: row.label, language }),
      "data-control": [...row.path, language].join("."),
    });
    area.value = row.texts[language] ?? "";
    area.addEventListener("change", async () => {
      const { author } = this;
      author.doors.problem.textContent = "";
      if (await author.edit({ kind: "translate", path: row.path, language, text: area.value })) {
        if (!area.isConnected) this.show(); // another language was chosen meanwhile
        this.tell();
        return;
      }
      author.doors.problem.textContent = author.told.node.textContent;
      area.value = this.row(String(row.path))?.texts[language] ?? "";
    });
    const cell = fill(el("td"), area);
    const node = el("div");
    this.marks.push({ path: String(row.path), language, node });
    cell.append(node);
    return cell;
  }
}
