// What the dialogs of the page are made of.
import { el, fill } from "../player/base/dom.js";
/** @import { Child } from "../player/types/player.d.ts" */

/**
 * @param {string} text
 * @param {() => void} act
 */
export function doorButton(text, act, className = "") {
  const node = el("button", `tm-button ${className}`, text, { type: "button" });
  node.addEventListener("click", act);
  return node;
}

/**
 * @param {string} title
 * @param {...Child} children
 */
export function doorSection(title, ...children) {
  return fill(el("section", "tm-au-door"), el("h3", "", title), children);
}

/**
 * A field for files as a button in the language of the page: the browser's own is in that of the browser.
 * @param {HTMLInputElement} field
 * @param {string} text
 */
export function fileButton(field, text) {
  const names = el("span", "tm-quiet");
  field.addEventListener("change", () => {
    names.textContent = [...(field.files ?? [])].map(({ name }) => name).join(" · ");
  });
  return fill(el("span", "tm-au-choose-file"), el("span", "tm-button", text, { "aria-hidden": "true" }), names, field);
}
