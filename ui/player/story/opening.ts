// Before the first step, in the place of what happened: what the scenario is about and what to look for.
import { el } from "../base/dom.ts";
import { say } from "../base/format.ts";
import { icon } from "../base/icons.ts";
import type { Player } from "../player.ts";

/** Does what a key does at the desk. */
export function press(player: Player, key: string) {
  player.commands.find((each) => each.keys.includes(key) && each.mode !== "lecture")?.run();
}

export class Opening {
  player: Player;
  node: HTMLElement;

  constructor(player: Player) {
    this.player = player;
    const { payload, words } = player;
    const { summary, look_for: lookFor } = payload.story;
    this.node = el("section", "tm-card tm-opening", null, { "aria-label": words.story.opening });
    const body = el("div", "tm-opening-text");
    const { visit } = player;
    const about = visit.order && visit.index === 0 && el("p", "tm-visit-about", visit.order.about);
    body.append(about || el("p", "tm-opening-size", this.size()), el("h2", "", payload.title));
    if (summary) body.append(el("p", "tm-opening-summary", summary));
    if (lookFor) {
      const look = el("p", "tm-opening-look");
      look.append(el("b", "", words.story.look_for), el("span", "", lookFor));
      body.append(look);
    }
    const foot = el("div", "tm-story-foot");
    const start = el("button", "tm-button tm-primary tm-start", words.story.start, { type: "button" });
    start.append(icon("forward"));
    start.addEventListener("click", () => this.step());
    foot.append(start, el("span", "tm-quiet", words.story.start_key));
    // In the first visit each scene says itself what can be done.
    player.root.classList.toggle("tm-fresh", visit.isFresh);
    if (!visit.order) body.append(el("p", "tm-opening-hint", visit.isFresh ? words.story.fresh : words.story.click));
    this.node.append(body, foot);
    this.node.hidden = true;
  }

  /** How long it takes and how many questions it has, as far as it says so. */
  size() {
    const { payload, words } = this.player;
    const questions = payload.beats.filter((beat) => beat.choices.length).length;
    return [
      payload.minutes && say(words.story.minutes, { minutes: payload.minutes }),
      questions && say(words.story[questions === 1 ? "question" : "questions"], { count: questions }),
    ]
      .filter(Boolean)
      .join(" · ");
  }

  /** The first step, as the arrow key takes it. */
  step() {
    press(this.player, "ArrowRight");
  }
}
