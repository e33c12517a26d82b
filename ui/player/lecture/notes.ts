// The presenter's second window: the notes of the beat, what comes next, the right answer, the clock, and the controls.
// All it shows comes from the presenting window over a channel between the two, without a server.
import { inAddress } from "../base/address.ts";
import { el, fill, icon, pushButton } from "../base/dom.ts";
import { say } from "../base/format.ts";
import { channelOf } from "./notes_link.ts";
import type { Child } from "../types/player.ts";
import type { AskedQuestion, NotesReport, NotesRequest, NotesState, NotesWords } from "../types/lecture.ts";

const ASK_EACH = 2000;
const LOST_AFTER = 6500;
const KEYS_OF_NOTES: { [key: string]: NotesRequest | undefined } = {
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
  w: { kind: "why" },
  i: { kind: "entries" },
  s: { kind: "light" },
};

/** The presentation that the address names, null where it names none. */
export function notesInAddress() {
  return inAddress("notes");
}

export class NotesWindow {
  words: NotesWords;
  state: NotesState | null = null;
  /** The last state and the last clock, as text: only a different one is drawn. */
  text = "";
  timeSign = "";
  heardAt = 0;
  node = el("main", "tm-notes", null, { "data-ready": "true" });
  lost = el("p", "tm-notes-lost", null, { role: "status" });
  time = el("p", "tm-notes-time");
  place = el("div", "tm-notes-place");
  now = el("section", "tm-notes-now", null, { "aria-live": "polite" });
  after = el("section", "tm-notes-next");
  foot = el("footer", "tm-notes-foot");
  channel: BroadcastChannel;
  onHide;
  onKey;
  began: number = Date.now();
  timer: number;
  asking: number;

  /**
   * @param id of the presentation
   * @param words until the presenting window sends those of its own language
   */
  constructor(parent: HTMLElement, id: string, words: NotesWords) {
    this.words = words;
    const head = fill(el("header", "tm-notes-head"), this.place, this.time);
    this.node.append(head, this.lost, this.now, this.after, this.foot);
    fill(parent, this.node);
    document.documentElement.classList.add("tm-notes-page");
    this.channel = channelOf(id);
    this.channel.addEventListener("message", ({ data }) => this.hear(data));
    this.onHide = () => this.channel.postMessage({ kind: "bye" });
    this.onKey = (event: KeyboardEvent) => this.key(event);
    window.addEventListener("pagehide", this.onHide);
    window.addEventListener("keydown", this.onKey);
    this.timer = setInterval(() => this.tick(), 500);
    this.asking = setInterval(() => this.send({ kind: "hello" }), ASK_EACH);
    this.send({ kind: "hello" });
    this.tick();
  }

  send(message: NotesRequest) {
    this.channel.postMessage(message);
  }

  hear(message: NotesReport | null) {
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
        this.draw(message);
      }
      this.tick();
    }
  }

  key(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if ((name === " " || name === "Enter") && event.composedPath()[0] instanceof HTMLButtonElement) return;
    const request = KEYS_OF_NOTES[name];
    if (!request && !/^[1-9]$/.test(name)) return;
    event.preventDefault();
    this.send(request ?? { kind: "choose", index: Number(name) - 1 });
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
    const planned = plan?.planned;
    const late = planned ? Math.floor(elapsed / 60000 - planned.to) + 1 : 0;
    const parts: Child[] = [el("b", "", clock, { role: "timer", "aria-label": words.lecture.elapsed })];
    if (planned) {
      parts.push(
        el("span", "", say(words.lecture.planned, planned)),
        late > 0 ? el("span", "tm-notes-late", say(words.lecture.behind, { minutes: late })) : null,
      );
    } else if (!plan && state.minutes) {
      parts.push(el("span", "", say(words.lecture.planned_alone, { minutes: state.minutes })));
    }
    if (plan?.missing.length) {
      parts.push(el("span", "tm-notes-late", say(words.lecture.missing, { names: plan.missing.join(", ") })));
    }
    const sign = JSON.stringify([clock, plan, state.minutes]);
    if (this.timeSign === sign) return;
    this.timeSign = sign;
    fill(this.time, parts);
  }

  draw(state: NotesState) {
    const { words } = this;
    document.documentElement.lang = state.language || document.documentElement.lang;
    document.title = `${state.title} – ${words.lecture.notes}`;
    const { plan, beat } = state;
    const place = [plan && say(words.lecture.place, plan), beat && say(words.present.beat, beat)];
    fill(this.place, el("h1", "", state.title), el("p", "", place.filter(Boolean).join(" · ")));
    fill(this.now, ...this.nowParts(state));
    fill(this.after, ...this.nextParts(state));
    const held = [...this.foot.querySelectorAll("button")].findIndex((each) => each === document.activeElement);
    fill(this.foot, ...this.footParts(state));
    this.foot.querySelectorAll("button")[held]?.focus();
  }

  nowParts(state: NotesState) {
    const { words } = this;
    const parts: HTMLElement[] = [];
    if (state.black) parts.push(el("p", "tm-notes-black", words.lecture.is_black));
    if (!state.presenting) parts.push(el("p", "tm-notes-black", words.lecture.not_presenting));
    if (state.note) {
      const note = fill(el("div", "tm-notes-note"), el("h2", "", words.lecture.for_you), el("p", "", state.note));
      parts.push(note);
    }
    if (state.card) parts.push(el("h2", "", words.lecture.card), el("p", "tm-notes-said", state.summary));
    if (state.question) {
      parts.push(...this.questionParts({ ...state.question, ...state.poll?.asked }, state.poll?.asked?.votes));
    } else if (state.said) parts.push(el("h2", "", words.lecture.on_screen), el("p", "tm-notes-said", state.said));
    return parts;
  }

  /** @param votes of the room: the number of answers by choice */
  questionParts({ text, choices, answer, because, replies, chosen, revealed }: AskedQuestion, votes?: number[][]) {
    const { words } = this;
    const list = el("ol", "tm-notes-choices");
    choices.forEach((choice, index) => {
      const item = el("li", index === answer ? "tm-is-answer" : "");
      if (index === chosen) item.classList.add("tm-is-chosen");
      const said = fill(el("div"), el("p", "", choice));
      if (replies[index]) said.append(el("p", "tm-notes-belief", replies[index]));
      item.append(el("span", "tm-notes-number", String(index + 1)), said);
      if (votes) item.append(el("b", "tm-notes-count", votes.map((counts) => counts[index]).join(" → ")));
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

  nextParts({ next }: NotesState) {
    const { words } = this;
    const { kind, text } = next;
    return [
      el("h2", "", words.lecture.next),
      el("p", "tm-notes-kind", words.lecture.next_kinds[kind]),
      el("p", "tm-notes-preview", text),
    ];
  }

  button(
    text: string,
    cap: string,
    request: NotesRequest,
    { look = "", sign, pressed }: { look?: string; sign?: string; pressed?: boolean } = {},
  ) {
    const node = pushButton(`tm-notes-button ${look}`, null, () => this.send(request));
    if (pressed !== undefined) node.setAttribute("aria-pressed", String(pressed));
    if (sign) node.append(icon(sign));
    node.append(el("span", "", text), el("kbd", "", cap));
    return node;
  }

  footParts({ question, poll, black }: NotesState) {
    const { words } = this;
    const parts: HTMLElement[] = [
      this.button(words.lecture.previous, "PgUp", { kind: "page", direction: -1 }, { sign: "fastBack" }),
      this.button(
        question && !question.revealed ? (poll?.code ? poll.next : words.present.reveal) : words.lecture.forward,
        "PgDn",
        { kind: "page", direction: 1 },
        { look: "tm-notes-main", sign: "fastForward" },
      ),
    ];
    if (question && poll) {
      parts.push(this.button(poll.next, "V", { kind: "ask" }));
      if (poll.skips) parts.push(this.button(words.poll.show, "Enter", { kind: "reveal" }));
    }
    parts.push(
      this.button(words.lecture.black, "B", { kind: "black" }, { pressed: black }),
      this.button(words.lecture.montage_short, "E", { kind: "montage" }),
      this.button(words.lecture.restart, "", { kind: "clock" }),
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
