// The question on the page of the class: its choices or another way of answering, and what is said below.
import { el } from "../../player/base/dom.ts";
import { say } from "../../player/base/format.ts";
import { controls, textOf } from "./ways.ts";
import type { Given, RoomAnswer } from "./types.ts";
import type { VotePage } from "./vote.ts";

export function questionParts(page: VotePage, told: RoomAnswer) {
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
