// The end of a form: the score, after form B also what became of each belief, and the file to hand in.
import { el, fill, save } from "../../player/base/dom.ts";
import { between, say } from "../../player/base/format.ts";
import { answersFile } from "./keeping.ts";
import { inventoryButton, pageLink, viewNode } from "./form.ts";
import type { InventoryPage } from "./main.ts";
import type { Belief, Result } from "./types.ts";

export class ResultView {
  page: InventoryPage;
  form: string;
  node: HTMLElement = viewNode("result");
  closed = false;

  constructor(page: InventoryPage, form: string) {
    this.page = page;
    this.form = form;
    this.begin();
  }

  async begin() {
    const result = await this.page.asking.ask({ ask: "grade", file: answersFile(this.page.kept) });
    if (this.closed) return;
    if (result.problem) fill(this.node, el("p", "tm-inv-problem", result.problem, { role: "alert" }));
    else this.draw(result);
    this.node.dataset.ready = "true";
  }

  draw(result: Result) {
    const { words, first } = this.page;
    const [before, after] = first.forms;
    const score = result.scores[this.form];
    const [one, other] = [result.scores[before], result.scores[after]];
    const parts: HTMLElement[] = [
      el("h1", "", say(words.done, { form: this.form }), { tabindex: "-1" }),
      el("p", "tm-inv-score", say(words.score, score)),
    ];
    if (one && other) {
      parts.push(el("p", "", say(words.score_before, { before: one.right, after: other.right, items: other.items })));
      if (result.gain !== null && result.gain > 0) {
        parts.push(el("p", "", say(words.gained, { percent: Math.round(result.gain * 100) })));
      }
    }
    if (this.form === before && !other) parts.push(...this.between(after));
    else if (other) parts.push(...this.beliefs(result), pageLink(words.practise, "./practice"));
    parts.push(...this.handIn(), this.foot());
    fill(this.node, parts);
    this.node.querySelector("h1")?.focus({ preventScroll: true });
  }

  /**
   * What to do between the forms.
   * @param form the one after
   */
  between(form: string) {
    const { words } = this.page;
    const ways = el("p", "tm-inv-ways");
    ways.append(
      pageLink(words.story, "./?visit=1", "tm-inv-button tm-inv-primary"),
      pageLink(words.library, "./library", "tm-inv-button"),
    );
    return [el("p", "", say(words.later, { form })), el("p", "", say(words.now_learn, { form })), ways];
  }

  beliefs({ beliefs, patternless }: Result) {
    const { words } = this.page;
    const title = el("h2", "", words.beliefs);
    if (patternless) return [title, el("p", "", words.patternless)];
    if (!beliefs.length) return [title, el("p", "", words.nothing)];
    const list = fill(el("ul", "tm-inv-beliefs"), ...beliefs.map((each) => this.belief(each)));
    return [title, list];
  }

  belief({ name, state, claim, truth, href }: Belief) {
    const { words } = this.page;
    const item = el("li", "", null, { "data-belief": name, "data-state": state });
    const text = fill(el("p", "tm-inv-truth"), el("b", "", words.truth), between(words.truth, truth), truth);
    item.append(el("span", "tm-inv-state", words[state]), el("p", "tm-inv-claim", claim), text);
    if (state !== "gone") item.append(pageLink(words.show, href));
    return item;
  }

  handIn() {
    const { page } = this;
    const { words, kept } = page;
    const give = () =>
      save(new Blob([answersFile(kept)], { type: "application/json" }), say(words.file, { id: kept.id }));
    const row = fill(el("p", "tm-inv-ways"), inventoryButton(words.download, give, "tm-inv-download"));
    const code = fill(el("p", "tm-inv-quiet"), words.id_lead, el("b", "", kept.id), ` · ${words.download_hint}`);
    return [row, code];
  }

  foot() {
    const { page, form } = this;
    const { words } = page;
    const foot = el("div", "tm-inv-foot");
    const start = inventoryButton(words.overview, () => page.go({}), "tm-inv-plain");
    const again = inventoryButton(say(words.again, { form }), () => {
      const sure = inventoryButton(
        say(words.again, { form }),
        () => {
          page.forget(form);
          page.go({ form });
        },
        "tm-inv-danger",
      );
      fill(foot, el("p", "", say(words.again_sure, { form }), { role: "status" }), start, sure);
      sure.focus();
    });
    foot.append(start, again);
    return foot;
  }

  close() {
    this.closed = true;
  }
}
