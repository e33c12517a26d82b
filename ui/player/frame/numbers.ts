// The numbers in the sentence: a press makes one a field, Enter tries it out.
import { el } from "../base/dom.ts";
import { say } from "../base/format.ts";
import type { Number as Changeable } from "#types/payload";
import type { Player } from "../player.ts";

/** The sentence as nodes, its values in bold; where a server can run it again, its numbers are buttons. */
export function sentenceParts(player: Player) {
  const { numbers, sentence } = player.payload;
  const left = player.alone ? [] : [...numbers];
  const parts: (string | Node)[] = [];
  for (const [text, strong] of sentence) {
    const nodes: (string | Node)[] = [];
    for (const part of split(text, left)) {
      if (typeof part !== "string") nodes.push(numberButton(player, part));
      else nodes.push(...(strong ? [part] : player.glossary.nodes(part)));
    }
    const bold = el("b");
    bold.append(...nodes);
    parts.push(...(strong ? [bold] : nodes));
  }
  return parts;
}

/** A text taken apart where the next numbers of `left` stand in it; those are removed from `left`. */
export function split(text: string, left: Changeable[]): (string | Changeable)[] {
  const [next] = left;
  const at = next ? placeOfNumber(text, next.text) : -1;
  if (!next || at < 0) return text ? [text] : [];
  left.shift();
  const before = text.slice(0, at);
  return [...(before ? [before] : []), next, ...split(text.slice(at + next.text.length), left)];
}

/** Where a number stands as a whole, and not as the end of another one; -1 where it does not. */
function placeOfNumber(text: string, number: string) {
  for (let at = text.indexOf(number); at >= 0; at = text.indexOf(number, at + 1)) {
    if (!/[\d.]/.test(text.charAt(at - 1)) || !/^\d/.test(number)) return at;
  }
  return -1;
}

function numberButton(player: Player, number: Changeable) {
  const { label, text } = number;
  const note = say(player.words.tryout.number, { label: label.toLowerCase() });
  const button = el("button", "tm-number", text, { type: "button", title: note, "aria-label": `${text} – ${note}` });
  button.addEventListener("click", () => edit(player, number, button));
  return button;
}

/**
 * A field in the place of the button; Enter tries the new value out, Escape and leaving it change nothing. A value
 * stays while it is tried out, wherever the reader clicks meanwhile; one that is refused with the reason beside it.
 */
function edit(player: Player, { name, label, value }: Changeable, button: HTMLElement) {
  const form = el("form", "tm-number-form");
  const field = el("input", "tm-number-field", null, { value, "aria-label": label, size: Math.max(value.length, 5) });
  const problem = el("span", "tm-number-problem", null, { role: "alert" });
  form.append(field, el("button", "tm-button tm-number-go", player.words.tryout.apply, { type: "submit" }), problem);
  let over = false; // what is replaced loses the focus, which ends it again
  let pending = false;
  const end = () => {
    if (!over) {
      over = true;
      form.replaceWith(button);
    }
  };
  const refused = (text: string) => {
    pending = false;
    if (!form.isConnected) return player.tryouts.fail(text);
    problem.textContent = text;
    // Who has gone on meanwhile keeps the focus.
    if (document.activeElement === document.body || form.contains(document.activeElement)) field.focus();
    return player.layout();
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (pending) return;
    const typed = field.value.trim();
    problem.textContent = "";
    if (typed && typed !== value) {
      pending = true;
      player.tryouts.make({ kind: "control", name, value: typed }, { refused });
      field.focus();
      return;
    }
    end();
    button.focus();
  });
  form.addEventListener("keydown", (event) => {
    event.stopPropagation(); // what is typed is no shortcut
    if (event.key !== "Escape") return;
    event.preventDefault();
    end();
    button.focus();
  });
  form.addEventListener("focusout", (event) => {
    if (!pending && !(event.relatedTarget instanceof Node && form.contains(event.relatedTarget))) end();
  });
  button.replaceWith(form);
  field.focus();
  field.select();
}
