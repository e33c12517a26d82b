// The list of all keys, made from the table of commands that the keyboard itself uses.
import { el } from "../base/dom.js";

/** The drawer *Keys*. */
export class HelpList {
  constructor(player) {
    this.node = el("dl", "tm-help");
    for (const { caps, label } of player.commands) {
      if (!label) continue;
      const term = el("dt");
      for (const cap of caps) term.append(el("kbd", "", cap));
      this.node.append(term, el("dd", "", label));
    }
  }

  show() {}
}
