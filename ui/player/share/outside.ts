// A player in a frame tells the page around it where the reader is and what was answered, and goes where that page
// says. docs/EMBEDDING.md lists the messages.
import { embeddedInAddress } from "../frame/place.ts";
import type { Fields } from "../types/player.ts";
import type { Player } from "../player.ts";

const SOURCE = "tidemark";

export class Outside {
  player: Player;
  there: boolean;
  ready = false;
  /** the last step that was told */
  told: number | null = null;
  hear;

  constructor(player: Player) {
    this.player = player;
    this.there = embeddedInAddress() && window.parent !== window;
    this.hear = (event: MessageEvent) => this.heard(event);
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
