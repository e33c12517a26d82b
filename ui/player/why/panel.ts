// The Why card: in place of the other cards it explains why a window has not fired, or what became of a record.
import { dataNodes, el, fill } from "../base/dom.ts";
import { icon } from "../base/icons.ts";
import { say } from "../base/format.ts";
import { kindOf } from "../base/identity.ts";
import { explainBatchBuffer, explainBatchRecord, explainBatchWindow } from "./batches.ts";
import { GapOverlay } from "./gap.ts";
import { checklist, linkButton } from "./parts.ts";
import { Reach } from "./reach.ts";
import { explainRecord } from "./record.ts";
import { isExplained, recordAt, subjectOf, subjectsAt } from "./subjects.ts";
import { explainBuffered, explainQueued } from "./waiting.ts";
import { explainWindow } from "./window.ts";
import type { Check, Explanation } from "../types/player.ts";
import type { Player } from "../player.ts";

const EXPLAIN = { window: explainWindow, record: explainRecord, queue: explainQueued, buffer: explainBuffered };
const EXPLAIN_BATCHES = { window: explainBatchWindow, record: explainBatchRecord, buffer: explainBatchBuffer };

export class WhyCard {
  player: Player;
  subject: string | null = null;
  openedAt = 0;
  cards: { [kind: string]: (player: Player, id: string, step: number) => Explanation | null };
  gap: GapOverlay;
  question = el("h2", "tm-reason-question");
  headline = el("p", "tm-reason-headline");
  body: HTMLDivElement;
  card = el("section", "tm-card tm-reason");
  needs = el("section", "tm-card tm-reason-needs");
  node = el("div", "tm-reasons");
  button: HTMLButtonElement;
  reach?: Reach;

  constructor(player: Player) {
    this.player = player;
    this.cards = player.facts.all("batches").length ? EXPLAIN_BATCHES : EXPLAIN;
    const { why } = player.words;
    this.gap = new GapOverlay(player);
    const following = this.control("tm-reason-next", why.next_note, "W", () => this.cycle());
    following.prepend(why.next);
    const close = this.control("tm-reason-close", why.close_note, "Esc", () => this.close());
    close.prepend(icon("remove"));
    const head = el("div", "tm-reason-head");
    head.append(this.question, following, close);
    this.body = el("div", "tm-reason-body", null, { tabindex: "0", role: "region", "aria-label": why.button });
    this.card.append(head, this.headline, this.body);
    this.node.append(this.card, this.needs);
    this.node.hidden = true;
    this.button = this.control("tm-why-button", why.next_note, "W", () => this.cycle());
    this.button.prepend(why.button);
  }

  control(className: string, label: string, cap: string, run: () => void) {
    const button = el("button", `tm-button ${className}`, null, { type: "button", title: label, "aria-label": label });
    button.append(el("kbd", "", cap));
    button.addEventListener("click", run);
    return button;
  }

  /** Listens for presses on the plane's card: on a box of the lanes, a chip of a queue, or a record. */
  listen(planeCard: HTMLElement) {
    planeCard.append(this.gap.node);
    this.reach = new Reach(this.player);
    this.player.now.node.firstElementChild?.append(this.button);
    planeCard.addEventListener("click", (event) => {
      const id = this.meant(event);
      if (id) this.open(id);
    });
    this.player.canvas.addEventListener("pointermove", (event) => {
      const near = event.buttons === 0 && this.meant(event) !== null;
      this.player.canvas.classList.toggle("tm-pointing", near);
    });
  }

  meant(event: MouseEvent) {
    const { player } = this;
    if (player.present.asks) return null;
    const path = event.composedPath();
    const named = path.map((node) =>
      node instanceof HTMLElement || node instanceof SVGElement ? node.dataset.id : "",
    );
    const id = named.find((each) => each && isExplained(each));
    if (id) return id;
    // A result on the plane asks about its window.
    const [result] = named.flatMap((each) => (each && subjectOf(player, each, player.step)) || []);
    if (result) return result;
    // Enlarged, marks alone are pressed.
    if (player.present.on || !path.includes(player.canvas)) return null;
    const { left, top } = player.planeCard.getBoundingClientRect();
    return (
      recordAt(
        player,
        player.step,
        event.clientX - left - player.planeCard.clientLeft,
        event.clientY - top - player.planeCard.clientTop,
      )?.id ?? null
    );
  }

  get isOpen() {
    return this.subject !== null;
  }

  /** The card of a window, record, queued or buffered record. */
  open(id: string) {
    if (this.player.present.asks) return;
    this.subject = id;
    this.openedAt = this.player.step;
    this.body.scrollTop = 0;
    this.node.scrollTop = 0;
    // What had the focus may lie under the card now.
    const focused = document.activeElement;
    const covered = this.node.parentElement?.contains(focused) && !this.node.contains(focused);
    this.show(this.player.step);
    if (covered) this.body.focus({ preventScroll: true });
    if (this.player.embed.on) this.node.scrollIntoView({ block: "nearest" });
    this.player.narrow.reveal();
    this.player.narrow.goUpTo(this.node);
    this.player.live.tell(`${this.question.textContent} ${this.headline.textContent}`);
  }

  /** The card of the most relevant thing at this step; pressed again, of the next one. */
  cycle() {
    const list = subjectsAt(this.player, this.player.step);
    if (!list.length) {
      this.player.now.notice.tell(this.player.words.why.none);
      return;
    }
    this.open(list[(list.indexOf(this.subject ?? "") + 1) % list.length]);
  }

  close() {
    const inside = this.node.contains(document.activeElement);
    this.subject = null;
    this.show(this.player.step);
    if (inside) this.button.focus();
  }

  show(step: number) {
    const { player } = this;
    // A room sees the reason of one moment; the next one has its own words.
    if (player.present.on && this.openedAt !== player.step) this.subject = null;
    const open = this.isOpen;
    if (open || !this.node.hidden) this.turn(open, step);
    this.reach?.show();
  }

  turn(open: boolean, step: number) {
    const { player } = this;
    const turned = this.node.hidden === open;
    this.node.hidden = !open;
    player.root.classList.toggle("tm-explaining", open);
    if (open) this.explain(step);
    else this.hide();
    for (const node of dataNodes(player.planeCard, "[data-id]")) {
      node.classList.toggle("tm-meant", open && node.dataset.id === this.subject);
    }
    // On a phone the picture has another height beside an explanation, and is drawn for it at once.
    if (!turned || !player.narrow.on) return;
    player.room.make();
    if (player.laid) player.layout();
  }

  hide() {
    this.gap.clear();
    this.player.root.classList.remove("tm-explaining-all");
  }

  /**
   * The other question of the moment, as a link: on a record's card what waits, on a window's what came of the record.
   */
  beside(step: number) {
    const { player } = this;
    const kind = { record: "window", window: "record" }[kindOf(this.subject ?? "")];
    const other = subjectsAt(player, step).find((id) => kindOf(id) === kind && id !== this.subject);
    const told = other && this.cards[kindOf(other)]?.(player, other, step);
    return told ? linkButton(told.question, () => this.open(other), "tm-reason-beside") : null;
  }

  explain(step: number) {
    const { player } = this;
    const { why } = player.words;
    const subject = this.subject ?? "";
    const told = this.cards[kindOf(subject)]?.(player, subject, step);
    const checks = told?.checks ?? null;
    this.question.textContent = told?.question ?? "";
    const headline = told?.headline ?? why.before_it_was;
    if (this.headline.textContent !== headline) this.headline.textContent = headline;
    const scrolled = this.body.scrollTop;
    fill(this.body, told?.parts ?? [], this.beside(step));
    this.body.scrollTop = scrolled;
    this.needs.hidden = checks === null;
    player.root.classList.toggle("tm-explaining-all", checks !== null);
    if (checks) {
      const head = el("div", "tm-card-head");
      const held = say(why.of_hold, {
        held: checks.filter((each: Check) => each.holds).length,
        count: checks.length,
      });
      head.append(el("h2", "", why.checks.head), el("span", "tm-card-note", held));
      fill(this.needs, head, checklist(checks));
    }
    // On a projector the gap would cover the large words of the picture.
    if (player.present.on) this.gap.clear();
    else this.gap.draw(told?.gap ?? null, told?.record ?? null, step);
  }
}
