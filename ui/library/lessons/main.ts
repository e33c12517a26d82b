// Mounts the page Lessons, and hands it what the server says.
import { Asking, mounting } from "../../pages/kit.ts";
import { lectureAddress } from "../../player/base/address.ts";
import { coded, dataNodes, el, fill, icon, pushButton } from "../../player/base/dom.ts";
import { say } from "../../player/base/format.ts";
import { Merge } from "../../author/merge.ts";
import { OFFERED, ScenarioList, askedIn, lectureSection, offered, visitSection } from "./list.ts";
import { isTable, readKept, writeKept } from "../../player/base/kept.ts";
import type { First, KeptPlan, Lesson, Offered, Part, Plan, Question, Reply, Texts, Topic } from "./types.ts";
import type { LessonsWords } from "#types/words";

// The order of a course: lessons with topics, a lecture, a first visit; scenarios are dragged or moved by keys.

export class OrderingPage {
  first: First;
  words: LessonsWords;
  asking: Asking<Omit<Question, "number">>;
  saved: string;
  text: string;
  digest: string | null;
  plan: Plan;
  known: Map<string, Offered>;
  root = el("main", "tidemark-ordering", null, { "data-ready": "true" });
  status: HTMLParagraphElement;
  body = el("div", "tm-or-body");
  save: HTMLButtonElement;
  over: HTMLButtonElement;
  /** Writes how many minutes and questions the lecture has. */
  total = () => {};
  offerDryRun = () => {};

  constructor(
    host: HTMLElement,
    first: First,
    post: (question: Omit<Question, "number"> & { number: number }) => void,
  ) {
    this.first = first;
    this.words = first.words;
    this.asking = new Asking(post, () => {}, 1); // what is saved already would be refused as somebody else's
    this.saved = JSON.stringify(planIn(first));
    const kept = first.saving ? keptPlan() : null;
    const back = kept && !saysTheSame(kept.plan, planIn(first)) ? kept : null;
    this.text = (back ?? first).text;
    this.digest = (back ?? first).digest;
    this.plan = back?.plan ?? planIn(first);
    this.known = new Map(first.scenarios.map((each) => [each.name, each]));
    this.status = el("p", "tm-or-status", first.problem, { role: "status" });
    this.save = this.button(this.words.save, () => this.send(this.plan), "tm-or-strong");
    this.save.dataset.act = "save";
    this.over = this.button(this.words.start_over, () => this.startOver());
    const head = fill(el("header", "tm-or-head"), el("h1", "", this.words.name), this.status, this.over, this.save);
    const list = el("datalist", "", null, { id: OFFERED });
    list.append(...first.scenarios.map((each) => el("option", "", null, { value: offered(each) })));
    this.root.append(head, el("p", "tm-or-quiet", this.words.about), this.body, list);
    fill(host, this.root);
    this.show();
    if (back) this.tell(this.words.back);
  }

  /** What is not saved comes back after a reload, or when the page is opened again. */
  keep() {
    const { text, digest, plan } = this;
    keepPlan(this.dirty ? { text, digest, plan } : null);
  }

  get dirty() {
    return JSON.stringify(this.plan) !== this.saved;
  }

  /** The page shows what lies in the folder; what was not saved goes. */
  startOver() {
    this.text = this.first.text;
    this.digest = this.first.digest;
    this.plan = JSON.parse(this.saved);
    this.show();
  }

  button(text: string, run: () => void, className = "") {
    return pushButton(`tm-or-button ${className}`, text, run);
  }

  /** @param name what it does */
  small(name: string, picture: string, run: () => void) {
    const button = this.button("", run, "tm-or-small");
    button.append(icon(picture));
    button.title = name;
    button.setAttribute("aria-label", name);
    return button;
  }

  // --- saving ------------------------------------------------------------------------------------------------------

  /** @param plan null to save `text` as it is */
  send(plan: Plan | null, text: string = this.text, expected: string | null = this.digest) {
    this.asking.ask({ text, plan, expected }).then((reply) => this.hear(reply));
  }

  hear(told: Reply) {
    if (told.problem) this.refused(told.problem, told.place ?? []);
    else if (told.conflict) this.conflict(told.conflict);
    else {
      this.text = told.text;
      this.digest = told.digest;
      this.plan = told.plan;
      this.saved = JSON.stringify(told.plan);
      this.first = { ...this.first, text: told.text, digest: told.digest };
      this.show();
      this.tell(told.note ?? this.words.saved);
    }
  }

  conflict({ digest, blocks }: NonNullable<Reply["conflict"]>) {
    const merge = new Merge(blocks, { merge: this.first.merge });
    const dialog = el("section", "tm-or-part", null, { role: "alertdialog", "aria-label": this.words.conflict });
    const row = el("div", "tm-or-row");
    const save = this.button(this.words.save_pieces, () => this.send(null, merge.text, digest), "tm-or-strong");
    const note = el("p", "tm-or-quiet", null, { role: "status" });
    merge.watch(save, note);
    row.append(
      save,
      this.button(this.words.overwrite, () => this.send(this.plan, this.text, digest)),
    );
    dialog.append(el("h2", "", this.words.conflict), merge.node, note, row);
    this.body.prepend(dialog);
    dialog.scrollIntoView({ block: "center" });
  }

  tell(text: string, isProblem = false) {
    fill(this.status, coded(text));
    this.status.classList.toggle("tm-or-wrong", isProblem);
  }

  /** Says what cannot be saved, and leads to the field. */
  refused(problem: string, place: (string | number)[]) {
    this.tell(problem, true);
    const field = dataNodes(this.body, `[data-place="${place.join(".")}"]`)[0];
    if (!field) return;
    field.setAttribute("aria-invalid", "true");
    field.focus({ preventScroll: true });
    field.scrollIntoView({ block: "center" });
  }

  /** The plan has changed. */
  changed() {
    const { dirty } = this;
    this.keep();
    this.offerDryRun();
    this.over.hidden = !dirty || !this.first.saving;
    this.save.disabled = !dirty || !this.first.saving;
    if (this.first.saving && (dirty || this.status.textContent === this.words.changed)) {
      this.tell(dirty ? this.words.changed : "");
    }
  }

  speak() {}

  open() {}

  close() {
    this.asking.forget();
  }

  // --- what is seen ------------------------------------------------------------------------------------------------

  show() {
    const { plan } = this;
    const lecture = plan.lecture;
    const visit = plan.visit;
    this.total = this.offerDryRun = () => {};
    fill(
      this.body,
      lecture ? lectureSection(this, lecture) : null,
      visit ? visitSection(this, visit) : null,
      ...plan.lessons.map((lesson, index) => this.lesson(lesson, index)),
      this.adding(),
    );
    this.changed();
  }

  adding() {
    const { plan, words } = this;
    const row = el("div", "tm-or-row");
    const part = (): Part => ({ title: { en: "" }, about: { en: "" }, scenarios: [] });
    const add = (text: string, run: () => void) =>
      this.button(text, () => {
        run();
        this.show();
      });
    if (!plan.lecture) row.append(add(words.add_lecture, () => (plan.lecture = { ...part(), minutes: 50, lab: [] })));
    if (!plan.visit) row.append(add(words.add_visit, () => (plan.visit = { ...part(), onward: [] })));
    row.append(
      add(words.add_lesson, () => {
        const topics = [{ was: null, ...part() }];
        plan.lessons.push({ was: null, id: "", title: { en: "" }, about: { en: "" }, topics });
      }),
    );
    return row;
  }

  /** @param place its path in the plan */
  section(name: string, part: Part, place: string, drop: () => void, more?: HTMLElement) {
    const node = el("section", "tm-or-part", null, { "aria-label": name });
    const remove = this.small(this.words.remove, "cross", () => {
      drop();
      this.show();
    });
    const head = fill(el("div", "tm-or-part-head"), el("h2", "", name), more ?? "", remove);
    node.append(head, ...this.texts(part, place), new ScenarioList(this, part, place === "lecture").node);
    return node;
  }

  minutes(lecture: NonNullable<Plan["lecture"]>) {
    const field = el("input", "", null, { type: "number", min: "0", max: "1000", "data-place": "lecture.minutes" });
    field.value = String(lecture.minutes);
    const planned = el("span", "tm-or-quiet");
    this.total = () => {
      const all = (of: "minutes" | "questions") =>
        lecture.scenarios.reduce((sum, name) => sum + (this.known.get(name)?.[of] ?? 0), 0);
      const minutes = say(this.words.planned, { planned: all("minutes"), minutes: lecture.minutes });
      planned.textContent = `${minutes} · ${askedIn(this.words, all("questions"))}`;
    };
    field.addEventListener("input", () => {
      field.removeAttribute("aria-invalid");
      lecture.minutes = Math.round(Number(field.value));
      this.total();
      this.changed();
    });
    this.total();
    return fill(el("label", "tm-or-minutes"), this.words.minutes, field, planned);
  }

  /** The way to try the lecture on the projector view, in a tab of its own: as it is saved, so not before that. */
  dryRun(lecture: NonNullable<Plan["lecture"]>) {
    const row = el("p", "tm-or-row");
    this.offerDryRun = () => {
      const first = lecture.scenarios.find((name) => this.known.has(name));
      if (this.dirty || !first) {
        fill(row, el("span", "tm-or-quiet", this.words.dry_unsaved));
        return;
      }
      const link = el("a", "tm-or-button", null, { href: lectureAddress("lecture", first), target: "_blank" });
      link.append(icon("screen"), this.words.dry);
      fill(row, link, el("span", "tm-or-quiet", this.words.dry_about));
    };
    return row;
  }

  lesson(lesson: Lesson, index: number) {
    const { words, plan } = this;
    const node = el("section", "tm-or-part", null, { "aria-label": words.lesson });
    const head = el("div", "tm-or-part-head");
    head.append(
      el("h2", "", words.lesson),
      this.field(words.id, lesson.id, (value) => (lesson.id = value), `lessons.${index}.id`),
    );
    head.append(...this.ways(plan.lessons, index));
    node.append(head, ...this.texts(lesson, `lessons.${index}`));
    node.append(...lesson.topics.map((topic, place) => this.topic(lesson, topic, place, `lessons.${index}`)));
    node.append(
      this.button(words.add_topic, () => {
        lesson.topics.push({ was: null, title: { en: "" }, about: { en: "" }, scenarios: [] });
        this.show();
      }),
    );
    return node;
  }

  /** @param above the path of the lesson in the plan */
  topic(lesson: Lesson, topic: Topic, place: number, above: string) {
    const node = el("div", "tm-or-topic", null, { role: "group", "aria-label": this.words.topic });
    const head = fill(el("div", "tm-or-part-head"), el("h3", "", this.words.topic), ...this.ways(lesson.topics, place));
    node.append(head, ...this.texts(topic, `${above}.topics.${place}`), new ScenarioList(this, topic).node);
    return node;
  }

  /** Buttons that move or remove one of a list. */
  ways<Each>(list: Each[], index: number) {
    const to = (place: number) => {
      const [each] = list.splice(index, 1);
      if (place >= 0) list.splice(place, 0, each);
      this.show();
    };
    const up = this.small(this.words.up, "chevron", () => to(index - 1));
    const down = this.small(this.words.down, "chevron", () => to(index + 1));
    up.classList.add("tm-or-up");
    up.disabled = index === 0;
    down.disabled = index === list.length - 1;
    return [up, down, this.small(this.words.remove, "cross", () => to(-1))];
  }

  /** @param place its path in the plan */
  texts(part: { title: Texts; about: Texts }, place: string) {
    return this.tongues.map((tongue) => {
      return fill(
        el("div", "tm-or-texts"),
        this.textOf(this.words.title, part.title, tongue, `${place}.title`),
        this.textOf(this.words.about_label, part.about, tongue, `${place}.about`),
      );
    });
  }

  /** @param place the path of the texts in the plan */
  textOf(label: string, texts: Texts, tongue: string, place: string) {
    const take = (value: string) => {
      if (value) texts[tongue] = value;
      else delete texts[tongue];
    };
    const inLanguage = say(this.words.in_language, { label, language: tongue });
    return this.field(inLanguage, texts[tongue] ?? "", take, `${place}.${tongue}`);
  }

  /** The languages that have fields: English, which no text may lack, that of the page, and those of the file. */
  get tongues() {
    const { lessons, lecture, visit } = this.plan;
    const parts = [...lessons.flatMap((lesson) => [lesson, ...lesson.topics]), lecture, visit];
    const used = parts.flatMap((part) => (part ? [...Object.keys(part.title), ...Object.keys(part.about)] : []));
    return [...new Set(["en", document.documentElement.lang.split("-")[0] || "en", ...used])];
  }

  /** @param place its path in the plan */
  field(label: string, value: string, take: (value: string) => void, place: string) {
    const input = el("input", "", null, { type: "text", maxlength: "2000", autocomplete: "off", "aria-label": label });
    input.dataset.place = place;
    input.value = value;
    input.addEventListener("input", () => {
      input.removeAttribute("aria-invalid");
      take(input.value.trim());
      this.changed();
    });
    return fill(el("label", "tm-or-field"), el("span", "", label), input);
  }
}

/** What lies in the folder, or an empty plan. */
function planIn({ plan }: First): Plan {
  return structuredClone(plan ?? { lessons: [], lecture: null, visit: null });
}

export default mounting(OrderingPage);

// The plan that is not saved yet: this tab keeps it, and the browser for the next tab.

const KEPT_PLAN = "tidemark.lessons";

/** @param kept null once there is nothing to keep */
function keepPlan(kept: KeptPlan | null) {
  writeKept(KEPT_PLAN, kept, "tab");
  writeKept(KEPT_PLAN, kept);
}

/** What was kept, null for nothing. */
export function keptPlan(): KeptPlan | null {
  return readKept(KEPT_PLAN, soundPlan, "tab") ?? readKept(KEPT_PLAN, soundPlan);
}

function soundPlan({ text, digest, plan }: any): KeptPlan | null {
  const parts = [plan.lecture, plan.visit].filter((each) => each !== null);
  const sound =
    Array.isArray(plan.lessons) &&
    plan.lessons.every((each: any) => isPart(each) && each.topics.every(isList)) &&
    parts.every(isList);
  return sound && typeof text === "string" ? { text, digest: digest ?? null, plan } : null;
}

function isPart(read: any) {
  return isTable(read) && isTable(read.title) && isTable(read.about);
}

function isList(read: any) {
  return isPart(read) && read.scenarios.every((each: unknown) => typeof each === "string");
}

/**
 * Whether a kept plan says what lies in the folder. A page that is left while it saves does not hear what the server
 * adds: the places in the file, and the ids of new lessons.
 */
export function saysTheSame(kept: Plan, saved: Plan) {
  const lessons = saved.lessons.map((each, index) => ({ ...each, id: kept.lessons[index]?.id && each.id }));
  return contentsOf(kept) === contentsOf({ ...saved, lessons });
}

function contentsOf(plan: Plan) {
  return JSON.stringify(plan, (_name, value) => {
    if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
    const parts = Object.entries(value).filter(([name, part]) => name !== "was" && part !== "" && part !== undefined);
    return Object.fromEntries(parts.sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}
