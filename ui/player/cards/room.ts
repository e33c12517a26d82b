// Room in the column of the cards: what is asked, its answer and what an author says are seen whole. Other cards give
// way to them, in one column the picture does.
import type { Player } from "../player.ts";

/** The cards that give way, one after the other, the least needed first; at last the choices that were not tried. */
const YIELDING = ["", "timers", "timers output", "timers output watermark", "timers output watermark untried"];

export class Room {
  player: Player;
  observer: MutationObserver;

  constructor(player: Player) {
    this.player = player;
    // An answer adds text: whoever shows it need not know about the room.
    this.observer = new MutationObserver(() => this.make());
    for (const node of [player.now.beat, player.predictor.node]) {
      this.observer.observe(node, { childList: true, subtree: true, characterData: true });
    }
  }

  show() {
    this.make();
  }

  make() {
    const { root, now, predictor, why } = this.player;
    const predicts = !predictor.node.hidden;
    const asks = predicts || (!now.beat.hidden && root.classList.contains("tm-asking"));
    if (why.isOpen || (!asks && now.beat.hidden)) {
      delete root.dataset.yields;
    } else {
      now.code.fit();
      const box = predicts ? predictor.node : now.said;
      // A question keeps its room from the start, so that its answer moves nothing.
      for (const yielding of asks ? YIELDING.slice(1) : YIELDING) {
        if (yielding) root.dataset.yields = yielding;
        else delete root.dataset.yields;
        if (box.scrollHeight <= box.clientHeight + 1) break;
      }
    }
    now.code.fit();
    this.tell(asks || !now.beat.hidden);
  }

  /** On a phone the picture takes what a question or an author leaves of the screen (css/f-narrow.css). */
  tell(grows: boolean) {
    const { root, why, narrow, join, lanes } = this.player;
    // A join, which has two sides to show, needs all of its height.
    const high = grows && !why.isOpen && narrow.on && !join.on && !lanes.joins ? `${narrow.node.offsetHeight}px` : "";
    if (root.style.getPropertyValue("--tm-said") === high) return;
    root.style.setProperty("--tm-said", high);
    // The picture is drawn for its new height at once, not a frame later.
    if (this.player.laid) this.player.layout();
  }

  close() {
    this.observer.disconnect();
  }
}
