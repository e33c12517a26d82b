// The page on which the class answers: the code of the room, the question, its choices as large buttons.
import { dataNodes, el, fill } from "../player/base/dom.js";
import { say } from "../player/base/format.js";
/** @import { Mounting } from "../player/types/player.d.ts" */
/** @import { VoteWords } from "../player/types/words.d.ts" */
/** @import { Asked, Choice, Kept, RoomAnswer, VoteData } from "./types.d.ts" */

const KEPT_VOTE = "tidemark.vote";
// A browser that waits for a question looks more often than one that has answered and waits for the result.
const LOOK_EACH = 2000;
const LOOK_ANSWERED = 4000;
const LOOK_SPREAD = 1000;
const PATIENCE = 8000;
const CODE = /^[A-Z]{4}$/;
/** @type {WeakMap<HTMLElement, VotePage>} */
const PAGES = new WeakMap();

class VotePage {
  /**
   * @param {HTMLElement} host
   * @param {VoteWords} words
   * @param {(asked: Asked) => void} send
   */
  constructor(host, words, send) {
    this.words = words;
    this.post = send;
    /** @type {Choice | null} the choice that is to be sent next */
    this.chosen = null;
    /** @type {number | undefined} */
    this.timer = undefined;
    /** @type {number | null} the number of the request that has no answer yet */
    this.waiting = null;
    this.silent = false;
    this.refused = false;
    /** @type {number | null} */
    this.picked = null;
    /** @type {number | undefined} the question to which `picked` belongs */
    this.pickedAt = undefined;
    /** @type {string | null} */
    this.sign = null;
    this.node = el("main", "tidemark-vote", null, { "data-ready": "true" });
    this.kept = keptVote();
    const linked = (new URLSearchParams(window.location.search).get("room") ?? "").toUpperCase();
    if (CODE.test(linked)) this.take(linked);
    /** @type {RoomAnswer | null} */
    this.told = null;
    this.number = 0;
    this.onSeen = () => {
      if (!document.hidden) this.look();
    };
    document.addEventListener("visibilitychange", this.onSeen);
    fill(host, this.node);
    this.draw();
    this.look();
  }

  /**
   * Enters the room `code` under a random text of its own, so that no two rooms can know the same reader.
   * @param {string} code
   */
  take(code) {
    if (this.kept.code !== code) this.kept = { code, voter: randomText() };
    this.keep();
  }

  keep() {
    try {
      window.localStorage.setItem(KEPT_VOTE, JSON.stringify(this.kept));
    } catch {
      // Where nothing may be kept, a reload asks for the code again.
    }
  }

  // --- asking ------------------------------------------------------------------------------------------------------

  /**
   * Asks for the room's state, and again every few seconds; a choice is sent first.
   * @param {Choice | null} [choice]
   */
  look(choice = null) {
    clearTimeout(this.timer);
    if (choice) this.chosen = choice;
    if (!this.kept.code || (document.hidden && !this.chosen)) return;
    if (this.waiting) return;
    this.number += 1;
    this.waiting = this.number;
    const sent = this.chosen ?? {};
    this.chosen = null;
    this.post({ number: this.number, code: this.kept.code, voter: this.kept.voter, ...sent });
    this.timer = setTimeout(() => {
      this.waiting = null;
      this.silent = true;
      this.draw();
      this.look();
    }, PATIENCE);
  }

  /** @param {RoomAnswer} told */
  hear(told) {
    if (told.number !== this.waiting) return;
    this.waiting = null;
    this.silent = false;
    this.told = told;
    if (told.question !== undefined && this.kept.question !== told.question) {
      this.kept = { ...this.kept, question: told.question, mine: told.mine ?? null };
      this.keep();
    }
    if (told.taken === true || (told.mine !== null && told.mine !== undefined)) {
      this.kept = { ...this.kept, mine: told.mine };
    }
    this.refused = told.taken === false || (this.refused && told.taken === null);
    if (this.refused) this.picked = null;
    this.keep();
    this.draw();
    clearTimeout(this.timer);
    if (this.chosen) this.look();
    else this.timer = setTimeout(() => this.look(), this.pause() + Math.random() * LOOK_SPREAD);
  }

  pause() {
    const answered = this.told?.open && this.kept.mine !== null && this.kept.mine !== undefined;
    return answered ? LOOK_ANSWERED : LOOK_EACH;
  }

  /** @param {number} index */
  choose(index) {
    this.refused = false;
    this.picked = index;
    this.look({ question: this.told?.question, choice: index });
    this.draw();
  }

  /**
   * The reader may choose another language at any time.
   * @param {VoteWords} words
   */
  speak(words) {
    if (JSON.stringify(words) === JSON.stringify(this.words)) return;
    this.words = words;
    this.sign = null;
    this.draw();
  }

  // --- what is seen ------------------------------------------------------------------------------------------------

  draw() {
    const { words, told, kept } = this;
    const inside = Boolean(kept.code) && told?.room !== false;
    const sign = JSON.stringify([inside, kept, told && { ...told, number: 0 }, this.picked, this.refused, this.silent]);
    if (this.sign === sign) return;
    this.sign = sign;
    if (told?.question !== this.pickedAt) {
      this.picked = null;
      this.pickedAt = told?.question;
    }
    const held = this.fields().findIndex((field) => field === document.activeElement);
    fill(
      this.node,
      el("h1", "", words.title),
      ...(inside ? this.room() : this.door()),
      el("p", "tm-vote-quiet", words.anonymous),
    );
    if (held >= 0) this.fields()[held]?.focus();
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
      maxlength: 4,
      autocomplete: "off",
      autocapitalize: "characters",
      spellcheck: "false",
      "aria-describedby": "tm-vote-hint",
    });
    label.append(input);
    const button = el("button", "tm-vote-enter", words.enter, { type: "submit" });
    form.append(label, el("p", "tm-vote-quiet", words.code_hint, { id: "tm-vote-hint" }), button);
    if (told?.room === false) form.append(el("p", "tm-vote-wrong", kept.code ? words.no_room : "", { role: "alert" }));
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
      this.keep();
      clearTimeout(this.timer);
      this.waiting = null;
      this.draw();
    });
    head.append(el("p", "", say(words.room, { code: this.kept.code })), leave);
    const parts = [head];
    if (this.silent) parts.push(el("p", "tm-vote-wrong", words.unanswered, { role: "status" }));
    if (!told) return parts;
    if (!told.text || !told.choices) {
      return [
        ...parts,
        el("p", "tm-vote-wait", told.question && this.kept.mine !== null ? words.closed : words.wait, {
          role: "status",
        }),
      ];
    }
    return [...parts, el("h2", "", told.text), this.choices(told, told.choices), ...this.after(told)];
  }

  /**
   * @param {RoomAnswer} told
   * @param {string[]} texts
   */
  choices(told, texts) {
    const { words, kept } = this;
    const list = el("ol", "tm-vote-choices");
    const mine = told.open ? (this.picked ?? kept.mine) : kept.mine;
    texts.forEach((text, index) => {
      const item = el("li");
      const button = el("button", "tm-vote-choice", null, { type: "button", "aria-pressed": String(index === mine) });
      button.append(el("span", "", text));
      button.disabled = !told.open;
      const right = index === told.answer;
      if (right) button.classList.add("tm-is-right");
      const notes = [right ? words.right : "", !told.open && index === mine ? words.yours : ""].filter(Boolean);
      if (notes.length) button.append(el("b", "", notes.join(" · ")));
      button.addEventListener("click", () => this.choose(index));
      item.append(button);
      if (!told.open && index === mine && !right && told.replies?.[index]) {
        item.append(el("p", "tm-vote-belief", told.replies[index]));
      }
      if (right && told.because) item.append(el("p", "tm-vote-belief", told.because));
      list.append(item);
    });
    return list;
  }

  /** @param {RoomAnswer} told */
  after(told) {
    const { words, kept } = this;
    if (this.refused) return [el("p", "tm-vote-wrong", words.full, { role: "alert" })];
    if (!told.open) return [];
    const chosen = kept.mine !== null && kept.mine !== undefined;
    return [el("p", "tm-vote-said", chosen ? words.chosen : words.choose, { role: "status" })];
  }

  close() {
    clearTimeout(this.timer);
    document.removeEventListener("visibilitychange", this.onSeen);
  }
}

/** The text by which a browser's second answer replaces its first; it identifies nobody. */
function randomText() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (each) => each.toString(16).padStart(2, "0")).join("");
}

/**
 * The room that this browser is in.
 * @returns {Kept}
 */
function keptVote() {
  try {
    const kept = JSON.parse(window.localStorage.getItem(KEPT_VOTE) ?? "{}");
    return kept && CODE.test(kept.code) && typeof kept.voter === "string" ? kept : {};
  } catch {
    return {};
  }
}

/**
 * @param {HTMLElement} parent
 * @param {VoteWords} words
 * @param {(asked: Asked) => void} post
 */
function opened(parent, words, post) {
  const host = el("div", "tm-host");
  parent.append(host);
  const page = new VotePage(host, words, post);
  PAGES.set(parent, page);
  return page;
}

/**
 * Streamlit calls this at each run of the page, and after each answer.
 * @param {Mounting<VoteData>} mounting
 */
export default function mount({ data, parentElement, setTriggerValue }) {
  const post = (/** @type {Asked} */ asked) => setTriggerValue("ask", asked);
  const page = PAGES.get(parentElement) ?? opened(parentElement, data.words, post);
  page.post = post;
  page.speak(data.words);
  page.hear(JSON.parse(data.told));
  return () => {
    page.close();
    PAGES.delete(parentElement);
  };
}
