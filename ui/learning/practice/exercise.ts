// One exercise: what is given, an answer, the verdict of the engine, the way to the next one.
import { copied } from "../../player/base/copying.ts";
import { el, fill } from "../../player/base/dom.ts";
import { between, say } from "../../player/base/format.ts";
import { inventoryButton, pageLink, viewNode } from "../inventory/parts.ts";
import { choiceList, Picture, recordsTable, settingsList } from "../inventory/shown.ts";
import { keepPractice, takeVerdict } from "./keeping.ts";
import { NumberField, OrderList } from "./answers.ts";
import { boxesButton } from "./boxes.ts";
import type { PracticePage } from "./page.ts";
import type { Answer, Exercise, Named, Verdict } from "./types.ts";

export class ExerciseView {
  page: PracticePage;
  named: Named;
  note: string;
  node: HTMLElement;
  exercise: Exercise | null = null;
  /** the choice that is marked */
  chosen: number | null = null;
  field: NumberField | OrderList | null = null;
  verdict: Verdict | null = null;
  waits = false;
  closed = false;
  picture?: Picture;

  /** @param note what is said above the exercise */
  constructor(page: PracticePage, named: Named, note: string) {
    this.page = page;
    this.named = named;
    this.note = note;
    this.node = viewNode("test");
    this.node.classList.add("tm-practice");
    this.begin();
  }

  async begin() {
    const { page, named } = this;
    const { seed, level, kind, about } = named;
    const { exercise, problem } = await page.asking.ask({ ask: "exercise", seed, level, kind, about });
    if (this.closed) return;
    if (!exercise) {
      page.next(problem);
      return;
    }
    this.named = { ...named, kind: exercise.kind };
    this.exercise = exercise;
    page.opened(this.named);
    const answer = page.kept.open?.answer ?? null;
    this.draw(exercise, answer);
    if (answer !== null) this.ask(answer, true);
  }

  // --- what is seen ------------------------------------------------------------------------------------------------

  draw(exercise: Exercise, answer: Answer | null) {
    const { words, first } = this.page;
    const shown = el("div", "tm-inv-shown");
    shown.append(settingsList(exercise.settings));
    if (exercise.plane && exercise.table) {
      this.picture = new Picture(exercise.plane, first.scale, words.picture);
      shown.append(this.picture.node, recordsTable(exercise.table, words.records));
    }
    const asked = el("div", "tm-inv-asked");
    asked.append(el("h2", "", exercise.ask), ...this.given(exercise), this.answer(exercise, answer));
    const body = el("div", `tm-inv-body tm-pr-body ${this.picture ? "" : "tm-pr-bare"}`);
    body.append(shown, asked, this.foot());
    fill(
      this.node,
      this.head(exercise),
      this.note ? el("p", "tm-inv-problem", this.note, { role: "status" }) : "",
      body,
    );
    const ready = () => (this.node.dataset.ready = "true");
    if (this.picture) this.picture.open(ready);
    else ready();
    this.node.querySelector("h1")?.focus({ preventScroll: true });
  }

  head({ kind, level }: Exercise) {
    const { page } = this;
    const { words, first } = page;
    const head = el("header", "tm-inv-head");
    head.append(
      el("h1", "", first.kinds[kind], { tabindex: "-1" }),
      el("span", "tm-pr-level", say(words.of_levels, { level, count: first.levels })),
      this.named.again ? el("span", "tm-inv-state", words.back_again) : "",
      boxesButton(page),
    );
    return head;
  }

  given({ given }: Exercise) {
    if (!given) return [];
    const list = el("ul", "tm-pr-given", null, { "aria-label": this.page.words.given });
    list.append(...given.map((each) => el("li", "", each)));
    return [list];
  }

  answer(exercise: Exercise, answer: Answer | null) {
    const { words } = this.page;
    if (exercise.number) {
      this.field = new NumberField(exercise.number, typeof answer === "number" ? answer : null, () => this.redraw());
      return this.field.node;
    }
    if (exercise.records) {
      this.field = new OrderList(exercise.records, Array.isArray(answer) ? answer : null, words);
      return this.field.node;
    }
    this.chosen = typeof answer === "number" ? answer : null;
    return this.choices();
  }

  choices() {
    return choiceList(this.exercise?.choices ?? [], this.chosen, (index) => this.choose(index));
  }

  foot() {
    const { words } = this.page;
    const foot = el("div", "tm-inv-foot");
    const check = inventoryButton(words.check, () => this.check(), "tm-inv-primary");
    check.disabled = this.value() === null || this.waits;
    const keys = this.exercise?.number ? "choose_number" : this.exercise?.records ? "choose_order" : "choose";
    foot.append(check, el("p", "tm-inv-quiet tm-inv-keys", words[keys]));
    return foot;
  }

  redraw() {
    this.node.querySelector(".tm-inv-foot")?.replaceWith(this.foot());
  }

  // --- what is answered --------------------------------------------------------------------------------------------

  /** @returns the answer so far; null for none */
  value(): Answer | null {
    return this.field ? this.field.value : this.chosen;
  }

  choose(index: number) {
    if (this.verdict || this.waits) return;
    this.chosen = index;
    this.node.querySelector(".tm-inv-choices")?.replaceWith(this.choices());
    this.redraw();
    (this.node.querySelector(`li:nth-child(${index + 1}) button`) as HTMLElement | null)?.focus();
  }

  check() {
    const value = this.value();
    if (value !== null && !this.verdict && !this.waits) this.ask(value, false);
  }

  /** @param counted whether it was taken in before */
  async ask(answer: Answer, counted: boolean) {
    const { page } = this;
    this.waits = true;
    this.redraw();
    const { seed, level, kind, about } = this.named;
    const { verdict, problem } = await page.asking.ask({ ask: "grade", seed, level, kind, about, answer });
    if (this.closed) return;
    this.waits = false;
    if (!verdict) {
      this.redraw();
      this.node.querySelector(".tm-inv-foot")?.prepend(el("p", "tm-inv-problem", problem ?? "", { role: "alert" }));
      return;
    }
    const before = page.kept.level;
    if (!counted) {
      takeVerdict(page.kept, this.named, answer, verdict, Date.now(), page.first.levels);
      keepPractice(page.kept);
    }
    this.verdict = verdict;
    this.told(verdict, page.kept.level - before);
  }

  // --- the verdict -------------------------------------------------------------------------------------------------

  /** @param moved by how many levels */
  told(verdict: Verdict, moved: number) {
    const { page } = this;
    const { words, kept } = page;
    this.field?.freeze();
    this.node.querySelectorAll(".tm-inv-choices button").forEach((button, index) => {
      button.setAttribute("disabled", "");
      if (index === verdict.choice) button.classList.add("tm-pr-right");
      else if (index === this.chosen) button.classList.add("tm-pr-wrong");
    });
    const box = el("section", "tm-pr-verdict", null, { "data-right": String(verdict.right), role: "status" });
    box.append(el("h3", "", verdict.right ? words.right : words.wrong));
    if (verdict.believed) {
      const { claim, truth } = verdict.believed;
      const said = el("p", "tm-pr-believed");
      said.append(el("span", "", words.believed), between(words.believed, claim), claim, between(claim, words.truth));
      said.append(el("b", "", words.truth), between(words.truth, truth), truth);
      box.append(said);
    }
    box.append(...verdict.said.map((each) => el("p", "", each)));
    if (moved) box.append(el("p", "tm-pr-moved", say(moved > 0 ? words.harder : words.easier, { level: kept.level })));
    const foot = el("div", "tm-inv-foot");
    const next = inventoryButton(words.next, () => page.next(), "tm-inv-primary");
    foot.append(next);
    const ways = el("p", "tm-pr-ways");
    ways.append(pageLink(words.player, verdict.player));
    if (verdict.compare) ways.append(pageLink(words.compare, verdict.compare));
    ways.append(this.copy());
    box.append(ways);
    this.node.querySelector(".tm-inv-foot")?.replaceWith(box, foot);
    this.node.querySelector(".tm-pr-boxes")?.replaceWith(boxesButton(page));
    this.node.dataset.told = "true";
    box.scrollIntoView({ block: "nearest" });
    next.focus({ preventScroll: true });
  }

  copy() {
    const { words } = this.page;
    const button = inventoryButton(
      words.link,
      async () => {
        if (await copied(window.location.href, words.link)) button.textContent = words.copied;
      },
      "tm-inv-plain",
    );
    return button;
  }

  key(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.exercise) return;
    const { key, target } = event;
    // Somewhere else on the page, such as a link of the navigation, keys are not for the question.
    if (target instanceof Element && target !== document.body && !this.node.contains(target)) return;
    const count = this.exercise.choices?.length ?? 0;
    const number = Number(key);
    if (event.repeat && key === "Enter") event.preventDefault();
    else if (number >= 1 && number <= count) this.choose(number - 1);
    else if (key === "Enter" && !(target instanceof Element && target.closest(".tm-inv-foot, header, .tm-pr-order"))) {
      if (this.verdict) this.page.next();
      // Records have an order before anybody has moved one: only the button checks it.
      else if (!this.exercise.records) this.check();
    } else return;
    event.preventDefault();
  }

  close() {
    this.closed = true;
    this.picture?.close();
  }
}
