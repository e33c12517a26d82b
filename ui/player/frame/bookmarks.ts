// Bookmarks: steps that the reader marked. This browser keeps one list for each scenario; a link carries the list.
import { say } from "../base/format.ts";
import { isWhole, readKept, soundList, soundTable, writeKept } from "../base/kept.ts";
import { valueInAddress } from "./place.ts";
import type { Player } from "../player.ts";

const KEPT = "tidemark.bookmarks";
const MOST_IN_LINK = 40;

export class Bookmarks {
  player: Player;
  steps: number[];

  constructor(player: Player) {
    this.player = player;
    const linked = (valueInAddress(player.payload.name, "marks") ?? "")
      .split(",")
      .filter((text) => /^\d+$/.test(text))
      .map(Number);
    this.steps = this.sound([...(readAll()[player.payload.name] ?? []), ...linked]);
    player.view.marks = this.inLink();
  }

  /** Steps of this run, in ascending order, each once. */
  sound(steps: number[]) {
    return [...new Set(steps.filter((step) => Number.isInteger(step) && step >= 0 && step <= this.player.last))].sort(
      (a, b) => a - b,
    );
  }

  has(step: number) {
    return this.steps.includes(step);
  }

  /** Sets a bookmark at `step`, or takes the one there away. */
  toggle(step: number) {
    const { player } = this;
    const { words } = player;
    const gone = this.has(step);
    this.steps = gone ? this.steps.filter((each) => each !== step) : this.sound([...this.steps, step]);
    const all = readAll();
    if (this.steps.length) all[player.payload.name] = this.steps;
    else delete all[player.payload.name];
    writeKept(KEPT, all); // where that is not possible, bookmarks live in the link alone
    player.view.marks = this.inLink();
    player.place.at(player.step);
    player.watches.again();
    player.paint();
    player.scrubber.layoutBookmarks();
    player.jumps.listBookmarks();
    player.live.tell(say(gone ? words.bookmarks.removed : words.bookmarks.added, { step }));
  }

  inLink() {
    return this.steps.length ? this.steps.slice(0, MOST_IN_LINK).join(",") : null;
  }
}

function readAll(): { [scenario: string]: number[] } {
  return readKept(KEPT, (read) => soundTable(read, (each) => soundList(each, (step) => isWhole(step)))) ?? {};
}
