// The inventory: which of its views is open. The address says so; what is kept decides between questions and result.
import { say } from "../../player/base/format.ts";
import { AskingPage, type AskingView } from "../../pages/kit.ts";
import { ClassView } from "./class.ts";
import { FormView } from "./form.ts";
import { emptyForm, keepInventory, keptInventory } from "./keeping.ts";
import { ResultView } from "./result.ts";
import { StartView } from "./start.ts";
import type { First, FormKept, Question, Kept } from "./types.ts";

export class InventoryPage extends AskingPage<First, Question> {
  kept: Kept;
  /** the files of a class, for another language */
  files: ClassView["files"] = [];

  constructor(host: HTMLElement, first: First, post: (question: Question & { number: number }) => void) {
    super(host, first, post);
    this.kept = keptInventory(first.edition, first.count);
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

  viewOf(place: string, form: string | null): AskingView {
    if (place === "class") return new ClassView(this);
    if (form === null) return new StartView(this);
    if (!this.first.forms.includes(form)) {
      return new StartView(this, say(this.words.unknown_form, { form: form.slice(0, 20) }));
    }
    return this.of(form).done ? new ResultView(this, form) : new FormView(this, form);
  }

  /** Opens a view: its part of the address. */
  go(query: { [name: string]: string }) {
    this.address(query, true);
    this.mark(null);
    this.open();
  }

  /** The kept answers to a form. */
  of(form: string): FormKept {
    return this.kept.forms[form] ?? emptyForm(this.first.count);
  }

  keep(form: string, answers: FormKept) {
    this.kept.forms[form] = answers;
    keepInventory(this.kept);
  }

  forget(form: string) {
    delete this.kept.forms[form];
    keepInventory(this.kept);
  }
}
