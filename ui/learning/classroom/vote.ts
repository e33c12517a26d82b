// The page on which the class answers: the code of the room, the question, its choices as large buttons.
import { dataNodes, el, fill } from "../../player/base/dom.ts";
import { say } from "../../player/base/format.ts";
import { readKept, writeKept } from "../../player/base/kept.ts";
import { Asking, mounting } from "../../pages/kit.ts";
import { questionParts } from "./parts.ts";
import type { Asked, Given, Kept, RoomAnswer, Sent, VoteFirst } from "./types.ts";
import type { VoteWords } from "#types/words";

const KEPT_VOTE = "tidemark.vote";
// A browser that waits for a question looks more often than one that has answered and waits for the result.
const LOOK_EACH = 2000;
const LOOK_ANSWERED = 4000;
const LOOK_SPREAD = 1000;
const CODE = /^[A-Z]{5}$/;

export class VotePage {
  words: VoteWords;
  asking: Asking<Omit<Asked, "number">>;
  /** the answer that is to be sent next */
  next: Sent | null = null;
  /** the answer that is under way */
  sent: Sent | null = null;
  timer?: number;
  silent = false;
  /** Why the last answer does not count; "" if it does. */
  refused = "";
  /** what is picked or entered, and maybe not sent yet */
  draft: Given | null;
  /** Whether the room is entered, and the question and the vote to which `draft` belongs, as text. */
  draftOf = "";
  /** the text of this page in each room that it has been in */
  voters: Map<string, string> = new Map();
  sign: string | null = null;
  node = el("main", "tidemark-vote", null, { "data-ready": "true" });
  kept: Kept;
  told: RoomAnswer | null = null;
  onSeen;
  onKept;

  constructor(
    host: HTMLElement,
    { words }: VoteFirst,
    post: (asked: Omit<Asked, "number"> & { number: number }) => void,
  ) {
    this.words = words;
    this.asking = new Asking(post, () => this.unanswered(), 1);
    this.draft = null;
    this.kept = keptVote();
    const linked = (new URLSearchParams(window.location.search).get("room") ?? "").toUpperCase();
    if (CODE.test(linked)) this.take(linked);
    this.onSeen = () => {
      if (!document.hidden) this.look();
    };
    // Another tab of this browser is the same voter: what was answered there is this one's answer, too.
    this.onKept = ({ key }: StorageEvent) => {
      const other = key === KEPT_VOTE ? keptVote() : {};
      if (!other.voter || other.code !== this.kept.code || other.voter !== this.kept.voter) return;
      this.kept = other;
      this.draft = null;
      this.draw();
    };
    document.addEventListener("visibilitychange", this.onSeen);
    window.addEventListener("storage", this.onKept);
    fill(host, this.node);
    this.draw();
    this.look();
  }

  /** Enters the room `code` under a random text of its own, so that no two rooms can know the same reader. */
  take(code: string) {
    if (this.kept.code !== code) this.kept = { code, voter: this.voters.get(code) ?? randomText() };
    if (this.kept.voter) this.voters.set(code, this.kept.voter);
    this.keep();
  }

  keep() {
    writeKept(KEPT_VOTE, this.kept);
  }

  // --- asking ------------------------------------------------------------------------------------------------------

  /** Asks for the room's state, and again every few seconds; an answer is sent first. */
  look(answer: Sent | null = null) {
    clearTimeout(this.timer);
    if (answer) this.next = answer;
    const { code, voter } = this.kept;
    if (!code || (document.hidden && !this.next)) return;
    if (this.asking.waits) return;
    this.sent = this.next;
    this.next = null;
    const kept = this.mine;
    const asked = { code, voter, ...(kept === null ? {} : { kept }), ...(this.sent ?? {}) };
    this.asking.ask(asked).then((told) => this.hear(told));
  }

  unanswered() {
    this.silent = true;
    this.draw();
    this.look();
  }

  hear(told: RoomAnswer) {
    this.silent = false;
    this.told = told;
    if (told.question !== undefined && this.kept.question !== told.question) {
      this.kept = { code: this.kept.code, voter: this.kept.voter, question: told.question };
    }
    if (told.refused === "" && this.sent?.question === told.question) {
      const given = [...(this.kept.given ?? [])];
      if (this.sent) given[this.sent.vote] = this.sent.given;
      this.kept = { ...this.kept, given };
    }
    this.refused = told.refused ?? this.refused;
    if (this.refused) this.draft = null;
    this.sent = null;
    this.keep();
    this.draw();
    clearTimeout(this.timer);
    if (this.next) this.look();
    else this.timer = setTimeout(() => this.look(), this.pause() + Math.random() * LOOK_SPREAD);
  }

  pause() {
    const { vote } = this.told ?? {};
    const answered = typeof vote === "number" && this.answerIn(vote) !== null;
    return answered ? LOOK_ANSWERED : LOOK_EACH;
  }

  /** This browser's own answer in a vote; null if it gave none. */
  answerIn(vote: number) {
    return this.kept.given?.[vote] ?? null;
  }

  /** Whether an answer is on its way, so that the room does not have it yet. */
  get sending() {
    return this.sent !== null || this.next !== null;
  }

  /** Its last answer. */
  get mine() {
    return this.answerIn(1) ?? this.answerIn(0);
  }

  answer(given: Given) {
    const { question, vote } = this.told ?? {};
    if (typeof vote !== "number") return;
    this.refused = "";
    this.draft = given;
    this.look({ question, vote, given });
    this.draw();
  }

  /** The reader may choose another language at any time. */
  speak({ words }: VoteFirst) {
    if (JSON.stringify(words) === JSON.stringify(this.words)) return;
    this.words = words;
    this.sign = null;
    this.draw();
  }

  // --- what is seen ------------------------------------------------------------------------------------------------

  draw() {
    const { words, told, kept } = this;
    const inside = Boolean(kept.code) && told?.room !== false;
    const draftOf = `${inside} ${told?.question} ${told?.vote}`;
    const same = draftOf === this.draftOf;
    if (!same) {
      this.draftOf = draftOf;
      this.draft = null;
      if (told?.refused === undefined) this.refused = "";
    }
    // What is being entered is on the page already: only what was chosen is drawn anew.
    const picked = told?.way === "choose" ? this.draft : null;
    const seen = told && { ...told, number: 0, refused: 0 };
    const sign = JSON.stringify([inside, kept, seen, picked, this.sending, this.refused, this.silent]);
    if (this.sign === sign) return;
    this.sign = sign;
    const held = this.node.contains(document.activeElement);
    const place = this.fields().findIndex((field) => field === document.activeElement);
    fill(
      this.node,
      el("h1", "", words.title, { tabindex: "-1" }),
      ...(inside ? this.room() : this.door()),
      el("p", "tm-vote-quiet", words.anonymous),
    );
    // Another question, or the room, gets the focus itself: a key that is pressed again must neither choose an answer
    // nor leave the room.
    const title = this.node.querySelector("h2") ?? this.node.querySelector("h1");
    if (held) (same && place >= 0 ? this.fields()[place] : title)?.focus();
  }

  /** What can have the focus, in the order of the page. */
  fields() {
    return [...dataNodes(this.node, "button, input")];
  }

  door() {
    const { words, told, kept } = this;
    const form = el("form", "tm-vote-door");
    const label = el("label", "", words.code);
    const input = el("input", "tm-vote-code", null, {
      type: "text",
      maxlength: 5,
      autocomplete: "off",
      autocapitalize: "characters",
      spellcheck: "false",
      "aria-describedby": "tm-vote-hint",
    });
    label.append(input);
    const button = el("button", "tm-vote-enter", words.enter, { type: "submit" });
    form.append(label, el("p", "tm-vote-quiet", words.code_hint, { id: "tm-vote-hint" }), button);
    const wrong = told?.wait ? words.wait_a_moment : told?.worn ? words.too_many_codes : words.no_room;
    if (told?.room === false) form.append(el("p", "tm-vote-wrong", kept.code ? wrong : "", { role: "alert" }));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const code = input.value.trim().toUpperCase();
      this.told = CODE.test(code) ? null : { room: false };
      if (CODE.test(code)) this.take(code);
      else this.kept = { code: "?" };
      this.draw();
      if (CODE.test(code)) this.look();
    });
    return [form];
  }

  room() {
    const { words, told } = this;
    const head = el("div", "tm-vote-head");
    const leave = el("button", "tm-vote-leave", words.leave, { type: "button" });
    leave.addEventListener("click", () => {
      this.kept = {};
      this.told = null;
      this.next = null;
      this.keep();
      clearTimeout(this.timer);
      this.asking.forget();
      this.draw();
    });
    head.append(el("p", "", say(words.room, { code: this.kept.code })), leave);
    const parts = [head];
    if (this.silent) parts.push(el("p", "tm-vote-wrong", words.unanswered, { role: "status" }));
    if (!told) return parts;
    if (!told.text) {
      const over = told.question !== undefined && this.mine !== null;
      return [...parts, el("p", "tm-vote-wait", over ? words.closed : words.wait, { role: "status" })];
    }
    return [...parts, el("h2", "", told.text, { tabindex: "-1" }), ...questionParts(this, told)];
  }

  open() {}

  close() {
    this.asking.forget();
    clearTimeout(this.timer);
    document.removeEventListener("visibilitychange", this.onSeen);
    window.removeEventListener("storage", this.onKept);
  }
}

/** The text by which a browser's second answer replaces its first; it identifies nobody. */
function randomText() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (each) => each.toString(16).padStart(2, "0")).join("");
}

/** The room that this browser is in. */
function keptVote(): Kept {
  const isRoom = (read: any) => CODE.test(read.code) && typeof read.voter === "string";
  return readKept(KEPT_VOTE, (read) => (isRoom(read) ? read : null)) ?? {};
}

export default mounting(VotePage);
