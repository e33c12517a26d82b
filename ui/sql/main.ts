// The page SQL: a text with its records, the rows of its query, and the chain of operators that computes them.
import { linkTo, openPage } from "../player/base/address.ts";
import { el, fill, pushButton } from "../player/base/dom.ts";
import { say } from "../player/base/format.ts";
import { keepText, keptText } from "../player/base/kept.ts";
import { operatorItem } from "../player/base/operators.ts";
import { AskingPage, mounting } from "../pages/kit.ts";
import { choosePlace, markedAt, recordsOf } from "./text.ts";
import type { Asked, First, Question, Ran, Records, Reply, Stage } from "./types.ts";

const KEPT = "tidemark.sql";
/** A query may take some seconds, and is not begun again meanwhile. */
const PATIENCE_MS = 60_000;

/** What stays while the reader steps through a stage on another page, until this tab is closed or loads again. */
const visit: { records: Records; asked: Asked | null; reply: Reply | null; title: string } = {
  records: [],
  asked: null,
  reply: null,
  title: "",
};

export class SqlPage extends AskingPage<First, Question> {
  text = el("textarea", "tm-sql-text", null, { spellcheck: "false", wrap: "off", autocapitalize: "off" });
  /** The text once more, behind the field: there a part of it can be lit. */
  behind = el("code");
  files = el("input", "", null, { type: "file", accept: ".csv,.tsv,.txt,.json,.jsonl", multiple: "" });
  names = el("p", "tm-sql-files");
  runs = pushButton("tm-sql-run", "", () => this.run());
  chooser = el("select");
  problem = el("p", "tm-sql-problem", null, { role: "alert" });
  found = el("section", "tm-sql-found", null, { "aria-live": "polite" });
  chain = el("section", "tm-sql-chain");
  onUnanswered = () => this.idle();

  constructor(host: HTMLElement, first: First, post: (question: Question & { number: number }) => void) {
    super(host, first, post);
    this.asking.tries = 2;
    this.asking.patience = PATIENCE_MS;
    this.text.value = keptText(KEPT) ?? first.example;
    this.text.addEventListener("input", () => this.typed());
    this.text.addEventListener("scroll", () => this.follow());
    this.text.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      this.run();
    });
    this.files.addEventListener("change", () => this.take([...(this.files.files ?? [])]));
    this.chooser.addEventListener("change", () => this.run(Number(this.chooser.value)));
    // The site has stopped the query.
    window.addEventListener("tidemark:unanswered", this.onUnanswered);
  }

  close() {
    window.removeEventListener("tidemark:unanswered", this.onUnanswered);
    super.close();
  }

  open() {
    const { words } = this;
    if (this.shown === words.title) return;
    this.mark(words.title);
    this.put(() => ({ node: this.page() }));
    this.show();
    // What is said of the run is in the language before.
    if (visit.asked && visit.title !== words.title) this.run(visit.asked.query);
  }

  page() {
    const { words } = this;
    const example = this.button(words.example, () => {
      this.text.value = this.first.example;
      this.typed();
      this.text.focus();
    });
    this.text.setAttribute("aria-label", words.text);
    this.files.setAttribute("aria-label", words.records_label);
    this.chooser.setAttribute("aria-label", words.query);
    this.idle();
    const choose = fill(
      el("label", "tm-sql-choose"),
      el("span", "", words.records, { "aria-hidden": "true" }),
      this.files,
    );
    const field = fill(
      el("div", "tm-sql-field"),
      fill(el("pre", "", null, { "aria-hidden": "true" }), this.behind),
      this.text,
    );
    const row = fill(el("div", "tm-sql-row"), this.runs, this.chooser, choose, example);
    const about = el("p", "tm-sql-quiet", words.records_about);
    return fill(
      el("div", "tidemark-sql"),
      fill(el("header"), el("h1", "", words.title), el("p", "tm-sql-quiet", words.about)),
      fill(el("section", "tm-sql-asks"), field, this.problem, row, this.names, about),
      this.found,
      this.chain,
    );
  }

  button(text: string, act: () => void) {
    return pushButton("", text, act);
  }

  typed() {
    const { value } = this.text;
    keepText(KEPT, value === this.first.example ? null : value);
    this.light([]);
    this.age();
  }

  /** What is shown belongs to another text. */
  age() {
    const { asked, records } = visit;
    const old = asked !== null && (asked.sql !== this.text.value || asked.records !== records);
    for (const each of [this.found, this.chain]) each.toggleAttribute("data-old", old);
  }

  async take(files: File[]) {
    const { words, first } = this;
    const tooLarge = files.some(({ size }) => size > first.most_bytes);
    this.problem.textContent = tooLarge ? say(words.too_large, { limit: Math.floor(first.most_bytes / 1024) }) : "";
    if (!tooLarge) visit.records = await Promise.all(files.map(recordsOf));
    this.files.value = "";
    this.named();
    this.age();
  }

  named() {
    const { records } = visit;
    this.names.hidden = !records.length;
    fill(
      this.names,
      records.map(({ file }) => file).join(" · "),
      this.button(this.words.forget, () => this.take([])),
    );
  }

  async run(query = Number(this.chooser.value) || 1) {
    const asked = { sql: this.text.value, records: visit.records, query };
    this.problem.textContent = "";
    this.runs.disabled = true;
    this.runs.textContent = this.words.running;
    const reply: Reply = await this.asking.ask({ ask: "run", ...asked });
    Object.assign(visit, { asked, reply, title: this.words.title });
    this.idle();
    this.show();
    this.refuse(reply);
  }

  idle() {
    this.runs.disabled = false;
    this.runs.textContent = this.words.run;
  }

  silent() {
    this.idle();
    this.problem.textContent = this.words.silent;
  }

  refuse({ problem = "", place }: Reply) {
    this.problem.textContent = problem;
    if (!place?.length) return;
    this.light([markedAt(this.text.value, place)], "tm-sql-wrong");
    choosePlace(this.text, place);
  }

  show() {
    const { reply } = visit;
    const { words } = this;
    const queries = reply?.queries ?? [];
    this.chooser.hidden = queries.length < 2;
    fill(
      this.chooser,
      queries.map((line, index) =>
        el("option", "", say(words.query_at, { number: index + 1, line }), { value: String(index + 1) }),
      ),
    );
    this.chooser.value = String(reply?.query ?? 1);
    this.named();
    this.light([]);
    const ran = reply?.ran;
    this.chain.hidden = !ran;
    if (ran) {
      fill(this.found, ...this.rows(ran));
      fill(
        this.chain,
        el("h2", "", words.stages),
        ran.stages.length ? this.stages(ran.stages) : null,
        ...(ran.stages.length || ran.unshown.length ? ran.unshown : [words.no_stages]).map((text) =>
          el("p", "tm-sql-quiet", text),
        ),
      );
    } else fill(this.found, el("p", "tm-sql-quiet", reply ? "" : words.before));
    this.age();
  }

  rows({ columns, rows, count, late, made_up: madeUp }: Ran) {
    const { words } = this;
    const said = say(rows.length < count ? words.rows_some : words.rows, { count, shown: rows.length });
    const head = fill(el("tr"), el("th", "", "op", { scope: "col" }));
    for (const { name, type, number } of columns) {
      head.append(el("th", number ? "tm-sql-number" : "", name, { scope: "col", title: type }));
    }
    const body = el("tbody");
    for (const row of rows) {
      const line = el("tr");
      row.forEach((cell, index) => line.append(el("td", columns[index - 1]?.number ? "tm-sql-number" : "", cell)));
      body.append(line);
    }
    const table = fill(el("table"), fill(el("thead"), head), body);
    return [
      fill(el("header"), el("h2", "", said), el("span", "tm-sql-old", words.changed)),
      madeUp ? el("p", "tm-sql-quiet", words.made_up) : null,
      late ? el("p", "tm-sql-quiet", say(words.late, { count: late })) : null,
      count ? fill(el("div", "tm-sql-table", null, { tabindex: "0" }), table) : el("p", "tm-sql-quiet", words.no_rows),
    ];
  }

  stages(stages: Stage[]) {
    const { words } = this;
    const list = el("ol", "tm-chain");
    stages.forEach((stage, index) => {
      const { clause, plan, parts, taken, emitted } = stage;
      const step = this.button("", () => this.go(index + 1, ""));
      const line = fill(
        el("span", "tm-chain-line"),
        el("span", "", say(words.counted, { taken, emitted })),
        el("span", "tm-sql-step", words.step),
      );
      const planned = el("span", "tm-sql-plan", plan);
      const item = operatorItem(step, stage, stages[index - 1]?.name, el("code", "", clause), planned, line);
      item.append(this.button(words.edit, () => this.go(index + 1, "author")));
      const lit = () => this.light(this.chain.hasAttribute("data-old") ? [] : parts);
      for (const event of ["pointerenter", "focusin"]) item.addEventListener(event, lit);
      for (const event of ["pointerleave", "focusout"]) item.addEventListener(event, () => this.light([]));
      list.append(item);
    });
    return list;
  }

  /** Opens the scenario of a stage, as it was run. */
  async go(stage: number, page: string) {
    if (!visit.asked) return;
    const reply: Reply = await this.asking.ask({ ask: "open", ...visit.asked, stage });
    if (reply.address) openPage(linkTo(page, [reply.address]));
    else this.refuse(reply);
  }

  /** Lights these parts of the text, and none else. */
  light(parts: [start: number, end: number][], kind = "") {
    const { value } = this.text;
    const nodes: (string | HTMLElement)[] = [];
    let last = 0;
    for (const [start, end] of parts) {
      nodes.push(value.slice(last, start), el("mark", kind, value.slice(start, end)));
      last = end;
    }
    fill(this.behind, ...nodes, value.slice(last));
    const first = this.behind.querySelector("mark");
    if (first && !kind) {
      const { scrollTop, clientHeight } = this.text;
      const top = first.offsetTop;
      if (top < scrollTop || top > scrollTop + clientHeight - 60) this.text.scrollTop = top - 20;
    }
    this.follow();
  }

  /** What lies behind the field scrolls with it. */
  follow() {
    this.behind.style.transform = `translate(${-this.text.scrollLeft}px, ${-this.text.scrollTop}px)`;
  }
}

export default mounting(SqlPage);
