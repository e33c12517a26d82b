// The ways of answering that are no list of choices: a number is entered, windows are tapped, a record is dragged.
import { el } from "../../player/base/dom.ts";
import type { VoteWords } from "#types/words";
import type { Given, RoomAnswer } from "./types.ts";

const MOST_DIGITS = 20;

/** An answer in words. */
export function textOf(told: RoomAnswer, given: Given | null | undefined, words: VoteWords) {
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
export function controls(
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
