// The small view in a course page: the author's words, or what happened and why, above the picture, and the way to the
// whole view. A question stands beside the picture, in the card that asks it at the desk, and is answered there.
import { addressOf, embeddedInAddress } from "../base/address.ts";
import { el } from "../base/dom.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { Player } from "../player.ts";
import type { Fields } from "../types/player.ts";

/** The most of the frame's height that the words take; what is longer is scrolled. */
const MOST_OF_FRAME = 0.25;

/** The height of the row above the picture. */
const HEIGHT = "--tm-embed-head";

/** The row above the picture; it is there for every view and shown in the small one alone. */
export class EmbedHead extends PlayerPart {
  on: boolean = embeddedInAddress();
  node = el("div", "tm-embed-head");
  says = el("div", "tm-embed-says");
  what = el("p", "tm-embed-what");
  why = el("p", "tm-embed-why");
  full = el("a", "tm-button tm-embed-full", this.player.words.embed.full, { target: "_blank", rel: "noopener" });

  constructor(player: Player) {
    super(player);
    this.says.append(this.what, this.why);
    // A page that was made for a frame, as for a notebook or a lesson, is small wherever it opens.
    this.full.hidden = Boolean(document.body.dataset.frame);
    this.node.append(this.says, this.full);
    if (this.on) player.root.dataset.embed = "true";
    document.documentElement.classList.toggle("tm-embedded", this.on);
  }

  close() {
    document.documentElement.classList.remove("tm-embedded");
  }

  /** Room for the longest text of the author, up to a part of the frame, so that the picture stays where it is. */
  layout() {
    if (!this.on) return;
    const { beats, story } = this.player.payload;
    const told = beats.filter((beat) => !beat.choices.length).map((beat) => beat.text);
    this.node.style.removeProperty(HEIGHT);
    const least = this.node.offsetHeight;
    const edges = least - this.says.clientHeight;
    const heights = [...told, story.takeaway, this.player.story.first].filter(Boolean).map((why) => {
      this.write({ what: "", why });
      return this.says.scrollHeight + edges;
    });
    const most = Math.round(this.player.root.clientHeight * MOST_OF_FRAME);
    this.node.style.setProperty(HEIGHT, `${Math.max(least, Math.min(most, Math.max(0, ...heights)))}px`);
    this.show();
  }

  show() {
    if (!this.on) return;
    const { player } = this;
    this.write(this.sentences());
    const address = addressOf(player.payload.name, player.place.begun ? player.step : null, player.view);
    address.searchParams.delete("embed");
    this.full.href = address.href;
    // A Why card stands in the same place; it was asked for last.
    const asks = player.asked.here !== null || player.predictor.here !== null;
    player.root.classList.toggle("tm-embed-asks", asks && !player.why.isOpen);
  }

  /** What stands above the picture; at a question the reason waits for the right answer, as it does at the desk. */
  sentences() {
    const { player } = this;
    const { open, here } = player.asked;
    if (player.predictor.open) return { what: player.said(player.predictor.open.before).what, why: "" };
    if (!here) return player.present.sentences();
    const { what, why } = player.said(player.step);
    return { what, why: open ? "" : why };
  }

  write({ what, why }: { what: string; why?: string | null }) {
    this.node.classList.toggle("tm-author", what === "");
    this.what.textContent = what;
    this.why.textContent = why ?? "";
  }
}

// A player in a frame tells the page around it where the reader is and what was answered, and goes where that page
// says. docs/users/EMBEDDING.md lists the messages.

const SOURCE = "tidemark";

export class Outside extends PlayerPart {
  there: boolean = embeddedInAddress() && window.parent !== window;
  ready = false;
  /** the last step that was told */
  told: number | null = null;
  hear = (event: MessageEvent) => this.heard(event);

  /** Once the player can be used. */
  begin() {
    if (!this.there) return;
    this.ready = true;
    window.addEventListener("message", this.hear);
    const { payload, last } = this.player;
    const questions = payload.beats.filter((beat) => beat.choices.length).map((beat) => `${beat.kind} ${beat.step}`);
    this.tell("ready", { title: payload.title, last, questions });
    this.show();
  }

  show() {
    const { step, last } = this.player;
    if (!this.ready || this.told === step) return;
    this.told = step;
    this.tell("step", { step, last });
  }

  /** The page around the frame may be of any origin, so nothing is told that it could not read on the screen. */
  tell(kind: string, fields: Fields) {
    if (!this.ready) return;
    window.parent.postMessage({ ...fields, source: SOURCE, kind, scenario: this.player.payload.name }, "*");
  }

  /** `{to: "tidemark", kind: "go", step}` of the page around the frame; anything else is none of ours. */
  heard({ source, data }: MessageEvent) {
    if (source !== window.parent || data?.to !== SOURCE) return;
    if (data.kind === "go" && Number.isInteger(data.step)) this.player.go(data.step);
    if (data.kind === "page" && (data.direction === 1 || data.direction === -1)) {
      this.player.present.page(data.direction);
    }
  }

  close() {
    window.removeEventListener("message", this.hear);
  }
}
