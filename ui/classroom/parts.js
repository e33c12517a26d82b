// The question on the page of the class: its choices or another way of answering, and what is said below.
import { el } from "../player/base/dom.js";
import { say } from "../player/base/format.js";
import { controls, textOf } from "./ways.js";
/** @import { Given, RoomAnswer } from "./types.d.ts" */
/** @import { VotePage } from "./vote.js" */

/**
 * @param {VotePage} page
 * @param {RoomAnswer} told
 */
export function questionParts(page, told) {
  return [...answering(page, told), ...after(page, told)];
}

/**
 * How the question is answered, or what was right.
 * @param {VotePage} page
 * @param {RoomAnswer} told
 */
function answering(page, told) {
  const { words } = page;
  if (told.way === "choose") return [choices(page, told, told.choices ?? [])];
  if (typeof told.vote === "number") {
    const now = page.draft ?? page.answerIn(told.vote);
    const changed = (/** @type {Given} */ given) => {
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

/**
 * @param {VotePage} page
 * @param {RoomAnswer} told
 * @param {string[]} texts
 */
function choices(page, told, texts) {
  const { words } = page;
  const list = el("ol", "tm-vote-choices");
  const open = typeof told.vote === "number";
  const first = page.answerIn(0);
  const mine = open ? (page.draft ?? page.answerIn(told.vote ?? 0)) : page.mine;
  texts.forEach((text, index) => {
    const item = el("li");
    const button = el("button", "tm-vote-choice", null, { type: "button", "aria-pressed": String(index === mine) });
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
    button.addEventListener("click", () => page.answer(index));
    item.append(button);
    if (told.stage === "shown" && index === mine && !right && told.replies?.[index]) {
      item.append(el("p", "tm-vote-belief", told.replies[index]));
    }
    if (right && told.because) item.append(el("p", "tm-vote-belief", told.because));
    list.append(item);
  });
  return list;
}

/**
 * What stands below: what to do, what was answered, or why an answer does not count.
 * @param {VotePage} page
 * @param {RoomAnswer} told
 */
function after(page, told) {
  const { words, refused } = page;
  /** @type {HTMLElement[]} */
  const parts = [];
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

/**
 * @param {VotePage} page
 * @param {string} name
 * @param {RoomAnswer} told
 * @param {Given} given
 */
function own(page, name, told, given) {
  const line = el("p", "tm-vote-own", `${name}${page.words.colon}`);
  line.append(el("b", "", textOf(told, given, page.words)));
  return line;
}
