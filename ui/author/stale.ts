// What the page says where its parts show an earlier text, and where a question got no answer.
import { el, fill } from "../player/base/dom.ts";
import type { Author } from "./author.ts";
import type { Sent } from "./wire.ts";

/**
 * A line over the picture. A text that does not run, or whose run the reader has stopped, leaves the parts of the page
 * as they were before; what was stopped can be run from here.
 */
export class StaleLine {
  author: Author;
  node: HTMLParagraphElement;
  /** Whether nobody has run the text, so that its records may not be those that are shown. */
  behind = false;

  constructor(author: Author) {
    this.author = author;
    this.node = el("p", "tm-au-stale", author.words.stale, { role: "status" });
  }

  /** @param blank whether there is no earlier text that ran */
  show(blank = false) {
    const { words, root } = this.author;
    root.dataset.behind = String(this.behind);
    if (!this.behind) {
      this.node.textContent = blank ? words.blank : words.stale;
      return;
    }
    const button = el("button", "tm-button", words.unanswered.again, { type: "button" });
    button.addEventListener("click", () => this.author.refresh(this.author.lastSound));
    fill(this.node, `${words.unanswered.run} `, button);
    this.author.pane.note.textContent = ""; // whether it runs is not known
  }

  /** A reply belongs to the text. */
  current() {
    this.behind = false;
    this.author.root.dataset.behind = "false";
  }

  /** Says what a question was about that gets no answer: the reader stopped it, or nobody can answer. */
  unanswered({ question, slot }: Sent) {
    const { author } = this;
    const { unanswered } = author.words;
    if (slot === "preview" || "hints" in question) return; // the page asks again by itself
    if ("edit" in question) author.tell(unanswered.edit);
    else if ("command" in question) author.doors.say(unanswered.command);
    else {
      this.behind = true;
      this.show();
      author.head.show();
    }
  }
}
