// A scenario as a story: what it is about before the first step, what it showed after the last.
import { compareAddress, opensHere, ownInAddress, stepInAddress } from "../base/address.ts";
import { EndCard } from "./end_card.ts";
import { say, sentences } from "../base/format.ts";
import { el, fill, icon, pushButton } from "../base/dom.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { Player } from "../player.ts";

export class Story extends PlayerPart {
  texts = this.player.payload.story;
  /** Whether the reader is still before the first step. */
  before: boolean = stepInAddress(this.player.payload.name) === null && this.player.step === 0;
  /** Whether what it showed was asked for although a question is still open at the last step. */
  asked = false;
  opening = new Opening(this.player);
  ending = new Ending(this.player);

  /** A link that names a step opens exactly that step; any other one begins with the opening. */
  constructor(player: Player) {
    super(player);
    player.place.begun = !this.before;
  }

  /** What is read before the first step: what to look for, or what it is about. */
  get first() {
    return this.texts.look_for || this.texts.summary;
  }

  /** Page Up before the first beat. */
  begin() {
    this.follow(null);
  }

  /** Goes to the step that an address names; to the opening where it names none. */
  follow(step: number | null) {
    const { player } = this;
    const before = step === null;
    if (player.step === (step ?? 0) && this.before === before) return;
    this.before = before;
    player.place.begun = !before;
    if (player.step === (step ?? 0)) player.paint();
    else player.go(step ?? 0);
  }

  /** Page Down after the last beat. */
  end() {
    const { player } = this;
    if (player.step < player.last) player.go(player.last);
    else {
      this.asked = true;
      player.paint();
    }
  }

  /** Whether the reader stands at the last step and nothing is asked there any more. */
  get isOver() {
    const { player, asked } = this;
    return player.step === player.last && (asked || !player.root.classList.contains("tm-asking"));
  }

  show() {
    const { player } = this;
    if (player.step > 0 && this.before) {
      this.before = false;
      player.place.begun = true;
    }
    if (player.step < player.last) this.asked = false;
    const opens = this.before && !player.present.on && !player.drawers.open;
    const ends = this.isOver && !player.present.on && !player.drawers.open;
    this.opening.node.hidden = !opens;
    this.ending.show(ends);
    player.root.classList.toggle("tm-opening-story", opens);
    player.root.classList.toggle("tm-ending-story", ends);
  }

  /** What is said instead of the step's sentences while presenting or in a course page; null for nothing. */
  sentences() {
    const { player, texts } = this;
    if (this.before && this.first) return { what: player.present.on ? "" : player.payload.title, why: this.first };
    if (player.step === player.last && texts.takeaway) return { what: "", why: texts.takeaway };
    return null;
  }

  /** What is read out before the first step; null afterwards. */
  spoken() {
    if (!this.before || this.player.present.on) return null;
    return sentences(this.player.payload.title, this.texts.summary, this.texts.look_for);
  }
}

// After the last step: what the run showed, and where to go next.

class Ending extends EndCard {
  constructor(player: Player) {
    super(player, "tm-ending", player.words.story.takeaway);
  }

  parts() {
    const { payload, words } = this.player;
    const { takeaway } = payload.story;
    const foot = fill(el("div", "tm-story-foot"), ...this.ways());
    return [
      el("h2", "", takeaway ? words.story.takeaway : say(words.story.over, { title: payload.title })),
      takeaway ? el("p", "tm-ending-text", takeaway) : null,
      foot,
    ];
  }

  /** Where to go from here; a page without a server leads nowhere. */
  ways() {
    const { player } = this;
    const { words } = player;
    if (player.alone) return [];
    const { next } = this;
    const ways: HTMLElement[] = [];
    if (next) {
      const button = pushButton("tm-button tm-primary tm-next-scenario", null, () => {
        player.transport.stop();
        player.open(next.name);
      });
      button.append(el("span", "", say(words.story.next, { title: next.title })), icon("forward"));
      ways.push(button);
    }
    const compare = compareAddress(player.payload.name);
    ways.push(this.way(words.story.compare, compare), this.way(words.story.library, "./library"));
    return ways;
  }

  /** A link to another page. */
  way(text: string, href: string) {
    return opensHere(el("a", "tm-button tm-plain", text, { href }));
  }

  /** The next scenario in the order of the lessons; null after the last one, and for a reader's own. */
  get next() {
    const { library, name } = this.player.payload;
    if (ownInAddress()) return null;
    const here = library.findIndex((each) => each.name === name);
    return here < 0 ? null : (library[here + 1] ?? null);
  }
}

// Before the first step, in the place of what happened: what the scenario is about and what to look for.

/** Does what a key does at the desk. */
export function press(player: Player, key: string) {
  player.commands.find((each) => each.keys.includes(key) && each.mode !== "lecture")?.run();
}

class Opening extends PlayerPart {
  node = el("section", "tm-card tm-opening", null, { "aria-label": this.player.words.story.opening });

  constructor(player: Player) {
    super(player);
    const { payload, words } = player;
    const { summary, look_for: lookFor } = payload.story;
    const body = el("div", "tm-opening-text");
    const { visit } = player;
    // The opening has said it.
    const about = visit.order && visit.index === 0 && !visit.overture && el("p", "tm-visit-about", visit.order.about);
    body.append(about || el("p", "tm-opening-size", this.size()), el("h2", "", payload.title));
    if (summary) body.append(el("p", "tm-opening-summary", summary));
    if (lookFor) {
      const look = fill(el("p", "tm-opening-look"), el("b", "", words.story.look_for), el("span", "", lookFor));
      body.append(look);
    }
    const start = pushButton("tm-button tm-primary tm-start", words.story.start, () => this.step());
    start.append(icon("forward"));
    const foot = fill(el("div", "tm-story-foot"), start, el("span", "tm-quiet", words.story.start_key));
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
