// On a phone, what happened and why come before the picture; legend and drawer come after it, the controls last. The
// document itself changes its order, so that a screen reader and the Tab key follow what the eye sees.
import { el, nearest } from "../base/dom.ts";
import type { Player } from "../player.ts";

// Where everything stands in one column (css/1-layout.css).
const ONE_COLUMN = "(max-width: 900px), (max-height: 560px)";

/** What is pressed in the cards to go on. */
const GOING_ON = ".tm-choice, .tm-predict-choice, .tm-start";

export class Narrow {
  player: Player;
  first: HTMLElement[];
  legends: HTMLElement;
  /** where the nodes are in a wide window, once the stage is built */
  side: HTMLElement | null = null;
  node = el("div", "tm-side tm-first");
  on = false;
  goesDown: boolean;
  onArrival;
  query: MediaQueryList = window.matchMedia(ONE_COLUMN);
  calm: MediaQueryList = window.matchMedia("(prefers-reduced-motion: reduce)");
  onChange;

  /** `first` are the nodes that come first in one column; `legends` comes after the picture. */
  constructor(player: Player, first: HTMLElement[], legends: HTMLElement) {
    this.player = player;
    this.first = first;
    this.legends = legends;
    this.goesDown = false;
    this.onArrival = () => {
      this.goesDown = false;
    };
    this.onChange = () => {
      if (this.arrange()) player.layout();
    };
  }

  /** Called once the stage is built: `side` is where the nodes are in a wide window. */
  start(side: HTMLElement) {
    this.side = side;
    this.arrange();
    sayWhatIsHeld(this.player.root);
    this.query.addEventListener("change", this.onChange);
    this.player.transport.node.addEventListener("click", () => this.reveal());
    this.node.addEventListener("click", (event) => nearest(event, GOING_ON) && this.reveal());
    const { visit } = this.player;
    visit.frame.controls.addEventListener("click", () => !visit.turning && !visit.over && this.reveal());
    window.addEventListener("scrollend", this.onArrival, true);
  }

  /** Who steps or answers sees words and picture: the page goes down to them, never away from a card below. */
  reveal() {
    const { player } = this;
    const stage = player.planeCard.parentElement;
    if (!this.on || !stage) return;
    const header = parseFloat(getComputedStyle(stage).scrollMarginTop);
    const above = stage.getBoundingClientRect().top > header + 1;
    const bar = player.transport.node.getBoundingClientRect().top;
    if (!above || player.planeCard.getBoundingClientRect().bottom <= bar) return;
    this.goesDown = true;
    stage.scrollIntoView({ block: "start", behavior: this.calm.matches ? "auto" : "smooth" });
  }

  /** Who asks for a card sees it, also from further down: the page goes up to it. */
  goUpTo(card: HTMLElement) {
    const stage = this.player.planeCard.parentElement;
    if (!this.on || !stage) return;
    const header = parseFloat(getComputedStyle(stage).scrollMarginTop);
    if (card.getBoundingClientRect().top >= header - 1) return;
    stage.scrollIntoView({ block: "start", behavior: this.calm.matches ? "auto" : "smooth" });
  }

  /** The player has moved to another place of the document: a way down that this has ended goes on there. */
  moved() {
    if (this.goesDown) this.reveal();
  }

  /** True if something has moved. The element with the focus keeps it. */
  arrange() {
    const { player, node, side, first, legends } = this;
    if (!side) return false;
    // A frame in a course page has a head of its own that says what happened.
    const narrow = this.query.matches && !player.embed.on;
    if (narrow === this.on) return false;
    const focused = document.activeElement;
    this.on = narrow;
    if (narrow) {
      player.planeCard.before(node);
      node.append(...first);
      player.planeCard.after(legends, player.drawers.sheet);
      player.root.querySelector(".tm-foot")?.after(player.transport.node);
    } else {
      side.prepend(...first);
      player.planeCard.prepend(legends);
      side.append(player.why.node);
      side.parentElement?.append(player.drawers.sheet);
      player.root.querySelector(".tm-foot")?.before(player.transport.node);
      node.remove();
    }
    const moving = [node, side, legends, player.drawers.sheet, player.transport.node];
    const moved = moving.some((each) => each.contains(focused));
    if (moved && focused instanceof HTMLElement) focused.focus({ preventScroll: true });
    return true;
  }

  close() {
    this.query.removeEventListener("change", this.onChange);
    window.removeEventListener("scrollend", this.onArrival, true);
  }
}

// What a button does, said while a finger rests on it: nothing can be hovered over on a touch screen.

/** How long (ms) a finger rests on a button until that is a question. */
const HOLD_MS = 450;

/** How long (ms) the answer stays once the finger is lifted. */
const READ_MS = 1800;

/** Buttons that show an icon, or less than their name. */
const NAMED = "button[title], button[aria-label]";

/** A button within `root` that a finger rests on says its name, and then does nothing. */
function sayWhatIsHeld(root: HTMLElement) {
  const said = el("div", "tm-held", "", { "aria-hidden": "true" });
  said.hidden = true;
  let resting: ReturnType<typeof setTimeout> | undefined;
  let leaving: ReturnType<typeof setTimeout> | undefined;
  let held = false;

  const show = (button: Element) => {
    held = true;
    said.textContent = button.getAttribute("title") || button.getAttribute("aria-label");
    said.hidden = false;
    root.append(said);
    const at = button.getBoundingClientRect();
    const { width, height } = said.getBoundingClientRect();
    const left = Math.min(Math.max(at.left + (at.width - width) / 2, 8), innerWidth - width - 8);
    const above = at.top - height - 8;
    said.style.left = `${left}px`;
    said.style.top = `${above < 48 ? at.bottom + 8 : above}px`;
  };
  const lift = () => {
    clearTimeout(resting);
    if (said.hidden) return;
    clearTimeout(leaving);
    leaving = setTimeout(() => {
      said.hidden = true;
    }, READ_MS);
  };

  root.addEventListener("pointerdown", (event) => {
    clearTimeout(resting);
    clearTimeout(leaving);
    said.hidden = true;
    held = false;
    const button = event.target instanceof Element ? event.target.closest(NAMED) : null;
    if (event.pointerType === "touch" && button) resting = setTimeout(show, HOLD_MS, button);
  });
  for (const end of ["pointerup", "pointercancel"]) root.addEventListener(end, lift);
  root.addEventListener("contextmenu", (event) => {
    if (held) event.preventDefault();
  });
  root.addEventListener(
    "click",
    (event) => {
      if (!held) return;
      held = false;
      event.preventDefault();
      event.stopPropagation();
    },
    true,
  );
}
