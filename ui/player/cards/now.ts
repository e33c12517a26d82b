// The card that never moves: what happens at this step, why, and the place in the code with its values.
import { CodeLines } from "./code.ts";
import { dataNodes, el, fill, icon, mark, roving, pushButton } from "../base/dom.ts";
import { between, say, textWidth } from "../base/format.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { Player } from "../player.ts";
import type { StoppingPlace } from "../types/player.ts";

// What stands between two words of the trail takes so much room (px); "…" in front of them about as much.
const BETWEEN = 19;
const trailWidth = (word: string) => textWidth(word, 11.8);

/** What happened and why, in the words of the chosen level, and the lines of code that ran. */
export class NowCard extends PlayerPart {
  node: HTMLElement;
  seen: Set<string> = new Set();
  trail = el("div", "tm-trail");
  what = el("p", "tm-what");
  why = el("p", "tm-why");
  beat = el("div", "tm-beat");
  code = new CodeLines(this.player);
  said = el("div", "tm-now-said", null, { role: "group", "aria-label": this.player.words.now });
  notice = new Notice(this.player);

  constructor(player: Player) {
    super(player);
    const { card: node, note, body } = card("now", player.words.now);
    this.node = node;
    note.replaceWith(new LevelSwitch(player).node);
    this.said.append(this.trail, this.what, this.why, this.beat);
    body.append(this.notice.node, this.said, this.code.node);
  }

  show(step: number) {
    const { payload, words } = this.player;
    this.notice.show();
    this.showTrail(this.player.telling.trail(step));
    const { what, why } = this.player.said(step);
    // A word that can be asked about is marked once on the card.
    if (this.what.textContent !== what || this.why.textContent !== why) {
      const { glossary } = this.player;
      this.seen = new Set();
      fill(this.what, glossary.nodes(what, this.seen));
      fill(this.why, glossary.nodes(why, this.seen));
      const exact = this.player.telling.exactly(step);
      this.what.title = exact.what === what ? "" : exact.what;
      this.why.title = exact.why === why ? "" : exact.why;
    }
    const number = payload.beats.findIndex((beat) => beat.step === step);
    const counted = this.player.visit.on ? words.visit.beat : words.beat;
    this.beat.hidden = number < 0;
    this.said.classList.toggle("tm-at-beat", number >= 0);
    this.player.root.classList.toggle("tm-asking", number >= 0 && payload.beats[number].choices.length > 0);
    this.code.show(step);
    this.why.hidden = false;
    if (number >= 0) {
      this.showBeat(payload.beats[number], say(counted, { number: number + 1, count: payload.beats.length }));
    }
    this.said.scrollTop = 0;
  }

  /** Says at a question why playing has stopped, until the next step. */
  rest() {
    const { transport, words } = this.player;
    const number = this.beat.querySelector(".tm-beat-number");
    if (transport.beat?.choices.length) number?.append(` · ${words.rests_at_question}`);
  }

  /** Gives the question the focus, and none of its choices: the key that led here, pressed again, would choose it. */
  focusQuestion() {
    (this.beat.querySelector(".tm-beat-question") as HTMLElement | null)?.focus({ preventScroll: true });
  }

  /** The last micro-steps of this stream item in short words, as many as have room; "…" for those before. */
  showTrail(trail: string[]) {
    const room = this.trail.clientWidth || Infinity;
    const words = trail.filter((word) => word !== "…");
    let first = words.length - 1;
    let wide = trailWidth(words[first]);
    while (
      first > 0 &&
      wide + trailWidth(words[first - 1]) + BETWEEN * (first > 1 || words.length < trail.length ? 2 : 1) <= room
    ) {
      first -= 1;
      wide += trailWidth(words[first]) + BETWEEN;
    }
    const shown = words.slice(first);
    if (first > 0 || words.length < trail.length) shown.unshift("…");
    fill(
      this.trail,
      shown.map((word, index) => el("span", index === shown.length - 1 ? "tm-here" : "", word)),
    );
  }

  /** What the author says here, or asks: then the reason waits for the right choice, and a wrong one has its reply. */
  showBeat(beat: StoppingPlace, number: string) {
    const { asked, glossary } = this.player;
    const question = fill(el("p", "tm-beat-question", null, { tabindex: "-1" }), glossary.nodes(beat.text, this.seen));
    const text = fill(el("div", "tm-beat-text"), el("span", "tm-beat-number", number), question);
    const held = this.beat.contains(document.activeElement);
    const solved = asked.solved(beat);
    const buttons = beat.choices.map((choice, index) => this.choice(beat, choice, index));
    const because = el("p", "tm-because", "", { "aria-live": "polite" });
    const reply = asked.reply(beat);
    if (reply) {
      because.append(
        el("b", reply.right === null ? "" : reply.right ? "tm-said-right" : "tm-said-wrong", reply.verdict),
        between(reply.verdict, reply.text),
        reply.text,
      );
    }
    text.append(...buttons, because);
    if (buttons.length) this.why.hidden = this.code.node.hidden = !solved;
    fill(this.beat, icon("flag"), text);
    // On a phone the page may be on its way down to the picture.
    if (held && buttons.length) this.focusQuestion();
  }

  /** Once the question is answered, the choices that were not tried stay where they are as long as there is room. */
  choice(beat: StoppingPlace, text: string, index: number) {
    const { asked } = this.player;
    const [solved, tried, right] = [asked.solved(beat), asked.tried(beat).includes(index), index === beat.answer];
    const button = pushButton("tm-choice", text, () => asked.choose(index));
    button.classList.toggle("tm-untried", solved && !tried);
    button.disabled = solved || tried;
    if (tried) {
      button.classList.add(right || beat.answer === null ? "tm-right" : "tm-wrong");
      if (beat.answer !== null) button.prepend(mark(right ? "right" : "dropped"));
    }
    return button;
  }
}

// The switch between the three levels of words.

/** One button a level; the chosen one is pressed. */
class LevelSwitch {
  node: HTMLDivElement;

  constructor(player: Player) {
    const { telling, words } = player;
    this.node = el("div", "tm-levels", null, { role: "group", "aria-label": words.levels.label });
    for (const level of telling.levels) {
      const button = pushButton("tm-level", words.levels[level], () => telling.choose(level), { "data-level": level });
      this.node.append(button);
    }
    roving(this.node);
    this.show(telling.level);
    telling.onChange((level) => this.show(level));
  }

  show(level: string) {
    for (const button of dataNodes(this.node, "[data-level]")) {
      button.setAttribute("aria-pressed", String(button.dataset.level === level));
      button.tabIndex = button.dataset.level === level ? 0 : -1;
    }
  }
}

// A line above the words of the step: what a key has just done, until the step changes.

class Notice extends PlayerPart {
  node = el("p", "tm-now-notice");
  step = -1;

  constructor(player: Player) {
    super(player);
    this.node.hidden = true;
  }

  /** Shows `text`, and says it; `action`: a button behind it. */
  tell(text: string, action: { label: string; run: () => void } | null = null) {
    this.step = this.player.step;
    fill(this.node, el("span", "", text));
    if (action) {
      const button = pushButton("tm-button", action.label, action.run);
      this.node.append(button);
    }
    this.node.hidden = false;
    this.player.live.tell(text);
  }

  /** Takes it away when its step has been left. */
  show() {
    if (this.player.step !== this.step) this.clear();
  }

  clear() {
    this.node.hidden = true;
  }
}

// What all cards at the right have in common: a head line, a note, a body.

/** Rows that a card shows at most. */
export const MOST_ROWS = 100;

/** A card with a head line; returns {card, head, note, body}. */
export function card(name: string, title: string) {
  const heading = el("h2", "", title);
  const note = el("span", "tm-card-note");
  const head = fill(el("div", "tm-card-head"), heading, note);
  const body = el("div", "tm-card-body");
  const node = fill(el("section", `tm-card tm-${name}`), head, body);
  return { card: node, head, note, body };
}
