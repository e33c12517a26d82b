// Jumps: to the next and the previous step of a kind, by key or from the menu beside the transport.
import { dataNodes, el, fill, icon, mark, pushButton } from "../base/dom.ts";
import { say, sentences } from "../base/format.ts";
import { Pop } from "./glossary.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { Player } from "../player.ts";

type JumpSteps = import("#types/payload").Jumps;

/** The key of each kind of jump; with Shift it goes to the one before. The steps come from ui/payload/contents.py. */
export const JUMP_KEYS: { [Kind in keyof JumpSteps]: string } = {
  firing: "f",
  late: "l",
  merge: "m",
  watermark: "u",
  timer: "a",
  checkpoint: "k",
};

export const JUMP_KINDS = Object.keys(JUMP_KEYS) as (keyof JumpSteps)[];

const MARK_OF: { [Kind in keyof JumpSteps]?: string } = { firing: "fired", late: "late", watermark: "watermark" };
const MOST_IN_LIST = 200;

/** Of ascending `steps` the first one after `step`, or the last one before it; undefined where there is none. */
export function neighbour(steps: number[], step: number, direction: number) {
  let low = 0;
  let high = steps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (direction > 0 ? steps[middle] <= step : steps[middle] < step) low = middle + 1;
    else high = middle;
  }
  return direction > 0 ? steps[low] : steps[low - 1];
}

export class Jumps extends PlayerPart {
  menu = new Pop("tm-jump-menu", this.player.words.jumps.title, { loose: true });
  kinds = JUMP_KINDS.map((kind) => ({ kind, steps: this.player.payload.jumps[kind] ?? [] }));
  list = el("ul", "tm-jump-kinds");
  rows: { count: HTMLElement; told: string; buttons: HTMLButtonElement[]; there: boolean }[] = [];
  hides = false;
  marked = el("ul", "tm-jump-marked");
  node: HTMLDivElement;

  constructor(player: Player) {
    super(player);
    const { words } = player;
    this.menu.onOpen = () => this.listBookmarks();
    this.menu.first = () => dataNodes(this.list, "button:enabled + button")[0] ?? null;
    for (const each of this.kinds) this.list.append(this.row(each));
    this.menu.node.append(el("h2", "", words.jumps.title), this.list, el("h2", "", words.bookmarks.title), this.marked);
    this.node = this.control();
  }

  /** The button beside the scrubber: the next step of the first kind there is, and the menu of all. */
  control() {
    const { words } = this.player;
    const first = this.kinds.find((each) => each.steps.length) ?? this.kinds[0];
    const next = pushButton("tm-button tm-next", say(words.jumps.next, { kind: words.jumps[first.kind] }), () =>
      this.go(first.kind, 1),
    );
    next.append(el("kbd", "", JUMP_KEYS[first.kind].toUpperCase()));
    const open = el("button", "tm-icon-button tm-jump-open", null, {
      type: "button",
      title: `${words.jumps.open} (J)`,
      "aria-label": `${words.jumps.open} (J)`,
    });
    open.append(icon("chevron"));
    this.menu.openedBy(open);
    return fill(el("div", "tm-jump"), next, open);
  }

  row({ kind, steps }: { kind: keyof JumpSteps; steps: number[] }) {
    const { words } = this.player;
    const name = el("span", "tm-jump-name");
    name.append(MARK_OF[kind] ? mark(MARK_OF[kind]) : el("span", "tm-mark"), words.jumps[kind]);
    const told = steps.length ? say(words.jumps.of_kind, { count: steps.length }) : words.jumps.none;
    const count = el("span", "tm-jump-count", told);
    const buttons: HTMLButtonElement[] = [];
    const row = fill(el("li", "tm-jump-row"), name, count);
    const key = JUMP_KEYS[kind].toUpperCase();
    for (const { direction, symbol, label, caps } of [
      { direction: -1, symbol: "back", label: words.jumps.previous, caps: ["⇧", key] },
      { direction: 1, symbol: "forward", label: words.jumps.next, caps: [key] },
    ]) {
      const text = say(label, { kind: words.jumps[kind] });
      const button = pushButton("tm-button", null, () => this.go(kind, direction), { "aria-label": text, title: text });
      button.append(icon(symbol), ...caps.map((cap: string) => el("kbd", "", cap)));
      button.disabled = steps.length === 0;
      buttons.push(button);
      row.append(button);
    }
    this.rows.push({ count, told, buttons, there: steps.length > 0 });
    return row;
  }

  /** How many of a kind there are, and whether any, belongs to the future. */
  show() {
    const hides = this.player.present.hidesFuture;
    if (hides === this.hides) return;
    this.hides = hides;
    for (const { count, told, buttons, there } of this.rows) {
      count.textContent = hides ? "" : told;
      for (const button of buttons) button.disabled = !hides && !there;
    }
  }

  /** The bookmarks, with the sentence of their step; the last row sets or takes away the one of this step. */
  listBookmarks() {
    if (!this.menu.isOpen) return;
    const { player } = this;
    const { words, bookmarks } = player;
    const rows = bookmarks.steps.slice(0, MOST_IN_LIST).map((step) => {
      const there = pushButton("tm-button tm-jump-there", null, () => player.go(step));
      if (step === player.step) there.setAttribute("aria-current", "step");
      there.append(
        el("b", "", say(words.bookmarks.entry, { step })),
        el("span", "tm-jump-what", player.said(step).what),
      );
      const remove = el("button", "tm-icon-button", null, {
        type: "button",
        "aria-label": say(words.bookmarks.remove, { step }),
        title: say(words.bookmarks.remove, { step }),
      });
      remove.append(icon("remove"));
      remove.addEventListener("click", () => {
        bookmarks.toggle(step);
        this.marked.querySelector("button")?.focus();
      });
      return fill(el("li", "tm-jump-row"), there, remove);
    });
    const add = pushButton("tm-button", words.bookmarks.add, () => {
      bookmarks.toggle(player.step);
      this.marked.querySelector("button")?.focus();
    });
    add.prepend(icon("bookmark"));
    add.append(el("kbd", "", "B"));
    const last = fill(el("li", "tm-jump-row"), add);
    fill(this.marked, rows, bookmarks.has(player.step) ? null : last);
  }

  /** To the next step of `kind` (`direction` 1) or the one before (-1); beyond the last one the first one again. */
  go(kind: keyof JumpSteps, direction: number) {
    this.goTo(this.kinds.find((each) => each.kind === kind)?.steps ?? [], direction);
  }

  goTo(steps: number[], direction: number) {
    const step = neighbour(steps, this.player.step, direction) ?? (direction > 0 ? steps[0] : steps[steps.length - 1]);
    if (step !== undefined) this.player.go(step);
    else this.player.live.tell(this.player.words.jumps.none);
  }
}

// What screen readers read out: what happened and why, once the reader rests at a step; nothing while the run plays.

const REST = 180;

export class LiveRegion extends PlayerPart {
  node = el("div", "tm-visually-hidden tm-live", null, {
    role: "status",
    "aria-live": "polite",
    "aria-atomic": "true",
  });
  quiet = false;
  timer?: ReturnType<typeof setTimeout>;
  /** an announcement, and the words of the step that it replaced */
  announced: { text: string; instead: string } | null = null;

  show() {
    if (this.quiet) return;
    this.later(() => {
      const said = this.spoken();
      // The page is drawn again now and then: an announcement stays until the step has something new to say.
      if (this.announced?.instead === said) return this.announced.text;
      this.announced = null;
      return said;
    });
  }

  spoken() {
    return (
      this.player.present.spoken() ?? this.player.predictor.spoken() ?? this.player.story.spoken() ?? this.ofStep()
    );
  }

  ofStep() {
    const { what, why } = this.player.said(this.player.step);
    return sentences(what, why, this.player.watches.news());
  }

  /** Announces `text` instead of the step's words. */
  tell(text: string) {
    this.announced = { text, instead: this.spoken() };
    this.later(() => text);
  }

  later(text: () => string) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const said = text();
      if (this.node.textContent !== said) this.node.textContent = said;
    }, REST);
  }

  /** Whether new sentences are read out. */
  on(live: boolean) {
    this.quiet = !live;
    this.node.setAttribute("aria-live", live ? "polite" : "off");
    if (live) this.show();
  }

  close() {
    clearTimeout(this.timer);
  }
}
