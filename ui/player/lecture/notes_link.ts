// The presenting window's side of the notes window: opens it, reports what is on the screen, and does what it asks.
import { keepText, keptText } from "../base/kept.ts";
import { el, fill, pushButton } from "../base/dom.ts";
import { say } from "../base/format.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { StoppingPlace } from "../types/player.ts";
import type { AskedQuestion, CardKind, NotesReport, NotesRequest, NotesState } from "../types/lecture.ts";
import type { Player } from "../player.ts";

const KEPT_ID = "tidemark.notes";
const SIZE = "popup,width=1180,height=800";
const NOTICE = 12000;
/** What the next press brings where the class is asked, by what it does there. */
const NEXT_OF_VOTE: { [move: string]: NotesState["next"]["kind"] | undefined } = {
  ask: "vote",
  pause: "votes",
  votes: "votes",
  again: "second_vote",
  show: "answer",
  belief: "belief",
  hide: "question",
};

/** The channel between the two windows of one presentation. */
export function channelOf(id: string) {
  return new BroadcastChannel(`tidemark-notes-${id}`);
}

export class NotesLink extends PlayerPart {
  id: string = keptId();
  /** The last report, as text: only a different one is sent. */
  reported = "";
  /** null until `start` and after `close` */
  channel: BroadcastChannel | null = null;
  passing?: ReturnType<typeof setTimeout>;
  saysClosed = false;
  onHide = () => this.send({ kind: "gone" });
  notice = el("div", "tm-notes-notice", null, { role: "status" });
  button = pushButton("tm-button tm-plain tm-open-notes", this.player.words.lecture.notes, () => this.open());

  constructor(player: Player) {
    super(player);
    this.notice.hidden = true;
    this.button.append(el("kbd", "", "N"));
  }

  start() {
    if (this.player.embed.on) return; // nobody presents from a frame, and frames of one page have one id
    this.channel = channelOf(this.id);
    this.channel.addEventListener("message", ({ data }) => this.hear(data));
    window.addEventListener("pagehide", this.onHide);
    this.tell(true);
  }

  get address() {
    const url = new URL(window.location.href);
    url.search = new URLSearchParams({ notes: this.id }).toString();
    url.hash = "";
    return url.href;
  }

  /** Opens the second window, or says that the browser did not let it open. */
  open() {
    const window2 = window.open(this.address, `tidemark-notes-${this.id}`, SIZE);
    if (window2) {
      this.say(null);
      window2.focus();
      return;
    }
    const link = el("a", "", this.player.words.lecture.open_here, { href: this.address, target: "_blank" });
    this.say([`${this.player.words.lecture.blocked} `, link], false);
  }

  /**
   * Shows a line at the top of the screen.
   * @param parts null takes it away
   */
  say(parts: (Node | string)[] | null, passes = true) {
    clearTimeout(this.passing);
    this.saysClosed = false;
    this.notice.hidden = parts === null;
    if (parts === null) return;
    const close = pushButton("tm-button", this.player.words.close, () => this.say(null));
    fill(this.notice, fill(el("p"), ...parts), close);
    if (passes) this.passing = setTimeout(() => this.say(null), NOTICE);
  }

  hear(asked: NotesRequest | null) {
    const { player } = this;
    const { present, poll, lecture } = player;
    switch (asked?.kind) {
      case "hello":
        // A window that was reloaded said goodbye first.
        if (this.saysClosed) this.say(null);
        this.tell(true);
        return;
      case "bye":
        this.say([player.words.lecture.closed]);
        this.saysClosed = true;
        return;
      case "page":
        present.page(asked.direction > 0 ? 1 : -1);
        break;
      case "step":
        player.go(player.step + (asked.direction > 0 ? 1 : -1));
        break;
      case "reveal":
        present.reveal();
        break;
      case "choose":
        present.choose(asked.index);
        break;
      case "black":
        present.blacken();
        break;
      case "ask":
        poll.key();
        break;
      case "montage":
        lecture.montage.toggle();
        break;
      case "why":
        player.why.cycle();
        break;
      case "entries":
        player.drawers.toggle("state");
        break;
      case "light":
        present.spotlight.turn();
        break;
      case "clock":
        lecture.clock.start();
        break;
      default:
        return;
    }
    player.place.at(player.step);
    this.tell();
  }

  show() {
    this.tell();
  }

  /** Sends what is on the screen; the same again only if it was asked for. */
  tell(again = false) {
    // What only passes by on the way to a beat is nothing to read.
    if (!this.channel || (this.player.present.way.moves && !again)) return;
    const state = this.state();
    const text = JSON.stringify(state);
    if (!again && text === this.reported) return;
    this.reported = text;
    this.send(state);
  }

  send(report: NotesReport) {
    this.channel?.postMessage(report);
  }

  state(): NotesState {
    const { player } = this;
    const { present, payload, lecture, poll, words } = player;
    const { beats, question } = present;
    const { kind: card, of } = lecture.card;
    const reached = beats.findLastIndex((beat) => beat.step <= player.step);
    const beat = beats[reached];
    const here = beat?.step === player.step;
    const { what, why } = present.sentences();
    return {
      kind: "state",
      language: document.documentElement.lang,
      words: { lecture: words.lecture, present: words.present, poll: words.poll },
      title: of?.title ?? payload.title,
      presenting: present.on,
      card,
      plan: of ? null : lecture.plan,
      minutes: payload.minutes ?? 0,
      started: lecture.clock.started,
      step: player.step,
      last: player.last,
      beat: card || !here ? null : { number: reached + 1, count: beats.length },
      said: question || card ? "" : [what, why].filter(Boolean).join(" "),
      summary:
        card === "title"
          ? (lecture.order?.scenarios.find((each) => each.name === (of?.name ?? payload.name))?.summary ?? "")
          : "",
      note: here && !card ? (beat.note ?? "") : "",
      question: question && !card ? this.asked(question) : null,
      next: this.next(card),
      black: !present.black.hidden,
      poll: poll.state(),
    };
  }

  asked(question: StoppingPlace): AskedQuestion {
    const { present } = this.player;
    const { text, choices, answer, because, replies } = question;
    return { text, choices, answer, because, replies, chosen: present.chosen, revealed: present.revealed };
  }

  /** What the next press brings. */
  next(card: CardKind | null): NotesState["next"] {
    const { present, lecture, poll, words, payload } = this.player;
    if (card === "end") return { kind: "end", text: "" };
    const coming = card ? present.beats[0] : present.beats.find((beat) => beat.step > this.player.step);
    const ofVote = card ? undefined : NEXT_OF_VOTE[poll.ahead(1)];
    if (ofVote) return { kind: ofVote, text: "" };
    if (present.asks && !card) return { kind: "answer", text: "" };
    if (coming && !lecture.card.of) return { kind: coming.choices.length ? "question" : "beat", text: coming.text };
    const { order } = lecture;
    if (!order) return { kind: "end", text: "" };
    if (lecture.card.of) return { kind: "beat", text: "" };
    const following = order.scenarios[lecture.index + 1];
    return following
      ? { kind: "scenario", text: following.title }
      : { kind: "end", text: say(words.lecture.end_of, { title: order.title ?? payload.title }) };
  }

  close() {
    clearTimeout(this.passing);
    if (!this.channel) return;
    window.removeEventListener("pagehide", this.onHide);
    if (!this.player.lecture.handsOver) this.onHide();
    this.channel.close();
    this.channel = null;
  }
}

/** The name of this tab's presentation, which survives a reload. */
function keptId() {
  const fresh = () => Array.from(crypto.getRandomValues(new Uint8Array(6)), (each) => each.toString(36)).join("");
  const id = keptText(KEPT_ID, "tab") || fresh();
  keepText(KEPT_ID, id, "tab");
  return id;
}
