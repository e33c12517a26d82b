// The ways of answering that are no list of choices: a number is entered, windows are tapped, a record is dragged.
import { el } from "../player/base/dom.js";
/** @import { VoteWords } from "../player/types/words.d.ts" */
/** @import { Given, RoomAnswer } from "./types.d.ts" */

const MOST_DIGITS = 20;

/**
 * An answer in words.
 * @param {RoomAnswer} told
 * @param {Given | null | undefined} given
 * @param {VoteWords} words
 */
export function textOf(told, given, words) {
  if (given === null || given === undefined) return "";
  if (Array.isArray(given)) {
    return given.map((each) => told.windows?.[each]?.text ?? "").join(" · ") || words.none_tapped;
  }
  if (typeof given === "string") return given;
  return told.places?.[given] ?? told.choices?.[given] ?? "";
}

/**
 * What is used to answer.
 * @param {RoomAnswer} told
 * @param {VoteWords} words
 * @param {Given | null} now what is entered, tapped or dragged so far
 * @param {(now: Given) => void} changed takes what is so far
 * @param {() => void} send sends it
 */
export function controls(told, words, now, changed, send) {
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

/**
 * @param {RoomAnswer} told
 * @param {VoteWords} words
 * @param {Given | null} now
 * @param {(now: Given) => void} changed
 */
function numberField(told, words, now, changed) {
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

/**
 * @param {RoomAnswer} told
 * @param {VoteWords} words
 * @param {Given | null} now
 * @param {(now: Given) => void} changed
 */
function windowButtons(told, words, now, changed) {
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

/**
 * @param {RoomAnswer} told
 * @param {VoteWords} words
 * @param {Given | null} now
 * @param {(now: Given) => void} changed
 */
function recordSlider(told, words, now, changed) {
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
