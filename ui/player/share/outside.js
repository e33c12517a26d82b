// A player in a frame tells the page around it where the reader is and what was answered, and goes where that page
// says. docs/EMBEDDING.md lists the messages.
import { embeddedInAddress } from "../frame/place.js";
/** @import { Fields } from "../types/player.d.ts" */
/** @import { Player } from "../player.js" */

const SOURCE = "tidemark";

export class Outside {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    this.there = embeddedInAddress() && window.parent !== window;
    this.ready = false;
    /** @type {number | null} the last step that was told */
    this.told = null;
    this.hear = (/** @type {MessageEvent} */ event) => this.heard(event);
  }

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

  /**
   * The page around the frame may be of any origin, so nothing is told that it could not read on the screen.
   * @param {string} kind
   * @param {Fields} fields
   */
  tell(kind, fields) {
    if (!this.ready) return;
    window.parent.postMessage({ ...fields, source: SOURCE, kind, scenario: this.player.payload.name }, "*");
  }

  /**
   * `{to: "tidemark", kind: "go", step}` of the page around the frame; anything else is none of ours.
   * @param {MessageEvent} event
   */
  heard({ source, data }) {
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
