// The end of the first visit: what the visitor got right, what the other answers overlook, and where to go on.
import { el, fill } from "../base/dom.ts";
import { say } from "../base/format.ts";
import { mark } from "../base/icons.ts";
import type { Player } from "../player.ts";
import type { VisitAnswer } from "../base/kept_visit.ts";
import type { Visit } from "./visit.ts";

export class VisitEnd {
  player: Player;
  visit: Visit;
  node: HTMLElement;

  constructor(player: Player, visit: Visit) {
    this.player = player;
    this.visit = visit;
    this.node = el("section", "tm-card tm-visit-end", null, { "aria-label": player.words.visit.over });
    this.node.hidden = true;
  }

  show(over: boolean) {
    if (this.node.hidden === !over) return;
    this.node.hidden = !over;
    if (over) fill(this.node, this.parts());
  }

  parts() {
    const { visit, player } = this;
    const { words } = player;
    const answers = Object.values(visit.kept.answers);
    const right = answers.filter((each) => each.right).length;
    const wrong = answers.filter((each) => !each.right);
    const score = answers.length
      ? say(words.visit[wrong.length ? "score" : "all_right"], { right, count: answers.length })
      : words.visit.no_answers;
    const known = this.known(answers);
    const head = el("div", "tm-visit-verdict");
    head.append(el("h2", "tm-visit-over-title", words.visit.over), el("p", "tm-visit-score", score));
    const shown = el("div", "tm-visit-shown");
    if (known.length) shown.append(el("h3", "", words.visit.right), this.list(known, "right", "tm-visit-known"));
    if (wrong.length) shown.append(el("h3", "", words.visit.beliefs), this.beliefs(wrong));
    const ways = el("div", "tm-visit-ways");
    const foot = el("div", "tm-story-foot");
    foot.append(
      this.button(words.visit.library, "tm-button", () => visit.leave()),
      this.button(words.visit.measure, "tm-button", () => visit.leave(null, "./inventory")),
      this.button(words.visit.practise, "tm-button", () => visit.leave(null, "./practice")),
      this.button(words.visit.again, "tm-button tm-plain", () => visit.again()),
    );
    if (visit.order?.onward.length) {
      ways.append(
        el("h3", "", words.visit.onward),
        this.onward(),
        el("p", "tm-visit-hint tm-quiet", words.visit.onward_hint),
      );
    }
    ways.append(foot);
    return [head, ...(answers.length ? [shown] : []), ways];
  }

  /** What the scenes showed whose questions were all answered right the first time. */
  known(answers: VisitAnswer[]) {
    return (this.visit.order?.scenes ?? [])
      .filter(({ name }) => {
        const own = answers.filter((each) => each.scene === name);
        return own.length > 0 && own.every((each) => each.right);
      })
      .map(({ says }) => [el("p", "", says)]);
  }

  /** What was believed where an answer was wrong, and what that overlooks. */
  beliefs(answers: VisitAnswer[]) {
    const said = ({ question, chosen, reply }: VisitAnswer) => [
      el("p", "tm-quiet", question),
      el("p", "tm-visit-chosen", say(this.player.words.visit.you_said, { answer: chosen })),
      el("p", "", reply),
    ];
    return this.list(answers.map(said), "dropped", "tm-visit-beliefs");
  }

  /** @param kind the mark in front of each */
  list(entries: HTMLElement[][], kind: string, look: string) {
    const list = el("ul", look);
    for (const parts of entries) {
      const item = el("li");
      const text = el("div");
      text.append(...parts);
      item.append(mark(kind), text);
      list.append(item);
    }
    return list;
  }

  /** The scenarios to go to next. */
  onward() {
    const { visit } = this;
    const list = el("ul", "tm-visit-onward");
    for (const { name, title, says } of visit.order?.onward ?? []) {
      const item = el("li");
      const button = this.button("", "tm-visit-door", () => visit.leave(name));
      button.append(el("b", "", title), el("span", "", says));
      item.append(button);
      list.append(item);
    }
    return list;
  }

  button(text: string, look: string, run: () => void) {
    const button = el("button", look, text, { type: "button" });
    button.addEventListener("click", run);
    return button;
  }
}
