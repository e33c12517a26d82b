// The presenter's second window: the notes of the beat, what comes next, the right answer, the clock, and the way on.
// All it shows is told by the window that presents; the two need no server for that.
import { el, fill } from "../base/dom.js";
import { say } from "../base/format.js";
import { icon } from "../base/icons.js";
import { channelOf } from "./notes_link.js";
/** @import { PlayerWords } from "../types/words.d.ts" */

const ASK_EACH = 2000;
const LOST_AFTER = 6500;
const KEYS_OF_NOTES = {
  PageDown: { kind: "page", direction: 1 },
  ArrowRight: { kind: "page", direction: 1 },
  " ": { kind: "page", direction: 1 },
  PageUp: { kind: "page", direction: -1 },
  ArrowLeft: { kind: "page", direction: -1 },
  ArrowDown: { kind: "step", direction: 1 },
  ArrowUp: { kind: "step", direction: -1 },
  Enter: { kind: "reveal" },
  ".": { kind: "black" },
  b: { kind: "black" },
  v: { kind: "ask" },
  e: { kind: "montage" },
};

/** The presentation that the address names, null where it names none. */
export function notesInAddress() {
  return new URLSearchParams(window.location.search).get("notes");
}

export class NotesWindow {
  /**
   * `words`: {lecture}, until the presenting window says which ones it speaks.
   * @param {HTMLElement} parent
   * @param {string} id
   * @param {PlayerWords} words
   */
  constructor(parent, id, words) {
    this.words = words;
    this.state = null;
    this.heardAt = 0;
    this.node = el("main", "tm-notes", null, { "data-ready": "true" });
    this.lost = el("p", "tm-notes-lost", null, { role: "status" });
    this.time = el("p", "tm-notes-time");
    this.place = el("div", "tm-notes-place");
    this.now = el("section", "tm-notes-now", null, { "aria-live": "polite" });
    this.after = el("section", "tm-notes-next");
    this.foot = el("footer", "tm-notes-foot");
    const head = el("header", "tm-notes-head");
    head.append(this.place, this.time);
    this.node.append(head, this.lost, this.now, this.after, this.foot);
    fill(parent, this.node);
    document.documentElement.classList.add("tm-notes-page");
    this.channel = channelOf(id);
    this.channel.addEventListener("message", ({ data }) => this.hear(data));
    this.onHide = () => this.channel.postMessage({ kind: "bye" });
    this.onKey = (/** @type {MessageEvent} */ event) => this.key(event);
    window.addEventListener("pagehide", this.onHide);
    window.addEventListener("keydown", this.onKey);
    this.began = Date.now();
    this.timer = setInterval(() => this.tick(), 500);
    this.asking = setInterval(() => this.send({ kind: "hello" }), ASK_EACH);
    this.send({ kind: "hello" });
    this.tick();
  }

  /** @param {NotesMessage} message */
  send(message) {
    this.channel.postMessage(message);
  }

  /** @param {any} message */
  hear(message) {
    if (message?.kind === "gone") {
      this.heardAt = 0;
      this.tick();
    } else if (message?.kind === "state") {
      this.heardAt = Date.now();
      const text = JSON.stringify(message);
      if (text !== this.text) {
        this.text = text;
        this.state = message;
        this.words = message.words;
        this.draw();
      }
      this.tick();
    }
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if ((name === " " || name === "Enter") && event.composedPath()[0].tagName === "BUTTON") return;
    const message = KEYS_OF_NOTES[name] ?? (/^[1-9]$/.test(name) ? { kind: "choose", index: Number(name) - 1 } : null);
    if (!message) return;
    event.preventDefault();
    this.send(message);
  }

  // --- what is seen ------------------------------------------------------------------------------------------------

  /** The clock, and whether the other window still answers. */
  tick() {
    const { words, state } = this;
    const now = Date.now();
    const lost = now - this.heardAt > LOST_AFTER && now - this.began > ASK_EACH;
    const said = lost ? (state ? words.lecture.lost : words.lecture.nobody) : "";
    if (this.lost.textContent !== said) this.lost.textContent = said;
    this.node.classList.toggle("tm-lost", lost);
    if (!state) return;
    const elapsed = state.started === null ? 0 : Math.max(0, now - state.started);
    const minutes = Math.floor(elapsed / 60000);
    const clock = `${minutes}:${String(Math.floor(elapsed / 1000) % 60).padStart(2, "0")}`;
    const { plan } = state;
    const late = plan ? Math.floor(elapsed / 60000 - plan.to) + 1 : 0;
    const parts = [el("b", "", clock, { role: "timer", "aria-label": words.lecture.elapsed })];
    if (plan) {
      parts.push(
        el("span", "", say(words.lecture.planned, plan)),
        late > 0 ? el("span", "tm-notes-late", say(words.lecture.behind, { minutes: late })) : null,
      );
    } else if (state.minutes) parts.push(el("span", "", say(words.lecture.planned_alone, { minutes: state.minutes })));
    const sign = JSON.stringify([clock, plan, state.minutes]);
    if (this.timeSign === sign) return;
    this.timeSign = sign;
    fill(this.time, parts);
  }

  draw() {
    const { state, words } = this;
    document.documentElement.lang = state.language || document.documentElement.lang;
    document.title = `${state.title} – ${words.lecture.notes}`;
    const { plan, beat } = state;
    const place = [plan && say(words.lecture.place, plan), beat && say(words.present.beat, beat)];
    fill(this.place, el("h1", "", state.title), el("p", "", place.filter(Boolean).join(" · ")));
    fill(this.now, ...this.nowParts());
    fill(this.after, ...this.nextParts());
    const held = [...this.foot.querySelectorAll("button")].indexOf(document.activeElement);
    fill(this.foot, ...this.footParts());
    this.foot.querySelectorAll("button")[held]?.focus();
  }

  nowParts() {
    const { state, words } = this;
    const parts = [];
    if (state.black) parts.push(el("p", "tm-notes-black", words.lecture.is_black));
    if (!state.presenting) parts.push(el("p", "tm-notes-black", words.lecture.not_presenting));
    if (state.note) {
      const note = el("div", "tm-notes-note");
      note.append(el("h2", "", words.lecture.for_you), el("p", "", state.note));
      parts.push(note);
    }
    if (state.card) parts.push(el("h2", "", words.lecture.card), el("p", "tm-notes-said", state.summary));
    if (state.question) parts.push(...this.questionParts(state.question));
    else if (state.said) parts.push(el("h2", "", words.lecture.on_screen), el("p", "tm-notes-said", state.said));
    return parts;
  }

  /** @param {AskedQuestion} question */
  questionParts({ text, choices, answer, because, wrong, chosen, revealed }) {
    const { words, state } = this;
    const list = el("ol", "tm-notes-choices");
    const { counts } = state.poll ?? {};
    choices.forEach((/** @type {string} */ choice, /** @type {number} */ index) => {
      const item = el("li", index === answer ? "tm-is-answer" : "");
      if (index === chosen) item.classList.add("tm-is-chosen");
      const said = el("div");
      said.append(el("p", "", choice));
      if (wrong[index]) said.append(el("p", "tm-notes-belief", wrong[index]));
      item.append(el("span", "tm-notes-number", String(index + 1)), said);
      if (counts) item.append(el("b", "tm-notes-count", String(counts[index])));
      if (index === answer) item.append(el("span", "tm-notes-right", words.present.right));
      list.append(item);
    });
    return [
      el("h2", "", revealed ? words.lecture.answered : words.lecture.question),
      el("p", "tm-notes-said", text),
      list,
      el("p", "tm-notes-because", because),
    ];
  }

  nextParts() {
    const { state, words } = this;
    const { kind, text } = state.next;
    return [
      el("h2", "", words.lecture.next),
      el("p", "tm-notes-kind", words.lecture.next_kinds[kind]),
      el("p", "tm-notes-preview", text),
    ];
  }

  footParts() {
    const { state, words } = this;
    const button = (
      /** @type {string} */ text,
      /** @type {string} */ cap,
      /** @type {NotesMessage} */ message,
      { look = "", sign = null, pressed } = {},
    ) => {
      const node = el("button", `tm-notes-button ${look}`, null, { type: "button" });
      if (pressed !== undefined) node.setAttribute("aria-pressed", String(pressed));
      if (sign) node.append(icon(sign));
      node.append(el("span", "", text), el("kbd", "", cap));
      node.addEventListener("click", () => this.send(message));
      return node;
    };
    const { question, poll } = state;
    const parts = [
      button(words.lecture.previous, "PgUp", { kind: "page", direction: -1 }, { sign: "fastBack" }),
      button(
        question && !question.revealed ? words.present.reveal : words.lecture.forward,
        "PgDn",
        { kind: "page", direction: 1 },
        { look: "tm-notes-main", sign: "fastForward" },
      ),
    ];
    if (question && poll) {
      parts.push(
        button(poll.open ? words.poll.show : poll.code ? words.poll.again : words.poll.ask, "V", { kind: "ask" }),
      );
    }
    parts.push(
      button(words.lecture.black, "B", { kind: "black" }, { pressed: state.black }),
      button(words.lecture.montage_short, "E", { kind: "montage" }),
      button(words.lecture.restart, "", { kind: "clock" }),
    );
    if (poll?.code) parts.push(el("p", "tm-notes-poll", say(words.poll.state, poll)));
    return parts;
  }

  close() {
    clearInterval(this.timer);
    clearInterval(this.asking);
    window.removeEventListener("pagehide", this.onHide);
    window.removeEventListener("keydown", this.onKey);
    document.documentElement.classList.remove("tm-notes-page");
    this.onHide();
    this.channel.close();
  }
}
