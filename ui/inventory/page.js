// The inventory: which of its views is open. The address says so; what is kept decides between questions and result.
import { say } from "../player/base/format.js";
import { AskingPage } from "../pages/kit.js";
import { ClassView } from "./class.js";
import { FormView } from "./form.js";
import { emptyForm, keepInventory, keptInventory } from "./keeping.js";
import { ResultView } from "./result.js";
import { StartView } from "./start.js";
/** @import { AskingView } from "../pages/kit.js" */
/** @import { First, FormKept, Question } from "./types.d.ts" */

/** @extends {AskingPage<First, Question>} */
export class InventoryPage extends AskingPage {
  /**
   * @param {HTMLElement} host
   * @param {First} first
   * @param {(question: Question & { number: number }) => void} post
   */
  constructor(host, first, post) {
    super(host, first, post);
    this.kept = keptInventory(first.edition, first.count);
    /** @type {ClassView["files"]} the files of a class, for another language */
    this.files = [];
  }

  /** Shows what the address names, unless it is shown already. */
  open() {
    const query = new URLSearchParams(window.location.search);
    const form = query.get("form");
    const place = query.get("view") === "class" ? "class" : form === null ? "" : `form ${form}`;
    const sign = `${place} ${this.words.title}`;
    if (this.shown === sign) return;
    this.mark(sign);
    this.put(() => this.viewOf(place, form));
    this.host.querySelector("h1")?.focus({ preventScroll: true });
  }

  /**
   * @param {string} place
   * @param {string | null} form
   * @returns {AskingView}
   */
  viewOf(place, form) {
    if (place === "class") return new ClassView(this);
    if (form === null) return new StartView(this);
    if (!this.first.forms.includes(form)) {
      return new StartView(this, say(this.words.unknown_form, { form: form.slice(0, 20) }));
    }
    return this.of(form).done ? new ResultView(this, form) : new FormView(this, form);
  }

  /**
   * Opens a view: its part of the address.
   * @param {{ [name: string]: string }} query
   */
  go(query) {
    this.address(query, true);
    this.mark(null);
    this.open();
  }

  /**
   * The kept answers to a form.
   * @param {string} form
   * @returns {FormKept}
   */
  of(form) {
    return this.kept.forms[form] ?? emptyForm(this.first.count);
  }

  /**
   * @param {string} form
   * @param {FormKept} answers
   */
  keep(form, answers) {
    this.kept.forms[form] = answers;
    keepInventory(this.kept);
  }

  /** @param {string} form */
  forget(form) {
    delete this.kept.forms[form];
    keepInventory(this.kept);
  }
}
