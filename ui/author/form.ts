// The settings of the draft beside its text: groups of fields in tabs next to YAML, which the server makes from the
// tables of the format. What a field is refused for stands under it.
import { coded, dataNodes, el, fill, pushButton } from "../player/base/dom.ts";
import { say } from "../player/base/format.ts";
import { controlNode, focusControl, focusedControl } from "./controls.ts";
import { AuthorPart } from "./author_part.ts";
import type { Author } from "./author.ts";
import type { FormField, FormGroup } from "./types.ts";

/** The tab that shows the text itself. */
const YAML = "yaml";

const FORM_TAB_WAYS: { [key: string]: number | undefined } = { ArrowRight: 1, ArrowLeft: -1 };

/** What was typed and not taken. */
type Refused = { name: string; value: string; why: string };

export class FormPane {
  author: Author;
  onTab: (yaml: boolean) => void;
  groups: FormGroup[] = [];
  tab: string = YAML;
  refused: Refused | null = null;
  /** what is drawn */
  drawn: string | null = null;
  tabs: HTMLDivElement;
  node = el("div", "tm-au-settings", null, { role: "tabpanel", id: "tm-au-settings" });

  /** @param onTab called with whether the text is to be seen */
  constructor(author: Author, onTab: (yaml: boolean) => void) {
    this.author = author;
    this.onTab = onTab;
    const { form } = author.words;
    this.tabs = el("div", "tm-au-tabs", null, { role: "tablist", "aria-label": form.label });
    this.tabs.addEventListener("keydown", (event) => this.turn(event));
    this.node.hidden = true;
    this.node.addEventListener("keydown", (event) => {
      if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
    });
    this.drawTabs();
  }

  turn(event: KeyboardEvent) {
    const way = FORM_TAB_WAYS[event.key];
    if (!way) return;
    event.preventDefault();
    const names = this.names();
    this.open(names[(names.indexOf(this.tab) + way + names.length) % names.length]);
    dataNodes(this.tabs, `[data-tab="${this.tab}"]`)[0]?.focus();
  }

  names() {
    return [YAML, ...this.groups.map((group) => group.name)];
  }

  open(tab: string) {
    this.tab = tab;
    this.refused = null;
    this.node.dataset.half = `settings:${tab}`;
    this.drawTabs();
    this.draw();
    this.onTab(tab === YAML);
  }

  drawTabs() {
    const { text } = this.author.words;
    const titles = [text.title, ...this.groups.map((group) => group.title)];
    const focused = this.tabs.contains(document.activeElement);
    fill(
      this.tabs,
      ...this.names().map((name, index) => {
        const tab = pushButton("tm-au-tab", titles[index], () => this.open(name), {
          role: "tab",
          "data-tab": name,
          "aria-selected": String(name === this.tab),
        });
        tab.tabIndex = name === this.tab ? 0 : -1;
        return tab;
      }),
    );
    if (focused) dataNodes(this.tabs, `[data-tab="${this.tab}"]`)[0]?.focus();
    this.node.hidden = this.tab === YAML;
  }

  /** Shows the settings of a draft, and says what the last edit changed besides. */
  show(groups: FormGroup[], said: string) {
    const others = groups.length !== this.groups.length;
    this.groups = groups;
    if (others) this.drawTabs();
    this.draw();
    if (said) this.author.tell(said);
  }

  draw() {
    if (this.tab === YAML) return;
    const { words } = this.author;
    const group = this.groups.find((each) => each.name === this.tab);
    const sign = JSON.stringify([group, this.refused]);
    if (sign === this.drawn) return;
    this.drawn = sign;
    const focused = focusedControl(this.node);
    const typing = typedIn(document.activeElement, this.node);
    const rows = group?.fields.map((field) => this.row(field)) ?? [el("p", "tm-quiet", words.form.unreadable)];
    fill(this.node, ...rows.flat());
    focusControl(this.node, focused);
    if (typing && document.activeElement instanceof HTMLElement && isField(document.activeElement)) {
      document.activeElement.value = typing;
    }
  }

  row(field: FormField) {
    const { words } = this.author;
    const refused = this.refused?.name === field.name ? this.refused : null;
    const why = refused?.why || field.problem;
    const row = el("div", `tm-au-field-row${field.kind === "long" ? " tm-au-wide" : ""}`, null, { title: field.about });
    row.style.setProperty("--depth", String(field.depth));
    const control = this.control(field, refused);
    row.append(fill(el("label", ""), el("span", "", field.label), control));
    if (why) {
      const id = `tm-au-why-${field.name.replaceAll(".", "-")}`;
      row.append(fill(el("p", "tm-au-why", null, { id, role: "alert" }), coded(why)));
      control.setAttribute("aria-invalid", "true");
      control.setAttribute("aria-describedby", id);
    }
    const above = field.head ? [el("h3", "", say(words.form.input, { name: field.head }))] : [];
    const below = field.name.endsWith(".channels") ? [el("p", "tm-quiet", words.form.per_channel)] : [];
    return [...above, row, ...below];
  }

  control(field: FormField, refused: Refused | null) {
    const set = (name: string, value: string) => this.set(name, value);
    if (field.kind === "long") return area(field, refused, set);
    const control = controlNode(field, set);
    if (control instanceof HTMLSelectElement) {
      if (!field.value && !field.choices.some(([value]) => !value)) control.value = field.default;
    } else if (refused) {
      control.value = refused.value;
    }
    return control;
  }

  async set(name: string, value: string) {
    this.refused = null;
    const refused: (why: string) => void = (why) => {
      this.refused = { name, value, why };
      this.drawn = null;
      this.author.half.put("field", [`settings:${this.tab}`, name, value]);
    };
    await this.author.edit({ kind: "member", name, value }, { refused });
  }
}

function isField(node: Element): node is HTMLInputElement | HTMLTextAreaElement {
  return node instanceof HTMLInputElement || node instanceof HTMLTextAreaElement;
}

/** What is typed in a field of `node` and not sent yet; null for nothing. */
function typedIn(active: Element | null, node: HTMLElement) {
  if (!active || !node.contains(active) || !isField(active)) return null;
  return active.value === active.defaultValue ? null : active.value;
}

/** A text of several lines; it is sent when the field is left, or with Ctrl+Enter. */
function area(field: FormField, refused: Refused | null, set: (name: string, value: string) => void) {
  const node = el("textarea", "", null, { rows: 3, "data-control": field.name });
  node.defaultValue = field.value;
  if (refused) node.value = refused.value;
  let asked = node.value;
  const done = () => {
    if (node.value.trim() === asked.trim()) return;
    asked = node.value;
    set(field.name, asked.trim());
  };
  node.addEventListener("blur", done);
  node.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) done();
    if (event.key === "Escape") node.value = field.value;
  });
  return node;
}

// What is typed halfway (a cell, a title, a setting, the form of a beat) is kept with the draft, until it is done or
// given up. A part of the page whose fields are taken when they are left is marked with `data-half`, by which it is
// found again; its fields have a `data-control`.

const KEEPING_MS = 300;

export class Half extends AuthorPart {
  keeping?: number;

  constructor(author: Author) {
    super(author);
    const { root } = author;
    root.addEventListener("input", ({ target }) => {
      const field = halfField(target);
      if (field && isTyped(target)) this.put("field", [...field, target.value]);
    });
    root.addEventListener("focusout", ({ target }) => halfField(target) && this.put("field"));
    root.addEventListener(
      "keydown",
      ({ key, target }) => ["Enter", "Escape"].includes(key) && halfField(target) && this.put("field"),
      true,
    );
  }

  /** @param value something that JSON can write; undefined once the field or form is done */
  put(name: string, value?: unknown) {
    const { history } = this.author;
    if (!history || history.elsewhere) return;
    if (value === undefined && !(name in history.half)) return;
    if (value === undefined) delete history.half[name];
    else history.half[name] = value;
    history.at ??= Date.now();
    clearTimeout(this.keeping);
    this.keeping = setTimeout(() => this.keep(), KEEPING_MS);
  }

  /** What was typed there, undefined for nothing. */
  of(name: string): any {
    return this.author.history?.half[name];
  }

  keep() {
    if (this.keeping === undefined) return;
    clearTimeout(this.keeping);
    this.keeping = undefined;
    this.author.history?.keep();
  }

  /** Opens again what was open: called once the draft is shown. */
  reopen() {
    const { table, head, goals, story, facts } = this.author;
    if (!facts) return;
    const [row, name, typed] = this.of("cell") ?? [];
    const column = table.columns.indexOf(name);
    if (typeof table.rows[row]?.cells[column] === "string") {
      table.go([row, column]);
      table.begin(String(typed));
    }
    if (typeof this.of("title") === "string") head.resume(this.of("title"));
    if (Array.isArray(this.of("goal"))) goals.refill(this.of("goal"));
    if (this.of("beat")) this.author.cards[2].open("story");
    if (this.of("beat")) story.form(this.of("beat"));
    else if (this.of("frame")) story.frame(this.of("frame"));
    const tableToTake = this.of("table");
    if (tableToTake) this.author.doors.take().resume(tableToTake);
    if (Array.isArray(this.of("field"))) this.retype(this.of("field"));
  }

  /** @param kept the part that the field is in, its name, and what was typed */
  async retype([part, name, typed]: string[]) {
    const { pane, story, saving, doors } = this.author;
    const [kind, which] = part.split(":");
    if (kind === "settings") pane.form.open(which);
    if (kind === "languages") story.languages.open(which);
    if (kind === "save") await saving.save();
    if (kind === "file") await saving.manage();
    if (kind === "paste") doors.take();
    const found = dataNodes(this.author.root, `[data-half="${part}"] [data-control="${CSS.escape(name)}"]`)[0];
    if (!isTyped(found)) return;
    found.focus();
    found.value = typed;
    found.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

/** Whether something is typed there, and not chosen. */
function isTyped(node: unknown): node is HTMLInputElement | HTMLTextAreaElement {
  return node instanceof HTMLTextAreaElement || (node instanceof HTMLInputElement && node.type === "text");
}

/** The part of the page that a field is in, and its name; null for one that is not kept like this. */
function halfField(node: EventTarget | null) {
  if (!isTyped(node) || !node.dataset.control) return null;
  const part = node.closest("[data-half]");
  return part instanceof HTMLElement ? [part.dataset.half, node.dataset.control] : null;
}
