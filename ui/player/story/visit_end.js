// The end of the first visit: what the visitor got right, what the other answers overlook, and where to go on.
import { el, fill } from "../base/dom.js";
import { say } from "../base/format.js";
import { mark } from "../base/icons.js";
/** @import { Player } from "../player.js" */
/** @import { VisitAnswer } from "../base/kept_visit.js" */
/** @import { Visit } from "./visit.js" */

export class VisitEnd {
  /**
   * @param {Player} player
   * @param {Visit} visit
   */
  constructor(player, visit) {
    this.player = player;
    this.visit = visit;
    this.node = el("section", "tm-card tm-visit-end", null, { "aria-label": player.words.visit.over });
    this.node.hidden = true;
  }

  /** @param {boolean} over */
  show(over) {
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
    const foot = el("div", "tm-story-foot");
    foot.append(
      this.button(words.visit.library, "tm-button", () => visit.leave()),
      this.button(words.visit.again, "tm-button tm-plain", () => visit.again()),
    );
    return [
      el("h2", "tm-visit-over-title", words.visit.over),
      el("p", "tm-visit-score", score),
      ...(wrong.length ? [el("h3", "", words.visit.beliefs), this.beliefs(wrong)] : []),
      el("h3", "", words.visit.onward),
      this.onward(),
      foot,
    ];
  }

  /**
   * What the wrong answers overlook.
   * @param {VisitAnswer[]} answers
   */
  beliefs(answers) {
    const list = el("ul", "tm-visit-beliefs");
    for (const { question, chosen, reply } of answers) {
      const item = el("li");
      const text = el("div");
      text.append(el("p", "tm-quiet", question), el("p", "tm-visit-chosen", chosen), el("p", "", reply));
      item.append(mark("dropped"), text);
      list.append(item);
    }
    return list;
  }

  /** The scenarios to go to next. */
  onward() {
    const { visit } = this;
    const list = el("ul", "tm-visit-onward");
    for (const { name, title, summary } of visit.order?.onward ?? []) {
      const item = el("li");
      const button = this.button("", "tm-visit-door", () => visit.leave(name));
      button.append(el("b", "", title), el("span", "", summary));
      item.append(button);
      list.append(item);
    }
    return list;
  }

  /**
   * @param {string} text
   * @param {string} look
   * @param {() => void} run
   */
  button(text, look, run) {
    const button = el("button", look, text, { type: "button" });
    button.addEventListener("click", run);
    return button;
  }
}
