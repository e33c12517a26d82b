// A form: one item a screen, without a word on what is right. Keys and fingers do the same.
import { opensHere } from "../../player/base/address.ts";
import { el, fill, pushButton } from "../../player/base/dom.ts";
import { say } from "../../player/base/format.ts";
import { Picture, choiceList, recordsTable, settingsList, type InventoryPage } from "./main.ts";
import type { FormKept, Item } from "./types.ts";

export class FormView {
  page: InventoryPage;
  form: string;
  kept: FormKept;
  node: HTMLElement = viewNode("test");
  items: Item[] = [];
  asks = false;
  picture: Picture | null = null;
  closed = false;

  constructor(page: InventoryPage, form: string) {
    this.page = page;
    this.form = form;
    this.kept = page.of(form);
    this.begin();
  }

  async begin() {
    const { items } = await this.page.asking.ask({ ask: "form", form: this.form });
    if (this.closed) return;
    this.items = items;
    this.draw();
  }

  get item() {
    return this.items[this.kept.at];
  }

  get last() {
    return this.kept.at === this.items.length - 1;
  }

  get chosen() {
    return this.kept.answers[this.kept.at];
  }

  // --- what is seen ------------------------------------------------------------------------------------------------

  draw() {
    const { item } = this;
    if (!item) return;
    const { words, first } = this.page;
    this.picture?.close();
    const picture = new Picture(item.plane, first.scale, words.picture);
    this.picture = picture;
    const shown = el("div", "tm-inv-shown");
    shown.append(
      el("p", "tm-inv-story", item.story),
      settingsList(item.settings),
      picture.node,
      recordsTable(item.table, words.records),
    );
    const asked = fill(el("div", "tm-inv-asked"), el("h2", "", item.ask), this.choices(item), this.foot());
    fill(this.node, this.head(), fill(el("div", "tm-inv-body"), shown, asked));
    picture.open(() => (this.node.dataset.ready = "true"));
  }

  head() {
    const { words } = this.page;
    const place = { number: this.kept.at + 1, count: this.items.length };
    const bar = el("div", "tm-inv-bar", null, { "aria-hidden": "true" });
    this.items.forEach((_, index) => {
      const answered = this.kept.answers[index] !== null;
      bar.append(el("i", index === this.kept.at ? "tm-here" : answered ? "tm-done" : ""));
    });
    const title = el("h1", "", null, { tabindex: "-1" });
    title.append(el("span", "", say(words.form, { form: this.form })), ` ${say(words.question, place)}`);
    return fill(el("header", "tm-inv-head"), title, bar);
  }

  choices(item: Item) {
    return choiceList(item.choices, this.chosen, (index) => this.choose(index));
  }

  foot() {
    const { words } = this.page;
    const foot = el("div", "tm-inv-foot");
    if (this.asks) {
      const open = this.kept.answers.filter((each) => each === null).length;
      const first = this.kept.answers.indexOf(null);
      foot.append(
        el("p", "tm-inv-asks", say(words.unanswered, { count: open }), { role: "status", tabindex: "-1" }),
        inventoryButton(words.no, () => this.go(first)),
        inventoryButton(words.yes, () => this.finish(), "tm-inv-primary"),
      );
      return foot;
    }
    const back = inventoryButton(words.back, () => this.go(this.kept.at - 1));
    back.disabled = this.kept.at === 0;
    const answered = this.chosen !== null;
    const text = this.last ? words.finish : answered ? words.next : words.skip;
    const next = inventoryButton(text, () => this.next(), answered ? "tm-inv-primary" : "");
    foot.append(back, next, el("p", "tm-inv-quiet tm-inv-keys", words.choose));
    return foot;
  }

  // --- what is done ------------------------------------------------------------------------------------------------

  choose(index: number) {
    this.kept.answers[this.kept.at] = this.chosen === index ? null : index;
    this.page.keep(this.form, this.kept);
    this.redraw(`li:nth-child(${index + 1}) button`);
  }

  go(at: number) {
    if (at < 0 || at >= this.items.length) return;
    this.asks = false;
    this.kept.at = at;
    this.page.keep(this.form, this.kept);
    this.node.dataset.ready = "false";
    this.draw();
    this.node.querySelector("h1")?.focus({ preventScroll: true });
    this.node.scrollIntoView({ block: "start" });
  }

  next() {
    if (!this.last) this.go(this.kept.at + 1);
    else if (this.kept.answers.includes(null)) {
      this.asks = true;
      // Neither button: the key that led here, pressed again, would press it.
      this.redraw(".tm-inv-asks");
    } else this.finish();
  }

  finish() {
    this.kept.done = true;
    this.page.keep(this.form, this.kept);
    this.page.go({ form: this.form });
  }

  /**
   * Choices and foot again; the picture stays.
   * @param focus what has the focus afterwards
   */
  redraw(focus: string) {
    const asked = this.node.querySelector(".tm-inv-asked");
    if (!asked) return;
    asked.querySelector("ol")?.replaceWith(this.choices(this.item));
    asked.querySelector(".tm-inv-foot")?.replaceWith(this.foot());
    this.node.querySelector("header")?.replaceWith(this.head());
    (asked.querySelector(focus) as HTMLElement | null)?.focus();
  }

  key(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.item) return;
    const { key, target } = event;
    // Somewhere else on the page, such as a link of the navigation, keys are not for the question.
    if (target instanceof Element && target !== document.body && !this.node.contains(target)) return;
    const number = Number(key);
    // A key that is held down answers nothing, and skips nothing.
    if (event.repeat && (number || key === "Enter")) event.preventDefault();
    else if (number >= 1 && number <= this.item.choices.length) this.choose(number - 1);
    else if (key === "Backspace") this.go(this.kept.at - 1);
    else if (
      key === "Enter" &&
      !this.asks &&
      !(target instanceof Element && target.closest(".tm-inv-foot, header a"))
    ) {
      this.next();
    } else return;
    event.preventDefault();
  }

  close() {
    this.closed = true;
    this.picture?.close();
  }
}

// What the views of the inventory are made of: their frame, buttons and links.

/** The frame of every view. */
export function viewNode(kind: string) {
  return el("main", `tidemark-inventory tm-inv-${kind}`, null, { "data-ready": "false" });
}

export function inventoryButton(text: string, run: () => void, look = "") {
  return pushButton(`tm-inv-button ${look}`.trim(), text, run);
}

/** A link to another page of the app, in this tab. */
export function pageLink(text: string, href: string, look = "tm-inv-link") {
  return opensHere(el("a", look, text, { href }));
}
