// The page on which the class answers: the code of the room, the question, its choices as large buttons.
import { el, fill } from "../player/base/dom.js";
import { say } from "../player/base/format.js";

const KEPT_VOTE = "tidemark.vote";
// Who waits for a question looks more often than who has answered and waits for it to be shown.
const LOOK_EACH = 2000;
const LOOK_ANSWERED = 4000;
const LOOK_SPREAD = 1000;
const PATIENCE = 8000;
const CODE = /^[A-Z]{4}$/;
const PAGES = new WeakMap();

class VotePage {
  constructor(host, words, send) {
    this.words = words;
    this.post = send;
    this.node = el("main", "tidemark-vote", null, { "data-ready": "true" });
    this.kept = keptVote();
    const linked = (new URLSearchParams(window.location.search).get("room") ?? "").toUpperCase();
    if (CODE.test(linked)) this.take(linked);
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

  /** In the room `code`, as nobody that another room knows: each room gets a random text of its own. */
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

  /** Asks how the room is, now and then again; a choice goes before all else. */
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
    const answered = this.told.open && this.kept.mine !== null && this.kept.mine !== undefined;
    return answered ? LOOK_ANSWERED : LOOK_EACH;
  }

  choose(index) {
    this.refused = false;
    this.picked = index;
    this.look({ question: this.told.question, choice: index });
    this.draw();
  }

  /** The reader may choose another language at any time. */
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
    const held = [...this.node.querySelectorAll("button, input")].indexOf(document.activeElement);
    fill(
      this.node,
      el("h1", "", words.title),
      ...(inside ? this.room() : this.door()),
      el("p", "tm-vote-quiet", words.anonymous),
    );
    if (held >= 0) this.node.querySelectorAll("button, input")[held]?.focus();
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
    if (!told.text) {
      return [
        ...parts,
        el("p", "tm-vote-wait", told.question && this.kept.mine !== null ? words.closed : words.wait, {
          role: "status",
        }),
      ];
    }
    return [...parts, el("h2", "", told.text), this.choices(), ...this.after()];
  }

  choices() {
    const { words, told, kept } = this;
    const list = el("ol", "tm-vote-choices");
    const mine = told.open ? (this.picked ?? kept.mine) : kept.mine;
    told.choices.forEach((text, index) => {
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
      if (!told.open && index === mine && !right && told.wrong?.[index]) {
        item.append(el("p", "tm-vote-belief", told.wrong[index]));
      }
      if (right && told.because) item.append(el("p", "tm-vote-belief", told.because));
      list.append(item);
    });
    return list;
  }

  after() {
    const { words, told, kept } = this;
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

/** By this text a browser's second answer replaces its first; it says nothing about anybody. */
function randomText() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (each) => each.toString(16).padStart(2, "0")).join("");
}

/** The room that this browser is in: {code, voter, question, mine}. */
function keptVote() {
  try {
    const kept = JSON.parse(window.localStorage.getItem(KEPT_VOTE) ?? "{}");
    return kept && CODE.test(kept.code) && typeof kept.voter === "string" ? kept : {};
  } catch {
    return {};
  }
}

/** Streamlit calls this at each run of the page, and after each answer. */
export default function mount({ data, parentElement, setTriggerValue }) {
  let page = PAGES.get(parentElement);
  if (!page) {
    const host = el("div", "tm-host");
    parentElement.append(host);
    PAGES.set(parentElement, (page = new VotePage(host, data.words, (asked) => setTriggerValue("ask", asked))));
  }
  page.post = (asked) => setTriggerValue("ask", asked);
  page.speak(data.words);
  page.hear(JSON.parse(data.told));
  return () => {
    page.close();
    PAGES.delete(parentElement);
  };
}
