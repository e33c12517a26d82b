// What stands around a scene of the first visit: how far it has come, the way out, and the one button that leads on.
import { el, fill } from "../base/dom.ts";
import { say } from "../base/format.ts";
import { icon } from "../base/icons.ts";
import type { Player } from "../player.ts";
import type { Visit } from "./visit.ts";

export class VisitFrame {
  player: Player;
  visit: Visit;
  head = el("header", "tm-visit-head");
  controls = el("div", "tm-visit-controls");
  scenes?: HTMLOListElement;
  skip?: HTMLButtonElement;
  backButton?: HTMLButtonElement;
  button?: HTMLButtonElement;

  constructor(player: Player, visit: Visit) {
    this.player = player;
    this.visit = visit;
    this.head.hidden = this.controls.hidden = !visit.on;
    if (!visit.order) return;
    const { words } = player;
    const scenes = el("ol", "tm-visit-scenes", null, { "aria-label": words.visit.scenes });
    scenes.append(...visit.order.scenes.map((each, index) => this.scene(each, index)));
    const skip = el("button", "tm-button tm-plain tm-visit-skip", words.visit.skip, { type: "button" });
    skip.addEventListener("click", () => visit.leave());
    this.head.append(el("h1", "", visit.order.title), scenes, el("span", "tm-spring"), skip);
    const back = el("button", "tm-button tm-visit-back", null, { type: "button", "aria-label": words.visit.back });
    back.append(icon("back"), el("span", "tm-label", words.visit.back));
    back.addEventListener("click", () => visit.back());
    const button = el("button", "tm-button tm-primary tm-visit-on", null, { type: "button" });
    button.addEventListener("click", () => visit.forward());
    this.controls.append(back, button);
    this.scenes = scenes;
    this.skip = skip;
    this.backButton = back;
    this.button = button;
  }

  scene({ name, title }: { name: string; title: string }, index: number) {
    const item = el("li");
    const button = el("button", "", String(index + 1), { type: "button", title });
    button.addEventListener("click", () => (this.visit.over ? this.visit.reopen(name) : this.visit.go(name)));
    item.append(button);
    return item;
  }

  /** Which scenes are over, and which one is open. */
  showScenes() {
    const { visit, player } = this;
    this.scenes?.querySelectorAll("button").forEach((button, index) => {
      const done = visit.kept.done.includes(visit.order?.scenes[index].name ?? "");
      const said = player.words.visit[done ? "scene_done" : "scene"];
      button.setAttribute("aria-label", say(said, { number: index + 1, title: button.title }));
      button.classList.toggle("tm-visit-done", done);
      if (index === visit.index && !visit.over) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    });
  }

  show() {
    const { visit, player } = this;
    if (!visit.on || !this.button) return;
    const { text, arrow } = this.label();
    this.showScenes();
    this.controls.hidden = visit.over;
    if (this.skip) this.skip.hidden = visit.over;
    // A button that turns off loses the focus: the question takes it, once it is there.
    if (visit.asks && document.activeElement === this.button) requestAnimationFrame(() => visit.halts());
    this.button.disabled = visit.asks;
    fill(this.button, el("span", "", text), arrow ? icon("forward") : null);
    if (this.backButton) this.backButton.hidden = player.step === 0 && visit.index === 0 && !player.tryouts.now;
  }

  /** What the button says: it always leads on. */
  label() {
    const { visit, player } = this;
    const { words } = player;
    if (player.story.before) return { text: words.story.start, arrow: true };
    if (visit.asks) return { text: words.visit.answer, arrow: false };
    if (!player.story.isOver) return { text: words.visit.step, arrow: true };
    if (player.tryouts.now) return { text: words.tryout.back, arrow: false };
    if (visit.next) return { text: say(words.story.next, { title: visit.next.title }), arrow: true };
    return { text: words.visit.finish, arrow: true };
  }
}
