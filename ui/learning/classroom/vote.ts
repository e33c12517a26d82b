// The page on which the class answers: the code of the room, the question, its choices as large buttons.
import { inAddress } from "../../player/base/address.ts";
import { dataNodes, el, fill, pushButton } from "../../player/base/dom.ts";
import { say } from "../../player/base/format.ts";
import { readKept, writeKept } from "../../player/base/kept.ts";
import { Asking, mounting } from "../../pages/kit.ts";
import type { Asked, Given, Kept, RoomAnswer, Sent, VoteFirst } from "./types.ts";
import type { VoteWords } from "#types/words";

const KEPT_VOTE = "tidemark.vote";
// A browser that waits for a question looks more often than one that has answered and waits for the result.
const LOOK_EACH = 2000;
const LOOK_ANSWERED = 4000;
const LOOK_SPREAD = 1000;
const CODE = /^[A-Z]{5}$/;

class VotePage {
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
    const linked = (inAddress("room") ?? "").toUpperCase();
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
    const leave = pushButton("tm-vote-leave", words.leave, () => {
      this.kept = {};
      this.told = null;
      this.next = null;
      this.keep();
      clearTimeout(this.timer);
      this.asking.forget();
      this.draw();
    });
    const head = fill(el("div", "tm-vote-head"), el("p", "", say(words.room, { code: this.kept.code })), leave);
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

// The question on the page of the class: its choices or another way of answering, and what is said below.

function questionParts(page: VotePage, told: RoomAnswer) {
  return [...answering(page, told), ...after(page, told)];
}

/** How the question is answered, or what was right. */
function answering(page: VotePage, told: RoomAnswer) {
  const { words } = page;
  if (told.way === "choose") return [choices(page, told, told.choices ?? [])];
  if (typeof told.vote === "number") {
    const now = page.draft ?? page.answerIn(told.vote);
    const changed = (given: Given) => {
      page.draft = given;
    };
    const none = told.way === "tap" ? [] : told.way === "drag" ? (told.origin ?? 0) : null;
    return [
      controls(told, words, now, changed, () => {
        const given = page.draft ?? page.answerIn(told.vote ?? 0) ?? none;
        if (given !== null) page.answer(given);
      }),
    ];
  }
  if (told.stage !== "shown") return [];
  const right = el(
    "p",
    "tm-vote-choice tm-is-right",
    say(words.right_is, { answer: told.choices?.[told.answer ?? -1] }),
  );
  const parts = [right, el("p", "tm-vote-belief", told.because)];
  const { chosen } = told;
  if (typeof chosen === "number" && chosen !== told.answer) {
    parts.push(el("p", "tm-vote-belief", told.replies?.[chosen]));
  }
  return parts;
}

function choices(page: VotePage, told: RoomAnswer, texts: string[]) {
  const { words } = page;
  const list = el("ol", "tm-vote-choices");
  const open = typeof told.vote === "number";
  const first = page.answerIn(0);
  const mine = open ? (page.draft ?? page.answerIn(told.vote ?? 0)) : page.mine;
  texts.forEach((text, index) => {
    const button = pushButton("tm-vote-choice", null, () => page.answer(index), {
      "aria-pressed": String(index === mine),
    });
    button.append(el("span", "", text));
    button.disabled = !open;
    const right = index === told.answer;
    if (right) button.classList.add("tm-is-right");
    const notes = [
      right ? words.right : "",
      !open && index === mine ? words.yours : "",
      index === first && (told.vote === 1 || (!open && first !== mine)) ? words.first : "",
    ].filter(Boolean);
    if (notes.length) button.append(el("b", "", notes.join(" · ")));
    const item = fill(el("li"), button);
    if (told.stage === "shown" && index === mine && !right && told.replies?.[index]) {
      item.append(el("p", "tm-vote-belief", told.replies[index]));
    }
    if (right && told.because) item.append(el("p", "tm-vote-belief", told.because));
    list.append(item);
  });
  return list;
}

/** What stands below: what to do, what was answered, or why an answer does not count. */
function after(page: VotePage, told: RoomAnswer) {
  const { words, refused } = page;
  const parts: HTMLElement[] = [];
  if (refused) {
    parts.push(el("p", "tm-vote-wrong", words.refused[refused], { role: "alert" }));
  }
  if (told.stage === "talk") parts.push(el("p", "tm-vote-said tm-vote-talk", words.talk, { role: "status" }));
  const open = typeof told.vote === "number";
  if (open && !refused) {
    const chosen = page.answerIn(told.vote ?? 0) !== null && !page.sending;
    const todo = told.vote === 1 ? words.second : told.way === "choose" ? words.choose : "";
    parts.push(el("p", "tm-vote-said", chosen ? words.chosen : todo, { role: "status" }));
  }
  if (told.way !== "choose") {
    const [first, second] = [page.answerIn(0), page.answerIn(1)];
    if (first !== null && second !== null) parts.push(own(page, words.first, told, first));
    else if (first !== null && told.vote === 1) parts.push(own(page, words.first, told, first));
    if (page.mine !== null && !(told.vote === 1 && second === null)) {
      parts.push(own(page, words.yours, told, page.mine));
    }
  }
  return parts;
}

function own(page: VotePage, name: string, told: RoomAnswer, given: Given) {
  const line = el("p", "tm-vote-own", `${name}${page.words.colon}`);
  line.append(el("b", "", textOf(told, given, page.words)));
  return line;
}

// The ways of answering that are no list of choices: a number is entered, windows are tapped, a record is dragged.

const MOST_DIGITS = 20;

/** An answer in words. */
function textOf(told: RoomAnswer, given: Given | null | undefined, words: VoteWords) {
  if (given === null || given === undefined) return "";
  if (Array.isArray(given)) {
    return given.map((each) => told.windows?.[each]?.text ?? "").join(" · ") || words.none_tapped;
  }
  if (typeof given === "string") return given;
  return told.places?.[given] ?? told.choices?.[given] ?? "";
}

/**
 * What is used to answer.
 * @param now what is entered, tapped or dragged so far
 * @param changed takes what is so far
 * @param send sends it
 */
function controls(
  told: RoomAnswer,
  words: VoteWords,
  now: Given | null,
  changed: (now: Given) => void,
  send: () => void,
) {
  const form = el("form", "tm-vote-way");
  const button = el("button", "tm-vote-enter", words.send, { type: "submit" });
  if (told.way === "enter") form.append(...numberField(told, words, now, changed));
  else if (told.way === "tap") form.append(...windowButtons(told, words, now, changed));
  else form.append(...recordSlider(told, words, now, changed));
  form.append(button);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send();
  });
  return form;
}

function numberField(told: RoomAnswer, words: VoteWords, now: Given | null, changed: (now: Given) => void) {
  const label = el("label", "", words.number);
  const input = el("input", "tm-vote-number", null, {
    type: "text",
    inputmode: "decimal",
    maxlength: MOST_DIGITS,
    autocomplete: "off",
    required: "",
  });
  input.value = typeof now === "string" ? now : "";
  input.addEventListener("input", () => changed(input.value));
  label.append(input);
  return [label, ...(told.scale === 1 ? [] : [el("p", "tm-vote-quiet", words.seconds)])];
}

function windowButtons(told: RoomAnswer, words: VoteWords, now: Given | null, changed: (now: Given) => void) {
  const tapped = new Set(Array.isArray(now) ? now : []);
  const list = el("div", "tm-vote-windows");
  (told.windows ?? []).forEach(({ text }, index) => {
    const button = el("button", "tm-vote-choice", text, { type: "button", "aria-pressed": String(tapped.has(index)) });
    button.addEventListener("click", () => {
      if (!tapped.delete(index)) tapped.add(index);
      button.setAttribute("aria-pressed", String(tapped.has(index)));
      changed([...tapped]);
    });
    list.append(button);
  });
  return [el("p", "tm-vote-said", words.tap), list];
}

function recordSlider(told: RoomAnswer, words: VoteWords, now: Given | null, changed: (now: Given) => void) {
  const places = told.places ?? [];
  const at = typeof now === "number" ? now : (told.origin ?? 0);
  const shown = el("output", "tm-vote-place", places[at]);
  const slider = el("input", "tm-vote-slider", null, {
    type: "range",
    min: 0,
    max: Math.max(0, places.length - 1),
    step: 1,
    value: at,
    "aria-label": words.drag,
    "aria-valuetext": places[at] ?? "",
  });
  slider.addEventListener("input", () => {
    const place = Number(slider.value);
    shown.textContent = places[place];
    slider.setAttribute("aria-valuetext", places[place]);
    changed(place);
  });
  return [el("p", "tm-vote-said", words.drag), shown, slider];
}
