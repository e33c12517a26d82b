// Mounts the inventory, and hands it what the server says.
import { AskingPage, mounting, type AskingView } from "../../pages/kit.ts";
import { say } from "../../player/base/format.ts";
import { ClassView } from "./class.ts";
import { FormView, inventoryButton, viewNode } from "./form.ts";
import { codeOf, emptyForm, keepInventory, keptInventory } from "./keeping.ts";
import { ResultView } from "./result.ts";
import { el, fill, tableRow, pushButton } from "../../player/base/dom.ts";
import { Plane } from "../../player/picture/chart.ts";
import type { First, FormKept, Item, Kept, Question } from "./types.ts";
import type { PlanePayload } from "../../player/types/player.ts";

// The inventory: which of its views is open. The address says so; what is kept decides between questions and result.

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

export default mounting(InventoryPage);

// The first view: what the inventory is, the code of this browser, and how far each form has come.

class StartView {
  page: InventoryPage;
  node: HTMLElement = viewNode("start");

  constructor(page: InventoryPage, problem = "") {
    this.page = page;
    const { words, first } = page;
    const forms = fill(el("div", "tm-inv-forms"), ...first.forms.map((form, index) => this.form(form, index)));
    this.node.append(
      el("h1", "", words.title, { tabindex: "-1" }),
      problem ? el("p", "tm-inv-problem", problem, { role: "alert" }) : "",
      el("p", "", words.about),
      el("p", "", words.no_guess),
      forms,
      this.code(),
      el("p", "tm-inv-quiet", words.private),
      inventoryButton(words.class, () => page.go({ view: "class" }), "tm-inv-plain"),
    );
    this.node.dataset.ready = "true";
  }

  /** @param index 0 for the one before, 1 for the one after */
  form(form: string, index: number) {
    const { page } = this;
    const { words } = page;
    const kept = page.kept.forms[form];
    const text = kept?.done
      ? words.see
      : kept
        ? say(words.continue, { form, number: kept.at + 1 })
        : say(words.start, { form });
    const next = index === 0 || page.kept.forms[page.first.forms[0]]?.done;
    return fill(
      el("section", "tm-inv-form", null, { "data-form": form }),
      el("h2", "", say(index ? words.after : words.before, { form })),
      inventoryButton(text, () => page.go({ form }), next && !kept?.done ? "tm-inv-primary" : ""),
    );
  }

  /** The code, which may be replaced by one from another device as long as nothing is answered under this one. */
  code() {
    const { page } = this;
    const { words, kept } = page;
    const form = el("form", "tm-inv-code");
    const label = el("label", "", words.id);
    const input = el("input", "", null, {
      type: "text",
      maxlength: 12,
      autocomplete: "off",
      autocapitalize: "none",
      spellcheck: "false",
      "aria-describedby": "tm-inv-code-hint",
    });
    input.value = kept.id;
    label.append(input);
    const use = el("button", "tm-inv-button", words.use, { type: "submit" });
    use.hidden = true;
    const said = el("p", "tm-inv-problem", "", { role: "alert" });
    said.hidden = true;
    input.addEventListener("input", () => (use.hidden = input.value.trim() === kept.id));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const code = codeOf(input.value);
      const taken = code !== kept.id && Object.keys(kept.forms).length > 0;
      said.textContent = code ? (taken ? say(words.id_taken, { id: kept.id }) : "") : words.id_wrong;
      said.hidden = !said.textContent;
      if (!code || taken) return;
      kept.id = code;
      keepInventory(kept);
      input.value = code;
      use.hidden = true;
    });
    form.append(label, use, el("p", "tm-inv-quiet", words.id_hint, { id: "tm-inv-code-hint" }), said);
    return form;
  }
}

// What a question shows: its settings, the picture and the table of its records, its choices.

export function settingsList(texts: string[]) {
  return fill(el("ul", "tm-inv-settings"), ...texts.map((each) => el("li", "", each)));
}

/** The records as a table: one column for each, as they arrive from left to right. */
export function recordsTable(table: Item["table"], caption: string) {
  const node = fill(el("table", "tm-inv-records"), el("caption", "tm-visually-hidden", caption));
  const body = el("tbody");
  table.head.forEach((name, column) => {
    const row = tableRow(
      table.rows.map((cells) => cells[column]),
      { className: column ? "" : "tm-inv-numbers" },
    );
    row.prepend(el("th", "", name, { scope: "row" }));
    body.append(row);
  });
  node.append(body);
  return node;
}

export function choiceList(texts: string[], chosen: number | null, choose: (index: number) => void) {
  const list = el("ol", "tm-inv-choices");
  texts.forEach((text, index) => {
    const button = pushButton("", null, () => choose(index), { "aria-pressed": String(index === chosen) });
    button.append(el("kbd", "", String(index + 1)), el("span", "", text));
    list.append(fill(el("li"), button));
  });
  return list;
}

/** The records as a picture that keeps to the size of its node. */
export class Picture {
  node: HTMLDivElement;
  plane: Plane;
  closed = false;
  resizing?: ResizeObserver;

  constructor(plane: Item["plane"], scale: PlanePayload["words"]["scale"], label: string) {
    this.node = el("div", "tm-plane tm-inv-plane", null, { role: "img", "aria-label": label });
    const texts = { scale } as unknown as PlanePayload["words"];
    this.plane = new Plane(this.node, { ...plane, strings: [], words: texts });
  }

  /** Draws once the node is in the page. */
  async open(ready: () => void) {
    await this.plane.open();
    if (this.closed) return;
    const lay = () => {
      this.plane.resize(this.node.clientWidth, this.node.clientHeight);
      this.plane.show(0);
      ready();
    };
    this.resizing = new ResizeObserver(lay);
    this.resizing.observe(this.node);
    lay();
  }

  close() {
    this.closed = true;
    this.plane.close();
    this.resizing?.disconnect();
  }
}
