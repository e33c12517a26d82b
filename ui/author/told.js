// What the author should read: a message that goes by itself, and the line about an old draft.
import { el, fill } from "../player/base/dom.js";
import { say } from "../player/base/format.js";

const TOLD_MS = 9000;

/** A message; one about a refused edit goes with the next edit that is made. */
export class Told {
  constructor() {
    this.node = el("div", "tm-au-told", null, { role: "alert" });
    this.node.hidden = true;
    this.refusal = false;
  }

  say(text, refusal = false) {
    fill(this.node, el("span", "", text));
    this.node.hidden = false;
    this.refusal = refusal;
    clearTimeout(this.going);
    this.going = setTimeout(() => this.hide(), TOLD_MS);
  }

  mended() {
    if (this.refusal) this.hide();
  }

  hide() {
    this.node.hidden = true;
    this.refusal = false;
    clearTimeout(this.going);
  }
}

/** Says that a draft is open and not what the address names, with a way to that. */
export class KeptLine {
  constructor(words) {
    this.words = words;
    this.node = el("div", "tm-au-kept", null, { role: "status" });
  }

  show({ at, origin }, afresh) {
    const { words } = this;
    const time = at ? new Date(at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" }) : "";
    const button = (text, act) => {
      const node = el("button", "tm-button", text, { type: "button" });
      node.addEventListener("click", () => {
        this.hide();
        act?.();
      });
      return node;
    };
    const from = origin.startsWith("scenario:")
      ? "from_library"
      : origin.startsWith("file:")
        ? "from_file"
        : "from_link";
    fill(
      this.node,
      el("span", "", time ? say(words.kept.draft_of, { time }) : words.kept.draft),
      button(words.kept[from], afresh),
      button(words.kept.go_on),
    );
  }

  hide() {
    fill(this.node);
  }
}
