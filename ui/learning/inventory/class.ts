// The results of a class: files of answers in, gains out. What the files say is shown as text and nothing else.
import { el, fill, save, tableRow } from "../../player/base/dom.ts";
import { say } from "../../player/base/format.ts";
import { inventoryButton, viewNode } from "./form.ts";
import type { InventoryPage } from "./main.ts";
import type { Both, Given, Report } from "./types.ts";

/** Of a larger file only the beginning is read: enough for the server to refuse it. */
const READ_BYTES = 21 * 1024;
const READ_FILES = 1001;

export class ClassView {
  page: InventoryPage;
  node: HTMLElement = viewNode("class");
  files: Given[];
  closed = false;
  told = el("div", "tm-inv-report", null, { "aria-live": "polite" });

  constructor(page: InventoryPage) {
    this.page = page;
    const { words } = page;
    this.files = page.files;
    const foot = fill(
      el("div", "tm-inv-foot"),
      inventoryButton(words.overview, () => page.go({}), "tm-inv-plain"),
    );
    this.node.append(
      el("h1", "", words.class_title, { tabindex: "-1" }),
      el("p", "", words.class_about),
      this.door(),
      this.told,
      foot,
    );
    this.node.dataset.ready = "true";
    if (this.files.length) this.report();
  }

  /** Files are chosen, or dropped. */
  door() {
    const { words } = this.page;
    const door = el("label", "tm-inv-door");
    const input = el("input", "", null, { type: "file", multiple: true, accept: ".json,application/json" });
    input.addEventListener("change", () => this.take([...(input.files ?? [])]));
    door.append(el("span", "tm-inv-button tm-inv-primary", words.choose_files), ` ${words.drop_files}`, input);
    door.addEventListener("dragover", (event) => event.preventDefault());
    door.addEventListener("drop", (event) => {
      event.preventDefault();
      this.take([...(event.dataTransfer?.files ?? [])]);
    });
    return door;
  }

  async take(files: File[]) {
    if (!files.length) return;
    fill(this.told, el("p", "", say(this.page.words.working, { count: files.length })));
    this.files = await Promise.all(
      files.slice(0, READ_FILES).map(async (file) => {
        const text = await file
          .slice(0, READ_BYTES)
          .text()
          .catch(() => "");
        return { name: file.name, text };
      }),
    );
    this.page.files = this.files;
    await this.report();
  }

  async report() {
    this.node.dataset.ready = "false";
    const report = await this.page.asking.ask({ ask: "class", files: this.files });
    if (this.closed) return;
    fill(this.told, this.parts(report));
    this.node.dataset.ready = "true";
  }

  parts(report: Report) {
    const { words } = this.page;
    const parts: HTMLElement[] = [this.summary(report)];
    if (report.refused.length) parts.push(...this.refused(report));
    if (report.pairs) parts.push(el("h2", "", words.of_beliefs), this.beliefs(report));
    if (report.learners.length) {
      parts.push(el("h2", "", words.of_items), el("p", "tm-inv-quiet", words.of_items_hint), this.items(report));
      parts.push(el("h2", "", words.of_learners), this.learners(report));
    }
    return parts;
  }

  summary({ learners, pairs, mean, gain, csv }: Report) {
    const { words, first } = this.page;
    const counts = [
      learners.length === 1 ? words.learner : say(words.learners, { count: learners.length }),
      pairs === 1 ? words.pair : say(words.pairs, { count: pairs }),
    ];
    const box = fill(el("div", "tm-inv-summary"), el("p", "", counts.join(" · ")));
    if (pairs) {
      const score = say(words.mean_of, { before: figure(mean[0], 1), after: figure(mean[1], 1), items: first.count });
      const of = el("dd", "tm-inv-gain", figure(gain, 2));
      const list = fill(el("dl"), el("dt", "", words.mean), el("dd", "", score), el("dt", "", words.gain), of);
      box.append(list, el("p", "tm-inv-quiet", words.gain_hint));
    } else if (learners.length) {
      box.append(el("p", "", words.no_pairs));
    }
    if (learners.length) {
      const ways = el("p", "tm-inv-ways");
      ways.append(
        inventoryButton(words.save_learners, () =>
          save(new Blob([csv.learners], { type: "text/csv" }), "learners.csv"),
        ),
        inventoryButton(words.save_beliefs, () =>
          save(new Blob([csv.beliefs], { type: "text/csv" }), "misconceptions.csv"),
        ),
      );
      box.append(ways);
    }
    return box;
  }

  refused({ refused }: Report) {
    const { words } = this.page;
    const list = el("ul", "tm-inv-refused");
    list.append(...refused.map((each) => el("li", "", say(words.refused_file, each))));
    return [el("h2", "", words.refused), list];
  }

  beliefs({ beliefs }: Report) {
    const { words } = this.page;
    const arrow = ([before, after]: Both) => say(words.arrow, { before, after });
    const rows = beliefs.map(({ claim, held, picked, gain }) => [claim, arrow(held), arrow(picked), figure(gain, 2)]);
    return tableOf([words.belief, words.held_by, words.answers_by, words.gain_short], rows);
  }

  items({ items }: Report) {
    const { words, first } = this.page;
    const list = el("ol", "tm-inv-items");
    for (const { ask, choices, skipped } of items) {
      const rows = [
        ...choices.map(({ text, belief, counts }) => [text, belief || words.right, ...counts]),
        [words.skipped, "", ...skipped],
      ];
      const table = tableOf(["", words.belief, ...first.forms.map((form) => say(words.form, { form }))], rows);
      table.querySelector("tbody tr")?.classList.add("tm-inv-right");
      list.append(fill(el("li"), fill(el("details"), el("summary", "", ask), table)));
    }
    return list;
  }

  learners({ learners }: Report) {
    const { words, first } = this.page;
    const rows = learners.map(({ id, right, gain }) => [id, ...right.map((each) => figure(each, 0)), figure(gain, 2)]);
    return tableOf([words.code, ...first.forms.map((form) => say(words.form, { form })), words.gain_short], rows);
  }

  close() {
    this.closed = true;
  }
}

/** A number with so many decimals; a dash for none. */
function figure(number: number | null, decimals: number) {
  return number === null ? "–" : number.toFixed(decimals).replace("-", "−");
}

/** A table whose first column is text. */
function tableOf(head: string[], rows: (string | number)[][]) {
  const top = fill(el("thead"), tableRow(head, { header: true }));
  const body = fill(el("tbody"), ...rows.map((cells) => tableRow(cells.map(String))));
  return fill(el("table", "tm-inv-table"), top, body);
}
