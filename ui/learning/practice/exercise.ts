// One exercise: what is given, an answer, the verdict of the engine, the way to the next one.
import { copied, el, fill, icon, pushButton } from "../../player/base/dom.ts";
import { between, say } from "../../player/base/format.ts";
import { inventoryButton, pageLink, viewNode } from "../inventory/form.ts";
import { Picture, choiceList, recordsTable, settingsList } from "../inventory/main.ts";
import { PlacedRecords, isWrong, typedNumber } from "./placed.ts";
import { KNOWN_BOX, RESTS, dueCards, keepPractice, nothingPractised, takeVerdict } from "./keeping.ts";
import type { PracticePage } from "./main.ts";
import type { Answer, Card, Exercise, Named, Verdict } from "./types.ts";
import type { PracticeWords } from "#types/words";

export class ExerciseView {
  page: PracticePage;
  named: Named;
  note: string;
  node: HTMLElement = viewNode("test");
  exercise: Exercise | null = null;
  /** the choice that is marked */
  chosen: number | null = null;
  field: NumberField | OrderList | PlacedRecords | null = null;
  verdict: Verdict | null = null;
  waits = false;
  closed = false;
  picture?: Picture;

  /** @param note what is said above the exercise */
  constructor(page: PracticePage, named: Named, note: string) {
    this.page = page;
    this.named = named;
    this.note = note;
    this.node.classList.add("tm-practice");
    this.begin();
  }

  async begin() {
    const { page, named } = this;
    const { seed, level, kind, about } = named;
    const { exercise, problem } = await page.asking.ask({ ask: "exercise", seed, level, kind, about });
    if (this.closed) return;
    if (!exercise) {
      page.next(problem, kind);
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
    const shown = fill(el("div", "tm-inv-shown"), settingsList(exercise.settings));
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
    return fill(
      el("header", "tm-inv-head"),
      el("h1", "", first.kinds[kind], { tabindex: "-1" }),
      el("span", "tm-pr-level", say(words.of_levels, { level, count: first.levels })),
      this.named.again ? el("span", "tm-inv-state", words.back_again) : "",
      this.kinds(),
      boxesButton(page),
    );
  }

  /** The choice of a kind. */
  kinds() {
    const { page } = this;
    const list = el("select", "tm-pr-kinds", null, { "aria-label": page.words.kind });
    for (const [kind, text] of [["", page.words.any_kind], ...Object.entries(page.first.kinds)]) {
      list.append(el("option", "", text, { value: kind }));
    }
    list.value = page.only;
    list.addEventListener("change", () => page.choose(list.value));
    return list;
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
    if (exercise.stream) {
      const placed = Array.isArray(answer) ? answer : null;
      this.field = new PlacedRecords(exercise.stream, placed, words, () => this.redraw());
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
    const check = inventoryButton(words.check, () => this.check(), "tm-inv-primary");
    check.disabled = this.value() === null || this.waits;
    const { number, records, stream } = this.exercise ?? {};
    const keys = number ? "choose_number" : records ? "choose_order" : stream ? "choose_records" : "choose";
    const wrong = this.field?.wrong;
    const said = wrong
      ? el("p", "tm-inv-problem", wrong, { role: "alert" })
      : el("p", "tm-inv-quiet tm-inv-keys", words[keys]);
    return fill(el("div", "tm-inv-foot"), check, said);
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
    const next = inventoryButton(words.next, () => page.next(), "tm-inv-primary");
    const foot = fill(el("div", "tm-inv-foot"), next);
    const ways = fill(el("p", "tm-pr-ways"), pageLink(words.player, verdict.player));
    const beside = this.exercise?.stream ? words.compare_sides : words.compare;
    if (verdict.compare) ways.append(pageLink(beside, verdict.compare));
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
    else if (
      key === "Enter" &&
      !(target instanceof Element && target.closest(".tm-inv-foot, header, .tm-pr-order, .tm-pr-placed"))
    ) {
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

// Answers that are no choice: a number, or records in an order.

class NumberField {
  most: number;
  rule: string;
  node = el("p", "tm-pr-number");
  input = el("input", "", null, { type: "text", inputmode: "numeric", maxlength: 3, autocomplete: "off" });

  constructor({ most, label, unit, rule }: NonNullable<Exercise["number"]>, value: number | null, changed: () => void) {
    this.most = most;
    this.rule = rule;
    this.input.value = value === null ? "" : String(value);
    this.input.addEventListener("input", () => {
      this.input.setAttribute("aria-invalid", String(Boolean(this.wrong)));
      changed();
    });
    const name = el("label", "", label);
    name.append(this.input);
    this.node.append(name, el("span", "", unit));
  }

  get value() {
    return typedNumber(this.input.value, this.most);
  }

  /** What the number must be, where something else is typed. */
  get wrong() {
    return isWrong(this.input.value, this.most) ? this.rule : "";
  }

  freeze() {
    this.input.disabled = true;
  }
}

/** Records as rows, which are dragged, moved by their buttons, or by the arrow keys. */
class OrderList {
  labels: string[];
  words: PracticeWords;
  value: number[];
  wrong = "";
  frozen = false;
  node: HTMLOListElement;

  /** @param labels of the records 1, 2, … */
  constructor(labels: string[], order: number[] | null, words: PracticeWords) {
    this.labels = labels;
    this.words = words;
    this.value = order ?? labels.map((_, index) => index + 1);
    this.node = el("ol", "tm-pr-order", null, { "aria-label": words.order });
    this.show();
  }

  show() {
    fill(this.node, ...this.value.map((record, place) => this.row(record, place)));
  }

  row(record: number, place: number) {
    const { words } = this;
    const row = el("li", "", null, { tabindex: this.frozen ? "-1" : "0", "data-record": String(record) });
    row.append(el("b", "", String(record)), el("span", "", this.labels[record - 1]));
    if (this.frozen) return row;
    const up = this.button("arrowUp", say(words.up, { record }), () => this.move(record, place - 1));
    const down = this.button("arrowDown", say(words.down, { record }), () => this.move(record, place + 1));
    up.disabled = place === 0;
    down.disabled = place === this.value.length - 1;
    row.append(up, down);
    row.addEventListener("pointerdown", (event) => this.grip(event, record, row));
    row.addEventListener("keydown", (event) => {
      const to = { ArrowUp: place - 1, ArrowDown: place + 1 }[event.key];
      if (to === undefined || event.target !== row) return;
      event.preventDefault();
      this.move(record, to);
    });
    return row;
  }

  button(picture: string, name: string, run: () => void) {
    const button = pushButton("", null, run, { "aria-label": name, title: name });
    button.append(icon(picture));
    return button;
  }

  move(record: number, to: number) {
    if (this.frozen || to < 0 || to >= this.value.length) return;
    const order = this.value.filter((each) => each !== record);
    order.splice(to, 0, record);
    this.value = order;
    this.show();
    (this.node.children[to] as HTMLElement | undefined)?.focus();
  }

  /** Follows a pointer that took a row: by a finger at its number, so that the page can still be scrolled. */
  grip(event: PointerEvent, record: number, row: HTMLElement) {
    const { target } = event;
    if (event.button || !(target instanceof Element) || target.closest("button")) return;
    if (event.pointerType === "touch" && !target.closest("b")) return;
    event.preventDefault();
    row.focus();
    const follow = (moved: PointerEvent) => {
      const rows = [...this.node.children];
      const to = rows.filter((each) => {
        const { top, height } = each.getBoundingClientRect();
        return moved.clientY > top + height / 2;
      }).length;
      const from = this.value.indexOf(record);
      const place = to > from ? to - 1 : to;
      if (place !== from) this.move(record, place);
    };
    const done = () => {
      window.removeEventListener("pointermove", follow);
      window.removeEventListener("pointerup", done);
      window.removeEventListener("pointercancel", done);
    };
    window.addEventListener("pointermove", follow);
    window.addEventListener("pointerup", done);
    window.addEventListener("pointercancel", done);
  }

  freeze() {
    this.frozen = true;
    this.show();
  }
}

// The boxes: what was answered right, what comes back and when.

const A_MINUTE = 60_000;
const AN_HOUR = 60 * A_MINUTE;
const A_DAY = 24 * AN_HOUR;

/** The way to the boxes, with how many cards are due. */
function boxesButton(page: PracticePage) {
  const { words, kept } = page;
  const due = dueCards(kept, Date.now()).length;
  const text = due ? say(words.boxes_due, { count: due }) : words.boxes;
  return inventoryButton(text, () => page.turn({ view: "boxes" }), "tm-pr-boxes");
}

/** A length of time, in its largest unit, rounded up. */
function lengthText(ms: number, words: PracticeWords) {
  if (ms > A_DAY) return say(words.days, { count: Math.ceil(ms / A_DAY) });
  if (ms > 23 * AN_HOUR) return words.day;
  if (ms > A_MINUTE * 59) return say(words.hours, { count: Math.ceil(ms / AN_HOUR) });
  return say(words.minutes, { count: Math.max(Math.ceil(ms / A_MINUTE), 1) });
}

export class BoxesView {
  page: PracticePage;
  node: HTMLElement = viewNode("boxes");
  foot = el("div", "tm-inv-foot");

  constructor(page: PracticePage) {
    this.page = page;
    const { words, kept, first } = page;
    const boxes = fill(el("div", "tm-pr-all"), ...RESTS.map((rest, index) => this.box(index + 1, rest)));
    this.node.append(
      el("h1", "", words.boxes, { tabindex: "-1" }),
      el("p", "tm-pr-level", say(words.of_levels, { level: kept.level, count: first.levels })),
      el("p", "", say(words.boxes_about, { known: KNOWN_BOX })),
      this.foot,
      boxes,
    );
    this.ways();
    this.node.dataset.ready = "true";
  }

  /** @param rest (ms) */
  box(number: number, rest: number) {
    const { words, kept } = this.page;
    const box = el("section", "tm-inv-form tm-pr-box", null, { "data-box": String(number) });
    const head = el("h2", "", say(words.box, { number }));
    head.append(el("span", "", ` · ${say(words.every, { time: lengthText(rest, words) })}`));
    const cards = kept.cards.filter((card) => card.box === number).sort((one, other) => one.due - other.due);
    const list = fill(el("ul"), ...cards.map((card) => this.card(card)));
    box.append(head, cards.length ? list : el("p", "tm-inv-quiet", words.empty));
    return box;
  }

  card({ kind, about, due, level }: Card) {
    const { words, first } = this.page;
    const name = first.kinds[kind] ?? kind;
    const left = due - Date.now();
    const when = left <= 0 ? words.due : say(words.due_in, { time: lengthText(left, words) });
    return fill(
      el("li"),
      el("b", "", about ? name : say(words.general, { kind: name })),
      el("span", "", first.claims[about] ?? ""),
      el("span", "tm-inv-quiet", `${say(words.level, { level })} · ${when}`),
    );
  }

  ways() {
    const { words } = this.page;
    fill(
      this.foot,
      inventoryButton(words.to_exercise, () => this.page.turn({}), "tm-inv-primary"),
      inventoryButton(words.reset, () => this.sure(), "tm-inv-plain"),
    );
  }

  sure() {
    const { page } = this;
    const { words } = page;
    const keep = inventoryButton(words.keep, () => this.ways());
    const reset = inventoryButton(
      words.reset_yes,
      () => {
        page.kept = nothingPractised(page.kept.seed);
        keepPractice(page.kept);
        page.turn({});
      },
      "tm-inv-danger",
    );
    fill(this.foot, el("p", "", words.reset_sure, { role: "status" }), keep, reset);
    keep.focus();
  }
}
