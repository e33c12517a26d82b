// The cards below: what the last edit changed, all results, goals, and what speaks against the draft.
import { coded, el, fill, icon, mark, tableRow, pushButton } from "../player/base/dom.ts";
import { say, valueText } from "../player/base/format.ts";
import { timingMark } from "../player/base/reading.ts";
import { AuthorPart } from "./author_part.ts";
import type { Author } from "./author.ts";
import type { Check, Choice, DraftFacts, DraftResult, Goal, Problem, TabPart } from "./types.ts";

/** How a finding is shown: a mark, a line in bold with what more there is to say, and buttons. */
interface Rendering<T> {
  mark: (entry: T) => Node;
  text: (entry: T) => Node[];
  tools?: (entry: T) => Node[];
}

function findings<T>(entries: T[], render: Rendering<T>) {
  const list = el("ul", "tm-au-findings");
  for (const entry of entries) {
    const item = fill(el("li"), render.mark(entry));
    const text = fill(el("div", "tm-au-finding"), ...render.text(entry));
    item.append(text, ...(render.tools?.(entry) ?? []));
    list.append(item);
  }
  return list;
}

const SIGNS = { error: "cross", warning: "warning", ok: "check" };

function sign(kind: Check["mark"]) {
  const node = icon(SIGNS[kind]);
  node.classList.add(`tm-au-${kind}`);
  return node;
}

const TAB_WAYS: { [key: string]: number | undefined } = { ArrowRight: 1, ArrowLeft: -1 };

/** A card with a tab for each of its parts. */
export class TabCard {
  parts: TabPart[];
  name: string;
  node: HTMLElement;
  head = el("div", "tm-au-head");
  note = el("span", "tm-card-note");
  tabs: HTMLButtonElement[];
  body = el("div", "tm-au-body");

  constructor(label: string, parts: TabPart[], className: string) {
    this.parts = parts;
    this.name = parts[0].name;
    this.node = el("section", `tm-card ${className}`, null, { "aria-label": label });
    this.tabs = parts.map((part) => {
      return pushButton("tm-au-tab", part.title, () => this.open(part.name), {
        role: "tab",
        id: `tm-au-tab-${part.name}`,
        "aria-controls": `tm-au-part-${part.name}`,
      });
    });
    const row = fill(el("div", "tm-au-tabs", null, { role: "tablist", "aria-label": label }), ...this.tabs);
    row.addEventListener("keydown", (event) => {
      const way = TAB_WAYS[event.key];
      if (!way) return;
      event.preventDefault();
      const at = this.parts.findIndex((part) => part.name === this.name);
      const next = this.parts[(at + way + this.parts.length) % this.parts.length];
      this.open(next.name);
      this.tabs[this.parts.indexOf(next)].focus();
    });
    this.head.append(row, this.note);
    for (const part of parts) {
      part.node.id = `tm-au-part-${part.name}`;
      part.node.setAttribute("role", "tabpanel");
      part.node.setAttribute("aria-labelledby", `tm-au-tab-${part.name}`);
      this.body.append(part.node);
    }
    this.node.append(this.head, this.body);
    this.open(parts[0].name);
  }

  /** Shows a part. */
  open(name: string) {
    this.name = name;
    this.parts.forEach((part, index) => {
      part.node.hidden = part.name !== name;
      this.tabs[index].setAttribute("aria-selected", String(part.name === name));
      this.tabs[index].tabIndex = part.name === name ? 0 : -1;
    });
    this.tell();
  }

  /** The note of the part that is shown, as it is now. */
  tell() {
    this.note.textContent = this.parts.find((part) => part.name === this.name)?.note?.() ?? "";
  }
}

/** What the last edit changed. */
export class ChangeList extends AuthorPart {
  name = "changes";
  title: string = this.author.words.changes.title;
  node = el("div", "tm-au-part");

  show({ changes }: DraftFacts) {
    const { words } = this.author;
    if (!changes.entries.length) {
      fill(this.node, el("p", "tm-quiet", words.changes.none));
      return;
    }
    fill(
      this.node,
      findings(changes.entries, {
        mark: (entry) =>
          entry.mark === "clock" ? icon("clock") : entry.mark === "rest" ? mark("connector") : mark(entry.mark),
        text: (entry) => [el("b", "", entry.head), ...entry.lines.map((line) => el("p", "tm-quiet", line))],
      }),
    );
  }
}

/** Every result of the run. */
export class ResultList extends AuthorPart {
  name = "results";
  title: string = this.author.words.results.title;
  count = 0;
  node = el("div", "tm-au-part");

  note() {
    return this.count ? String(this.count) : "";
  }

  show({ results, changes, plane }: DraftFacts) {
    const { words, times } = this.author;
    this.count = results.length;
    if (!results.length) {
      fill(this.node, el("p", "tm-quiet", words.results.none));
      return;
    }
    const fresh = new Set(changes.results);
    const byItem = plane.arrival_axis === "item";
    const head = el("thead");
    const body = el("tbody");
    head.append(
      tableRow(["", words.results.key, words.results.window, words.results.value, words.results.at], {
        header: true,
        numeric: [4],
      }),
    );
    for (const each of results) {
      const value =
        each.row === "joined" || each.row === "group"
          ? `${side(each.left)} ⋈ ${side(each.right)}`
          : valueText(each.value);
      const when =
        each.at === null
          ? say(words.results.batch, each)
          : byItem
            ? say(words.results.item, each)
            : times.short(each.at);
      const row = tableRow(
        [
          mark(timingMark(each.timing === "" ? undefined : each.timing)),
          valueText(each.key),
          each.row === "emitted" || (each.start === null && each.row === "joined")
            ? ""
            : times.window(each.start, each.end),
          `${value}${each.timing === "late" ? ` ↻${each.pane}` : ""}`,
          when,
        ],
        { numeric: [4], className: fresh.has(each.number) ? "tm-hl" : "" },
      );
      row.tabIndex = 0;
      row.setAttribute("aria-label", say(words.results.go, { step: each.step }));
      const go = () => this.author.picture.go(each.step);
      row.addEventListener("click", go);
      row.addEventListener("keydown", (event) => {
        if (event.key === "Enter") go();
      });
      body.append(row);
    }
    const table = fill(el("table", "tm-table tm-au-results", null, { "data-table": "results" }), head, body);
    fill(this.node, table);
  }
}

/** One side of a pair, or the records of one side of a window. */
function side(values: DraftResult["left"]) {
  if (values === null || (Array.isArray(values) && !values.length)) return "∅";
  return valueText(Array.isArray(values) ? values : (values.value ?? values));
}

/** Goals, met or not; a form for one more. */
export class GoalList extends AuthorPart {
  name = "goals";
  title: string = this.author.words.goals.title;
  goals: Goal[] = [];
  node = el("div", "tm-au-part tm-au-goals");
  freeze = pushButton(
    "tm-button tm-plain tm-au-freeze",
    this.author.words.goals.freeze,
    () => this.author.edit({ kind: "freeze" }),
    { title: this.author.words.goals.freeze_about },
  );
  list = el("div");
  /** fills in a goal that was not added yet */
  refill: (typed: string[]) => void = () => {};
  /** shows what a goal can count */
  offer: (choices: Choice[]) => void = () => {};
  offered = "";

  constructor(author: Author) {
    super(author);
    this.node.append(this.list, this.form());
  }

  note() {
    const { words } = this.author;
    const met = this.goals.filter((each) => each.met).length;
    return this.goals.length ? say(words.goals.met, { met, count: this.goals.length }) : "";
  }

  form() {
    const { words } = this.author;
    const kind = el("select", "tm-au-choice", null, { "aria-label": words.goals.how });
    for (const name of ["count", "at_least", "at_most"]) {
      kind.append(el("option", "", words.goals.kinds[name], { value: name }));
    }
    const number = el("input", "tm-au-field", null, {
      type: "number",
      min: "0",
      max: "999999",
      value: "1",
      "aria-label": words.goals.number,
    });
    const what = el("select", "tm-au-choice", null, { "aria-label": words.goals.what });
    this.offer = (choices: Choice[]) => {
      const { value } = what;
      const options = (found: Choice[]) => found.map(([each, text]) => el("option", "", text, { value: each }));
      const rows = choices.filter(([each]) => each in words.goals.rows);
      const more = el("optgroup", "", null, { label: words.goals.more });
      more.append(...options(choices.filter(([each]) => !(each in words.goals.rows))));
      fill(what, ...options(rows), more);
      if (choices.some(([each]) => each === value)) what.value = value;
    };
    const add = el("button", "tm-button", null, {
      type: "submit",
      "aria-label": words.goals.add,
      title: words.goals.add,
    });
    add.append(icon("plus"), el("span", "", words.goals.add_short));
    const form = fill(el("form", "tm-au-add-goal"), kind, number, what, add);
    const fields = [kind, number, what];
    this.refill = (typed) =>
      fields.forEach((field, index) => {
        field.value = typed[index] ?? field.value;
      });
    const typing = () =>
      this.author.half.put(
        "goal",
        fields.map((field) => field.value),
      );
    for (const field of fields) field.addEventListener("input", typing);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.author.half.put("goal");
      this.author.edit({ kind: "goal", what: what.value, how: kind.value, number: Number(number.value) });
    });
    return form;
  }

  show({ goals, goal_choices: choices }: DraftFacts) {
    const { words } = this.author;
    this.goals = goals;
    if (this.offered !== choices.join()) this.offer(choices);
    this.offered = choices.join();
    if (!goals.length) {
      fill(this.list, el("p", "tm-quiet", words.goals.none));
      return;
    }
    fill(
      this.list,
      findings(goals, {
        mark: (goal) => sign(goal.met === null ? "warning" : goal.met ? "ok" : "error"),
        text: (goal) => [
          el("b", "", goal.head),
          el("span", "tm-quiet tm-au-now-at", goal.met === null ? words.goals.too_long : goal.more),
        ],
        tools: (goal) => {
          const remove = pushButton(
            "tm-button tm-plain tm-au-icon",
            null,
            () => this.author.edit({ kind: "drop", list: "goals", number: goal.number }),
            { "aria-label": say(words.goals.remove, { goal: goal.head }) },
          );
          remove.append(icon("remove"));
          return [remove];
        },
      }),
    );
  }
}

/** What speaks against the draft, and what is well. */
export class CheckList extends AuthorPart {
  name = "checks";
  title: string = this.author.words.checks.title;
  checks: Check[] = [];
  node = el("div", "tm-au-part");

  note() {
    const { words } = this.author;
    const count = (kind: Check["mark"]) => this.checks.filter((each) => each.mark === kind).length;
    return say(words.checks.counted, { errors: count("error"), warnings: count("warning") });
  }

  /** What is wrong with a text that does not run. */
  showProblems(problems: Problem[]) {
    const { words } = this.author;
    this.show(
      problems.map((each) => ({
        mark: each.warning ? "warning" : "error",
        line: each.line,
        more: each.text,
        head: each.line ? say(words.checks.line, each) : words.checks.file,
      })),
    );
  }

  show(checks: Check[]) {
    const { words } = this.author;
    this.checks = checks;
    fill(
      this.node,
      findings(checks, {
        mark: (check) => sign(check.mark),
        text: (check) => [fill(el("b"), coded(check.head)), fill(el("p", "tm-quiet"), coded(check.more))],
        tools: (check) => {
          const { line } = check;
          if (!line) return [];
          const go = pushButton("tm-button tm-plain", say(words.checks.go, { line }), () =>
            this.author.pane.goTo({ line, column: 1 }),
          );
          return [go];
        },
      }),
    );
  }
}
