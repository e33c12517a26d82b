// The Why card: in place of the other cards it explains why a window has not fired, or what became of a record.
import { dataNodes, el, fill, icon, pushButton } from "../base/dom.ts";
import { say, timeDistance } from "../base/format.ts";
import { kindOf, recordId } from "../base/facts.ts";
import { explainBatchBuffer, explainBatchRecord, explainBatchWindow } from "./batches.ts";
import { GapOverlay } from "./gap.ts";
import { advice, checklist, gauge, heading, linkButton, offers } from "./parts.ts";
import { Reach } from "./reach.ts";
import { explainRecord } from "./record.ts";
import { isExplained, recordAt, subjectOf, subjectsAt } from "./subjects.ts";
import { explainWindow } from "./window.ts";
import { keyText } from "../base/reading.ts";
import { exactly, holders, remedies } from "./holders.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { Check, Explanation, Way } from "../types/player.ts";
import type { Player } from "../player.ts";
import type { QueueFact, ShownBuffer } from "#types/payload";

const EXPLAIN = { window: explainWindow, record: explainRecord, queue: explainQueued, buffer: explainBuffered };
const EXPLAIN_BATCHES = { window: explainBatchWindow, record: explainBatchRecord, buffer: explainBatchBuffer };

export class WhyCard extends PlayerPart {
  subject: string | null = null;
  openedAt = 0;
  cards: { [kind: string]: (player: Player, id: string, step: number) => Explanation | null } = this.player.facts.all(
    "batches",
  ).length
    ? EXPLAIN_BATCHES
    : EXPLAIN;
  gap = new GapOverlay(this.player);
  question = el("h2", "tm-reason-question");
  headline = el("p", "tm-reason-headline");
  body: HTMLDivElement;
  card = el("section", "tm-card tm-reason");
  needs = el("section", "tm-card tm-reason-needs");
  node = el("div", "tm-reasons");
  button: HTMLButtonElement;
  reach?: Reach;

  constructor(player: Player) {
    super(player);
    const { why } = player.words;
    const following = this.control("tm-reason-next", why.next_note, "W", () => this.cycle());
    following.prepend(why.next);
    const close = this.control("tm-reason-close", why.close_note, "Esc", () => this.close());
    close.prepend(icon("remove"));
    const head = fill(el("div", "tm-reason-head"), this.question, following, close);
    this.body = el("div", "tm-reason-body", null, { tabindex: "0", role: "region", "aria-label": why.button });
    this.card.append(head, this.headline, this.body);
    this.node.append(this.card, this.needs);
    this.node.hidden = true;
    this.button = this.control("tm-why-button", why.next_note, "W", () => this.cycle());
    this.button.prepend(why.button);
  }

  control(className: string, label: string, cap: string, run: () => void) {
    const button = pushButton(`tm-button ${className}`, null, run, { title: label, "aria-label": label });
    button.append(el("kbd", "", cap));
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
      const held = say(why.of_hold, {
        held: checks.filter((each: Check) => each.holds).length,
        count: checks.length,
      });
      const head = fill(el("div", "tm-card-head"), el("h2", "", why.checks.head), el("span", "tm-card-note", held));
      fill(this.needs, head, checklist(checks));
    }
    // On a projector the gap would cover the large words of the picture.
    if (player.present.on) this.gap.clear();
    else this.gap.draw(told?.gap ?? null, told?.record ?? null, step);
  }
}

// The cards of records that wait: in the queue of the event sort, and in the buffers of an interval join.

/** What the card of a queued record shows at `step`, as `explainWindow` has it. */
function explainQueued(player: Player, id: string, step: number) {
  const {
    facts,
    words: { why },
  } = player;
  const row = facts.where("queue", "id", id, step)[0];
  if (!row) return null;
  const way = facts.where("conditions", "of", id, step)[0];
  const watermark = facts.at("watermark", step)[0]?.value ?? null;
  const waits = way.phase === "waiting";
  const parts = [itsRecord(player, row), gauged(player, way, watermark)];
  if (waits) {
    const offer = offers(player, id, step, "leaves");
    parts.push(...holders(player, step, way.needs), ...remedies(player, step, way.needs, why.would_leave, offer));
  }
  return {
    question: say(why.ask_queue, row),
    headline: queueHeadline(player, way, watermark),
    parts,
    checks: null,
    gap: waits ? { needs: way.needs, now: watermark } : null,
  };
}

function queueHeadline(
  {
    times,
    words: {
      why: { headlines },
    },
  }: Player,
  way: Way,
  watermark: number | null,
) {
  if (way.phase !== "waiting") return say(headlines[`watermark_${way.phase}`], { time: times.exact(way.needs) });
  return watermark === null
    ? headlines.no_watermark
    : say(headlines.watermark_waiting, { span: timeDistance(way.needs - watermark) });
}

/** What the card of a buffered record shows at `step`: how long it stays, and what it matches meanwhile. */
function explainBuffered(player: Player, id: string, step: number) {
  const {
    facts,
    times,
    words: { picture, why },
  } = player;
  const row = facts.where("buffers", "id", id, step)[0];
  if (!row) return null;
  const way = facts.where("conditions", "of", id, step)[0];
  const watermark = facts.at("watermark", step)[0]?.value ?? null;
  const [low, high] = way.has as unknown as [number, number];
  const side = picture[row.side === "left" ? "right" : "left"];
  const range = say(why.matches, { side, low: exactly(player, low), high: exactly(player, high) });
  const parts = [
    itsRecord(player, row),
    el("p", "tm-reason-text", range),
    gauged(player, way, watermark),
    ...partner(player, row, [low, high], step),
    ...(way.phase === "waiting" ? holders(player, step, way.needs) : []),
    ...(way.phase === "waiting"
      ? remedies(player, step, way.needs, why.would_forget, offers(player, id, step, "leaves"))
      : []),
  ];
  const headline = why.headlines[way.phase === "waiting" ? "kept" : `kept_${way.phase}`];
  return {
    question: say(why.ask_buffer, row),
    headline: say(headline, { needs: times.exact(way.needs) }),
    parts,
    checks: null,
    gap: way.phase === "waiting" ? { needs: way.needs, now: watermark } : null,
  };
}

/**
 * The record of the other side that it would be joined with.
 * @param matching the times (ms) that it matches
 */
function partner(player: Player, row: ShownBuffer, [low, high]: [number, number], step: number) {
  const { picture, why } = player.words;
  const side = row.side === "left" ? "right" : "left";
  const on = player.facts.at("channels", step).find((each) => each.input === side);
  if (!on) return [];
  // The latest time that it matches: that one is the last to be late.
  const record = { what: "record", input: side, channel: on.channel, ts: high, key: row.key };
  const range = { low: exactly(player, low), high: exactly(player, high) };
  const text = say(why.match_record, { side: picture[side], key: keyText(row.key), ...range });
  return [heading(why.would_match), advice(text, "", offers(player, row.id, step, "matches")([record]))];
}

function itsRecord(player: Player, row: QueueFact | ShownBuffer) {
  return linkButton(say(player.words.why.ask_record, row), () => player.why.open(recordId(row.item)));
}

function gauged({ times, words: { why } }: Player, way: Way, watermark: number | null) {
  const sign = watermark !== null && watermark >= way.needs ? "≤" : ">";
  return gauge({ name: why.needs_at_least, value: times.exact(way.needs), note: why.reasons[way.reason] ?? "" }, sign, {
    name: why.watermark_now,
    value: times.exact(watermark),
    note: "",
  });
}
