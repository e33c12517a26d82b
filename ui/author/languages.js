// All texts of the draft side by side in its languages, and the names of languages.
import { el, fill } from "../player/base/dom.js";
import { say } from "../player/base/format.js";
/** @import { Author } from "./author.js" */
/** @import { SideBySide } from "./draft.d.ts" */

/**
 * The name of a language in the language of the page; the tag itself where the browser has no name for it.
 * @param {string} tag
 */
export function languageName(tag) {
  try {
    return new Intl.DisplayNames([document.documentElement.lang || "en"], { type: "language" }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/** The dialog in which the texts of two languages stand beside each other. */
export class LanguageDesk {
  /** @param {Author} author */
  constructor(author) {
    this.author = author;
    /** @type {string | null} the language beside the original; it may have no text yet */
    this.other = null;
    this.node = el("div", "tm-au-languages");
  }

  /** @param {string} [other] the language beside the original */
  open(other) {
    const { words } = this.author;
    if (other) this.other = other;
    this.show();
    this.author.doors.open(words.languages.title, el("p", "tm-quiet", words.languages.about), this.node);
    this.author.doors.node.classList.add("tm-au-wide");
  }

  show() {
    const { facts, words } = this.author;
    if (!facts) return;
    const { original, languages, texts } = facts.languages;
    this.other ??= languages[1] ?? null;
    const { other } = this;
    this.node.dataset.half = `languages:${other ?? ""}`;
    const bar = el("div", "tm-au-door-row");
    for (const each of new Set([...languages.slice(1), ...(other ? [other] : [])])) {
      const missing = texts.filter((row) => !row.texts[each]).length;
      const choose = el("button", "tm-button", languageName(each), {
        type: "button",
        "aria-pressed": String(each === other),
        title: say(words.languages.missing, { language: languageName(each), count: missing, all: texts.length }),
      });
      if (missing) choose.append(el("span", "tm-quiet", ` −${missing}`));
      choose.addEventListener("click", () => this.beside(each));
      bar.append(choose);
    }
    bar.append(this.adding(), other && languages.includes(other) ? this.removing(other) : "");
    const table = el("table", "tm-au-side");
    const head = el("tr");
    head.append(el("th"), el("th", "", languageName(original)), other ? el("th", "", languageName(other)) : "");
    table.append(head);
    for (const row of texts) {
      const line = el("tr");
      line.append(el("th", "", row.label, { scope: "row" }), this.field(row, original));
      if (other) line.append(this.field(row, other));
      table.append(line);
    }
    fill(this.node, bar, table);
  }

  /** @param {string} language */
  beside(language) {
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

  /** @param {string} language */
  removing(language) {
    const text = say(this.author.words.languages.remove, { language: languageName(language) });
    const remove = el("button", "tm-button tm-plain", text, { type: "button" });
    remove.addEventListener("click", async () => {
      this.other = null;
      await this.author.edit({ kind: "unlanguage", language });
      this.show();
    });
    return remove;
  }

  /**
   * @param {SideBySide["texts"][number]} row
   * @param {string} language
   */
  field(row, language) {
    const cell = el("td");
    const area = el("textarea", "", null, {
      rows: "2",
      lang: language,
      "aria-label": `${row.label} (${language})`,
      "data-control": [...row.path, language].join("."),
    });
    let before = row.texts[language] ?? "";
    area.value = before;
    area.addEventListener("change", async () => {
      const { author } = this;
      author.doors.problem.textContent = "";
      if (await author.edit({ kind: "translate", path: row.path, language, text: area.value })) {
        before = area.value;
        return;
      }
      author.doors.problem.textContent = author.told.node.textContent;
      area.value = before;
    });
    cell.append(area);
    return cell;
  }
}
