// A button that is only an icon.
import { el } from "../player/base/dom.ts";
import { icon } from "../player/base/icons.ts";

/** @param name of the icon */
export function iconButton(name: string, label: string, act: () => void) {
  const node = el("button", "tm-button tm-plain tm-au-icon", null, {
    type: "button",
    "aria-label": label,
    title: label,
  });
  node.append(icon(name));
  node.addEventListener("click", act);
  return node;
}
