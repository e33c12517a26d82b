// Marks by keyboard: the records and results of the picture are one stop of the Tab key, the windows below it another;
// ↑ and ↓ go from mark to mark, and Enter does what a click does. ← and → keep stepping.
import { dataNodes, el } from "../base/dom.ts";
import { subjectOf, subjectsAt } from "./subjects.ts";
import { between, say, short, valueText } from "../base/format.ts";
import { kindOf } from "../base/facts.ts";
import { keyText, pairValue, windowContents } from "../base/reading.ts";
import { aboutRecord } from "./record.ts";
import type { Player } from "../player.ts";
import type { OutputFact } from "../types/player.ts";

// What can be reached: on the plane, in a join, in the lanes and queues below them.
const REACHED = {
  plane: [".tm-pic-records > [data-id]", ".tm-pic-results > [data-id]", ".tm-pic-emitted > [data-id]"],
  join: [".tm-join-record[data-id]", ".tm-join-bar[data-id]"],
  lanes: [".tm-lane-box[data-id]", ".tm-queued[data-id]"],
};
const REACH_AROUND = 3;

/** One stop of the Tab key. It holds one mark at a time, so the browser has nothing to lay out for the others. */
class MarkList {
  player: Player;
  name: "plane" | "lanes";
  label: string;
  node: HTMLDivElement;
  mark = el("div", "tm-reach-mark", null, { role: "option", tabindex: "-1", "aria-selected": "false" });
  /** the id of the mark that has the focus, or had it last */
  id: string | null = null;

  /** @param after the node that it follows in the document */
  constructor(player: Player, name: "plane" | "lanes", after: HTMLElement) {
    this.player = player;
    this.name = name;
    this.label = player.words.why.marks[name];
    this.node = el("div", "tm-reach", null, { role: "listbox", tabindex: "0", "aria-label": this.label });
    after.after(this.node);
    this.node.addEventListener("focus", () => this.enter());
    this.mark.addEventListener("blur", () => this.leave());
    this.node.addEventListener("keydown", (event) => this.key(event));
    player.planeCard.addEventListener("scroll", () => this.inside && this.place(), true);
  }

  get inside() {
    return this.node.contains(this.mark);
  }

  /** A selector of what can be reached. */
  get reached() {
    return REACHED[this.name === "plane" && this.player.join.on ? "join" : this.name].join();
  }

  /** The marks of the step in the order of reading: from top to bottom, then from left to right. */
  marks() {
    return [...dataNodes(this.player.planeCard, this.reached)]
      .map((node) => ({ node, id: node.dataset.id ?? "", box: node.getBoundingClientRect() }))
      .sort((a, b) => a.box.top + a.box.bottom - b.box.top - b.box.bottom || a.box.left - b.box.left);
  }

  /** The focus goes on to a mark: what the Why card is about, the last one, or what matters most at this step. */
  enter() {
    const marks = this.marks();
    const there = new Set(marks.map(({ id }) => id));
    const { step, why } = this.player;
    const wanted = [why.subject, this.id, ...subjectsAt(this.player, step)].find((id) => id && there.has(id));
    this.go(wanted ?? marks[0]?.id ?? null);
  }

  leave() {
    this.mark.remove();
    this.node.tabIndex = 0;
  }

  go(id: string | null) {
    this.id = id;
    if (id === null) return;
    if (!this.inside) this.node.append(this.mark);
    // Shift and Tab leave the list instead of entering it again.
    this.node.tabIndex = -1;
    this.place(true);
    this.mark.focus({ preventScroll: true });
  }

  /**
   * Puts the ring around the mark, and says what it is.
   * @param scrolls whether the mark is brought into view
   */
  place(scrolls = false) {
    const { planeCard, step, why } = this.player;
    const marks = this.marks();
    const index = marks.findIndex(({ id }) => id === this.id);
    const found = marks[index];
    this.mark.hidden = !found;
    if (!found || this.id === null) return;
    if (scrolls) found.node.scrollIntoView({ block: "nearest", inline: "nearest" });
    const card = planeCard.getBoundingClientRect();
    const { left, top, width, height } = found.node.getBoundingClientRect();
    Object.assign(this.mark.style, {
      left: `${left - card.left - planeCard.clientLeft - REACH_AROUND}px`,
      top: `${top - card.top - planeCard.clientTop - REACH_AROUND}px`,
      width: `${width + 2 * REACH_AROUND}px`,
      height: `${height + 2 * REACH_AROUND}px`,
    });
    // The whole ring is seen, above the controls.
    if (scrolls) this.mark.scrollIntoView({ block: "nearest", inline: "nearest" });
    const about = {
      "aria-label": named(this.player, this.id, step),
      "aria-setsize": marks.length,
      "aria-posinset": index + 1,
      "aria-selected": why.subject !== null && why.subject === subjectOf(this.player, this.id, step),
    };
    for (const [name, value] of Object.entries(about)) this.mark.setAttribute(name, String(value));
  }

  key(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const { player } = this;
    const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (way) {
      const marks = this.marks();
      const here = marks.findIndex(({ id }) => id === this.id);
      this.go(marks[here + way]?.id ?? this.id);
    } else if (event.key === "Enter" || event.key === " ") {
      const subject = this.id && subjectOf(player, this.id, player.step);
      if (subject) player.why.open(subject);
      player.place.at(player.step);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  show() {
    // A list of nothing is no stop.
    const { planeCard, present } = this.player;
    this.node.hidden = present.on || (!this.inside && !planeCard.querySelector(this.reached));
    if (!this.inside) return;
    if (!this.marks().some(({ id }) => id === this.id)) this.enter();
    else this.place();
  }
}

/** Both lists. */
export class Reach {
  lists: MarkList[];

  constructor(player: Player) {
    this.lists = [new MarkList(player, "plane", player.canvas), new MarkList(player, "lanes", player.lanes.container)];
  }

  show() {
    for (const list of this.lists) list.show();
  }
}

// What a mark of the picture is called when a screen reader comes to it: what it is, and what became of it.

const NAME_LETTERS = 40;

/** The name of record, window, result, queued or buffered record `id` at `step`; empty where there is none. */
function named(player: Player, id: string, step: number) {
  const { facts, words } = player;
  const { marks } = words.why;
  const record = facts.where("records", "id", id, step)[0];
  if (record) {
    const what = say(marks.record, { item: record.item, fate: words.fates[record.fate] });
    const about = aboutRecord(record, player);
    return `${what}${words.joints.stop}${between(words.joints.stop, about)}${about}`;
  }
  const output = facts.where("outputs", "id", id, step)[0];
  if (output) return resultNamed(player, output);
  if (kindOf(id) === "window") return windowNamed(player, id, step);
  const waiting = facts.where("queue", "id", id, step)[0];
  if (waiting) return say(marks.queued, waiting);
  const buffered = facts.where("buffers", "id", id, step)[0];
  return buffered ? say(marks.buffered, buffered) : "";
}

function windowNamed({ facts, times, words }: Player, id: string, step: number) {
  const row = facts.where("windows", "id", id, step)[0];
  if (!row) return "";
  const { marks, global } = words.why;
  const held = windowContents(facts, row, step).map((each) => short(valueText(each.value), NAME_LETTERS));
  const window = row.start === null ? global : times.window(row.start, row.end);
  return [
    say(marks.window, { window, key: keyText(row.key), status: words.statuses[row.status] }),
    ...(held.length ? [say(marks.holds, { values: held.join(words.joints.list) })] : []),
    ...(row.result === null ? [] : [say(marks.result, { value: short(valueText(row.result), NAME_LETTERS) })]),
  ].join(words.joints.comma);
}

function resultNamed({ times, words }: Player, { row }: OutputFact) {
  const values = row.row === "joined" ? [pairValue(row.left), pairValue(row.right)] : [row.value ?? null];
  const { marks } = words.why;
  const value = values.map((each) => short(valueText(each), NAME_LETTERS)).join(words.joints.and);
  return [
    say(marks.result_row, { value }),
    ...(row.timing ? [words.timings[row.timing]] : []),
    ...((row.start ?? null) === null ? [] : [times.window(row.start, row.end)]),
    say(marks.of_key, { key: keyText(row.key) }),
  ].join(words.joints.comma);
}
