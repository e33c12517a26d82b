// A question to the class: opened at a question while presenting, answered at /vote, shown as bars. Only for this does
// the player ask the server while it shows a step, and only while such a question is open.
import { el, fill } from "../base/dom.js";
import { say } from "../base/format.js";
import { mark } from "../base/icons.js";
import { embeddedInAddress } from "../frame/place.js";
import { ask } from "../share/desk.js";
/** @import { Fields, StoppingPlace } from "../types/player.d.ts" */
/** @import { PollState, Room } from "../types/lecture.d.ts" */
/** @import { Player } from "../player.js" */

const KEPT_ROOM = "tidemark.room";
const COUNT_EACH = 1500;

export class Poll {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    this.words = player.words.poll;
    this.there = !player.alone && !player.isStudents && !embeddedInAddress();
    this.room = keptRoom();
    /** @type {Room | null} */
    this.view = null;
    this.busy = false;
    this.closed = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** Why the server cannot be asked; "" if it can. */
    this.trouble = "";
    /** What was drawn last, as text: only something different is drawn. */
    this.sign = "";
    this.button = el("button", "tm-button tm-poll-button", null, { type: "button", "aria-keyshortcuts": "V" });
    this.button.addEventListener("click", () => this.key());
    this.strip = el("div", "tm-poll-strip", null, { role: "status" });
    this.sheet = el("section", "tm-card tm-poll-sheet", null, { "aria-label": this.words.results });
    this.door = el("section", "tm-card tm-poll-door", null, { role: "status" });
    /** @type {string | null} the QR code as an address */
    this.picture = null;
    /** @type {HTMLImageElement | null} */
    this.code = null;
    this.strip.hidden = this.door.hidden = this.sheet.hidden = true;
  }

  /** The question that can be put to the class: the one on the screen. */
  get question() {
    return this.there && !this.player.lecture.card.kind ? this.player.present.question : null;
  }

  /** The room that was asked the question on the screen; null if it was not asked. */
  get here() {
    const { question, view } = this;
    return question && view?.asked === `${this.player.payload.name} ${question.step}` ? view : null;
  }

  /** Whether the class can be asked: not once the answer is on the screen. */
  get offered() {
    return this.here !== null || (this.question !== null && this.player.present.asks);
  }

  get collects() {
    return this.here?.open ?? false;
  }

  get sheetIsOpen() {
    return !this.sheet.hidden;
  }

  /**
   * What the notes window shows of it; null where nothing can be asked.
   * @returns {PollState | null}
   */
  state() {
    if (!this.offered) return null;
    if (!this.here) return { open: false, code: "", answers: 0 };
    const { code, open, answers, counts } = this.here;
    return { code, open, answers, address: this.address, counts };
  }

  /** Where the class answers: what is typed into a phone. */
  get address() {
    return this.url.href.slice(this.url.protocol.length + 2);
  }

  get url() {
    return new URL("vote", window.location.href);
  }

  /** Its key: asks the room, then shows what it answered, then hides and shows that in turn. */
  key() {
    if (!this.offered || this.busy) return undefined;
    if (!this.here) return this.open();
    if (this.collects) return this.results();
    this.sheet.hidden = !this.sheet.hidden;
    return undefined;
  }

  async open() {
    this.player.transport.stop();
    if (await this.tell("ask", { step: this.question?.step, address: this.url.href })) this.goOn();
  }

  /** No more answers; the right one is shown with what was chosen. */
  async results() {
    this.rest();
    if (!(await this.tell("show"))) return;
    this.player.present.tellAnswer();
    this.sheet.hidden = false;
    this.draw();
  }

  /**
   * Asks the server; true if the room exists.
   * @param {string} kind
   * @param {Fields} [fields]
   */
  async tell(kind, fields = {}) {
    this.busy = kind !== "count";
    const answer = await ask(`room-${kind}`, { ...this.room, ...fields }).catch(() => null);
    this.busy = false;
    if (this.closed) return false;
    if (!answer) {
      this.view = null;
      this.trouble = this.words.unanswered;
    } else if (answer.said.gone || answer.said.problem !== undefined) {
      this.view = null;
      this.trouble = this.words.gone;
    } else {
      const { said } = answer;
      this.trouble = "";
      this.view = said;
      if (kind === "ask") this.picture = said.door ?? null;
      this.keep({ code: said.code, token: said.token });
    }
    this.draw();
    this.player.notes.tell();
    return this.view !== null;
  }

  /** Counts repeatedly while answers are accepted. */
  goOn() {
    this.rest();
    if (!this.collects) return;
    this.timer = setTimeout(async () => {
      if (this.collects && (await this.tell("count"))) this.goOn();
    }, COUNT_EACH);
  }

  rest() {
    clearTimeout(this.timer);
  }

  /** @param {{ code: string, token: string }} room */
  keep(room) {
    this.room = room;
    try {
      window.localStorage.setItem(KEPT_ROOM, JSON.stringify(room));
    } catch {
      // Where nothing may be kept, a reload opens another room.
    }
  }

  /** Leaving an open question closes it. */
  show() {
    if (this.view?.open && !this.here && !this.busy) {
      this.rest();
      this.view = { ...this.view, open: false };
      ask("room-close", this.room).catch(() => null);
    }
    if (!this.here) this.sheet.hidden = true;
    this.draw();
  }

  hide() {
    this.sheet.hidden = true;
  }

  // --- what is seen ------------------------------------------------------------------------------------------------

  draw() {
    const { words, view, here, collects, question } = this;
    this.button.hidden = !this.offered;
    fill(
      this.button,
      document.createTextNode(!here ? words.ask : collects ? words.show : words.again),
      el("kbd", "", "V"),
    );
    const sign = JSON.stringify([here !== null, collects, view?.code, view?.answers, this.trouble]);
    if (this.sign !== sign) {
      this.sign = sign;
      // With a QR code the invitation has a card of its own, between the picture and the question.
      const apart = collects && Boolean(this.picture);
      this.door.hidden = !apart;
      this.strip.hidden = apart || !(collects || this.trouble);
      this.player.root.classList.toggle("tm-with-door", apart);
      this.strip.parentElement?.classList.toggle("tm-collecting", !this.strip.hidden);
      const parts = collects && here ? this.invitation(here) : [el("p", "", this.trouble)];
      if (apart && this.picture) this.invite(parts, this.picture);
      else fill(this.strip, ...parts);
      this.player.present.panel.fit();
    }
    if (this.sheetIsOpen && here && question) fill(this.sheet, ...this.bars(here, question));
  }

  /** @param {Room} view */
  invitation(view) {
    const { words } = this;
    const where = el("p", "tm-poll-where");
    where.append(el("span", "tm-poll-address", this.address), el("b", "tm-poll-code", view.code));
    const answers = el(
      "p",
      "tm-poll-answers",
      view.answers === 1 ? words.answers_one : say(words.answers, { count: view.answers }),
    );
    if (!this.picture) answers.append(el("span", "tm-poll-hint", words.this_machine));
    return [where, answers];
  }

  /**
   * The card with the QR code, which is kept while answers are counted.
   * @param {Node[]} parts
   * @param {string} picture
   */
  invite(parts, picture) {
    if (!this.code || this.code.src !== picture) {
      this.code = el("img", "tm-poll-qr", null, {
        src: picture,
        alt: say(this.words.door, { address: this.address }),
      });
    }
    const said = el("div", "tm-poll-said");
    said.append(...parts);
    if (this.code.parentElement === this.door) this.door.lastChild?.replaceWith(said);
    else fill(this.door, this.code, said);
  }

  /**
   * @param {Room} view
   * @param {StoppingPlace} question
   */
  bars(view, question) {
    const { words } = this;
    const most = Math.max(1, ...view.counts);
    const list = el("ol", "tm-poll-bars");
    question.choices.forEach((text, index) => {
      const right = index === question.answer;
      const count = view.counts[index];
      const item = el("li", right ? "tm-is-right" : "");
      const number = el("span", "tm-poll-number");
      number.append(mark(right ? "right" : "dropped"));
      const said = el("p", "tm-poll-text", text);
      said.append(
        el(
          "span",
          "tm-visually-hidden",
          ` (${right ? this.player.words.present.right : this.player.words.present.wrong})`,
        ),
      );
      const bar = el("div", "tm-poll-bar", null, { "aria-hidden": "true" });
      const filled = el("i");
      filled.style.width = `${(100 * count) / most}%`;
      bar.append(filled);
      const share = view.answers ? say(words.share, { count, percent: Math.round((100 * count) / view.answers) }) : "0";
      item.append(number, said, bar, el("b", "tm-poll-count", share));
      const more = right ? question.because : count ? question.replies[index] : "";
      if (more) item.append(el("p", "tm-poll-more", more));
      list.append(item);
    });
    const answers = view.answers === 1 ? words.answers_one : say(words.answers, { count: view.answers });
    return [el("p", "tm-poll-head", answers), el("h2", "", question.text), list];
  }

  close() {
    this.closed = true;
    this.rest();
    if (this.view?.open) ask("room-close", this.room).catch(() => null);
  }
}

/**
 * The room that this browser opened last; empty if there is none.
 * @returns {{ code?: string, token?: string }}
 */
function keptRoom() {
  try {
    const kept = JSON.parse(window.localStorage.getItem(KEPT_ROOM) ?? "{}");
    return kept && typeof kept === "object" ? { code: kept.code, token: kept.token } : {};
  } catch {
    return {};
  }
}
