// What the dialogs of the page are made of.
import { el, fill } from "../player/base/dom.ts";
import type { Child } from "../player/types/player.ts";

export function doorButton(text: string, act: () => void, className = "") {
  const node = el("button", `tm-button ${className}`, text, { type: "button" });
  node.addEventListener("click", act);
  return node;
}

export function doorSection(title: string, ...children: Child[]) {
  return fill(el("section", "tm-au-door"), el("h3", "", title), children);
}

/** A field for files as a button in the language of the page: the browser's own is in that of the browser. */
export function fileButton(field: HTMLInputElement, text: string) {
  const names = el("span", "tm-quiet");
  field.addEventListener("change", () => {
    names.textContent = [...(field.files ?? [])].map(({ name }) => name).join(" · ");
  });
  return fill(el("span", "tm-au-choose-file"), el("span", "tm-button", text, { "aria-hidden": "true" }), names, field);
}
