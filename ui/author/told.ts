// What the author should read: a message that disappears by itself, and the line about a kept draft.
import { coded, el, fill, pushButton } from "../player/base/dom.ts";
import { say } from "../player/base/format.ts";
import type { AuthorWords } from "#types/words";

const TOLD_MS = 9000;

/** A message; one about a refused edit disappears with the next edit that is made. */
export class Told {
  node = el("div", "tm-au-told", null, { role: "alert" });
  refusal = false;
  going?: number;

  constructor() {
    this.node.hidden = true;
  }

  /** @param refusal whether it is about a refused edit */
  say(text: string, refusal = false) {
    fill(this.node, fill(el("span"), coded(text)));
    this.node.hidden = false;
    this.refusal = refusal;
    clearTimeout(this.going);
    this.going = setTimeout(() => this.hide(), TOLD_MS);
  }

  /** An edit was made. */
  accepted() {
    if (this.refusal) this.hide();
  }

  hide() {
    this.node.hidden = true;
    this.refusal = false;
    clearTimeout(this.going);
  }
}

/** Says that the kept draft is open rather than what the address names, and offers to open that. */
export class KeptLine {
  words: AuthorWords;
  node = el("div", "tm-au-kept", null, { role: "status" });

  constructor(words: AuthorWords) {
    this.words = words;
  }

  /** @param afresh opens what the address names */
  show({ at, origin }: { at: number | null; origin: string }, afresh: () => void) {
    const { words } = this;
    const time = at ? new Date(at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" }) : "";
    const button: (text: string, act?: () => void) => HTMLElement = (text, act) => {
      return pushButton("tm-button", text, () => {
        this.hide();
        act?.();
      });
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

/** Says that another tab has the draft, and what can be done about it. */
export class ElsewhereLine {
  words: AuthorWords;
  here: () => void;
  copy: () => void;
  node = el("div", "tm-au-kept tm-au-elsewhere", null, { role: "status" });

  /**
   * @param here continues in this tab
   * @param copy makes a draft of its own
   */
  constructor(words: AuthorWords, here: () => void, copy: () => void) {
    this.words = words;
    this.here = here;
    this.copy = copy;
  }

  show() {
    const { words } = this;
    const button: (text: string, act: () => void) => HTMLElement = (text, act) => {
      return pushButton("tm-button", text, act);
    };
    fill(
      this.node,
      el("span", "", words.kept.elsewhere),
      button(words.kept.here, this.here),
      button(words.kept.copy, this.copy),
    );
  }

  hide() {
    fill(this.node);
  }
}
