// A button that is only an icon.
import { el } from "../player/base/dom.js";
import { icon } from "../player/base/icons.js";

/**
 * @param {string} name of the icon
 * @param {string} label
 * @param {() => void} act
 */
export function iconButton(name, label, act) {
  const node = el("button", "tm-button tm-plain tm-au-icon", null, {
    type: "button",
    "aria-label": label,
    title: label,
  });
  node.append(icon(name));
  node.addEventListener("click", act);
  return node;
}
