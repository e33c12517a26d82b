// The first view: what the inventory is, the code of this browser, and how far each form has come.
import { el } from "../../player/base/dom.ts";
import { say } from "../../player/base/format.ts";
import { codeOf, keepInventory } from "./keeping.ts";
import { inventoryButton, viewNode } from "./parts.ts";
import type { InventoryPage } from "./page.ts";

export class StartView {
  page: InventoryPage;
  node: HTMLElement;

  constructor(page: InventoryPage, problem = "") {
    this.page = page;
    const { words, first } = page;
    this.node = viewNode("start");
    const forms = el("div", "tm-inv-forms");
    forms.append(...first.forms.map((form, index) => this.form(form, index)));
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
    const box = el("section", "tm-inv-form", null, { "data-form": form });
    const text = kept?.done
      ? words.see
      : kept
        ? say(words.continue, { form, number: kept.at + 1 })
        : say(words.start, { form });
    const next = index === 0 || page.kept.forms[page.first.forms[0]]?.done;
    box.append(
      el("h2", "", say(index ? words.after : words.before, { form })),
      inventoryButton(text, () => page.go({ form }), next && !kept?.done ? "tm-inv-primary" : ""),
    );
    return box;
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
