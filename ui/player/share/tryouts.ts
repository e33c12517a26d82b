// Try-outs: a number changed in the sentence, or a record moved in the picture. The server runs the changed scenario,
// and another player shows it in the place of this one, with the original as a ghost and a line on what changed.
import { addressOf, embeddedInAddress, goTo, inAddress, linkTo, ownInAddress } from "../base/address.ts";
import { coded, el, fill, svg, pushButton } from "../base/dom.ts";
import { say } from "../base/format.ts";
import { keepLeftOut, readKept, writeKept } from "../base/kept.ts";
import { unpack } from "../base/facts.ts";
import { plot } from "../why/subjects.ts";
import { ask } from "./desk.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { Area, Edit, Effect, Held, Insert, Original, Remedy, TryOut } from "../types/player.ts";
import type { Player } from "../player.ts";
import type { FiresSaid } from "../types/share.ts";
import type { RecordFact } from "#types/payload";

const KEPT_CHANGE = "tidemark.tryout";

/** How long (ms) the picture waits for a changed run. */
const TRYING_MS = 15000;

/** The edit of what is held where it was taken, as JSON. */
const NOTHING = JSON.stringify(null);

/** Whether nothing can be asked for after this edit any more. */
function isLast({ released, wanted }: Held, edit: Edit) {
  return released && JSON.stringify(wanted) === JSON.stringify(edit);
}

/** The player that took the place of this one gets the focus. */
function focusOther() {
  const root: HTMLElement | null = document.querySelector(".tidemark-player");
  root?.focus({ preventScroll: true });
}

/** The server follows the address. */
function followSwap() {
  focusOther();
  window.dispatchEvent(new PopStateEvent("popstate", { state: window.history.state }));
}

export class TryOuts {
  player: Player;
  now: TryOut | null;
  busy = false;
  node = el("section", "tm-tryout", null, { "aria-live": "polite" });
  ghost = svg("g", { "aria-hidden": "true" });
  problem = el("p", "tm-tryout-problem");
  onPop;

  /** @param now what this player shows instead of the original; null for the original itself */
  constructor(player: Player, now: TryOut | null) {
    this.player = player;
    this.now = now;
    player.root.classList.toggle("tm-tried", now !== null);
    if (now) this.tell(now);
    else this.offer();
    if (now && this.stays) player.place.hold(now.original.step, now.original.payload.steps);
    this.onPop = () => {
      if (!this.now || this.stays) return;
      if (inAddress(this.now.address[0]) === null) this.back();
    };
    window.addEventListener("popstate", this.onPop);
  }

  /** Whether numbers can be changed and records be moved here. */
  get possible() {
    const { player } = this;
    return !player.alone && !player.present.on && !player.facts.all("batches").length;
  }

  /**
   * Whether a change keeps to the place where it is made: a scene of the visit has one thing to do on each screen, and
   * a frame has no other page to lead to.
   */
  get stays() {
    return this.player.visit.on || embeddedInAddress();
  }

  tell(now: TryOut) {
    const { words } = this.player;
    const texts = words.tryout;
    const said = fill(el("p", "tm-tryout-said"), el("b", "", now.what), " ", el("span", "", now.line));
    const back = this.button(texts.back, () => this.back(), texts.back_note);
    back.append(el("kbd", "", "Esc"));
    const links = fill(el("div", "tm-tryout-links"), back);
    this.node.append(said, links, this.problem);
    // The picture stays where it is below the pointer.
    this.node.hidden = now.live === true;
    if (now.live) return;
    if (this.stays) return;
    const draft = this.button(
      texts.draft,
      () => {
        this.forget();
        keepLeftOut(now.draft.address, now.draft.left_out);
        globalThis.tidemarkPlaces?.open(linkTo("author", [now.draft.address]));
      },
      now.draft.left_out || texts.draft,
    );
    links.append(this.comparison(now) ?? "", draft);
    this.keep(now);
  }

  /** Both runs on the page Compare; null for an original that no address names beside another. */
  comparison({ original, address }: Pick<TryOut, "original" | "address">, text = this.player.words.tryout.compare) {
    if (original.own) return null;
    const href = linkTo("compare", [address, ["with", original.payload.name]]);
    return el("a", "tm-button tm-plain", text, { href });
  }

  button(text: string, run: () => void, note: string = text) {
    return pushButton("tm-button tm-plain", text, run, { title: note });
  }

  // --- to change and to take back ----------------------------------------------------------------------------------

  /**
   * Runs the scenario as shown with `edit` (ui/author/edits.py), and shows it in the place of this one.
   * @param meant the window that the
   *   edit is to fire, or the record that it is to release, which is shown then; who says why nothing was changed, else
   *   a line above the picture does; what is `held` meanwhile: then it is an edit of what was shown when it was taken
   */
  async make(
    edit: Edit,
    {
      refused = (problem) => this.fail(problem),
      held,
      ...meant
    }: { window?: string; effect?: Effect; held?: Held; refused?: (problem: string) => void } = {},
  ) {
    const { player, now } = this;
    if (this.busy) {
      refused(player.words.tryout.busy);
      return;
    }
    this.busy = true;
    player.root.classList.toggle("tm-trying", !held);
    player.transport.stop();
    try {
      const original = now?.original ?? this.original();
      const asking = held?.before.asking ?? { ...this.asking(), step: player.step };
      const { said, body } = await ask("tryout", { ...asking, ...meant, edit }, TRYING_MS);
      const live = held !== undefined && !isLast(held, edit);
      if (held) held.shown = JSON.stringify(edit);
      if (!live) player.drag.over();
      if (said.problem !== undefined) {
        refused(said.problem);
      } else if (!player.closed) {
        const payload = await unpack(body);
        const { text, address, draft, what, line, ghost, step } = said;
        const { onward } = this;
        const next = { text, address, draft, what, line, ghost, step, onward, original, live };
        const from = held ? held.before.now : now;
        if (live) {
          player.swap(
            { ...payload, visit: player.payload.visit, library: player.payload.library, badges: [] },
            body,
            next,
          );
        } else if (this.stays) {
          player.place.write();
          player.swap({ ...payload, visit: player.payload.visit, badges: [] }, body, next);
          focusOther();
        } else {
          this.address(address, step, from === null);
          player.swap({ ...payload, library: player.payload.library, badges: [] }, body, next);
          followSwap();
        }
      }
    } catch {
      if (held) player.drag.over();
      refused(player.words.tryout.failed);
    } finally {
      this.busy = false;
      player.root.classList.remove("tm-trying");
    }
  }

  /** What is shown now, of which each edit of something held is one. */
  before(): Held["before"] {
    const { player, now } = this;
    return { payload: player.payload, packed: player.packed, now, asking: { ...this.asking(), step: player.step } };
  }

  /** Shows the run that `held` asks for now, one answer of the server after another; the last once it is let go. */
  follow(held: Held) {
    if (this.busy || this.player.closed) return;
    const { before, released, shown, wanted } = held;
    if (wanted) {
      if (released || JSON.stringify(wanted) !== shown) {
        this.make(wanted, { held, refused: (problem) => released && this.fail(problem) }).then(() =>
          this.player.drag.goOn(),
        );
      }
      return;
    }
    if (released) this.player.drag.over();
    if (shown === NOTHING) return;
    held.shown = NOTHING;
    this.player.swap(before.payload, before.packed, before.now);
  }

  /** What every question about a change carries: the text so far, and how an address names the original. */
  asking() {
    const { own, payload } = this.now?.original ?? this.original();
    return { text: this.now?.text ?? null, original: Object.fromEntries([own ?? ["scenario", payload.name]]) };
  }

  /** @returns what is shown before the first change */
  original(): Original {
    const { payload, packed, step } = this.player;
    return { payload, packed, step, own: ownInAddress() };
  }

  /** The address of what is shown next; the first change is a place of its own in the browser's history. */
  address(named: [name: string, value: string], step: number, another: boolean) {
    const { player } = this;
    player.place.leave();
    goTo(addressOf(player.payload.name, step, player.view, named), another);
  }

  /** Whether the reader went on to another step since a first change. */
  get onward() {
    return this.now !== null && (this.now.onward || this.player.step !== this.now.step);
  }

  /** The original again: at the step of the first change, or, where it has an address, at the item gone on to. */
  back() {
    const { player, now } = this;
    if (!now) return;
    this.forget();
    const { payload, packed, own } = now.original;
    if (this.stays) {
      player.place.write();
      player.swap(payload, packed, null);
      focusOther();
      return;
    }
    const item = this.onward ? player.facts.at("steps", player.step)[0].item : undefined;
    this.address(own ?? ["scenario", payload.name], now.original.step, false);
    player.swap(payload, packed, null, item);
    followSwap();
  }

  fail(problem: string) {
    fill(this.problem, coded(problem));
    if (!this.node.contains(this.problem)) this.node.append(this.problem);
    this.node.hidden = false;
    this.player.live.tell(this.problem.textContent ?? problem);
    this.player.layout();
  }

  // --- nothing is lost ---------------------------------------------------------------------------------------------

  keep({ address, what, original }: TryOut) {
    if (original.own) return;
    writeKept(KEPT_CHANGE, { scenario: original.payload.name, address, what }, "tab");
  }

  forget() {
    writeKept(KEPT_CHANGE, null, "tab");
  }

  /** Whoever left the page with a change is offered it when the original is open again. */
  offer() {
    const { player } = this;
    this.node.hidden = true;
    const kept = readKept(KEPT_CHANGE, soundChange, "tab");
    if (!kept || kept.scenario !== player.payload.name || player.alone || this.stays) return;
    const texts = player.words.tryout;
    const show = el("a", "tm-button tm-plain", texts.keep, { href: linkTo("", [kept.address]) });
    const leave = this.button(texts.leave, () => {
      this.forget();
      this.node.hidden = true;
      player.layout();
    });
    const links = fill(el("div", "tm-tryout-links"), show, leave);
    this.node.append(el("p", "tm-tryout-said", say(texts.kept, kept)), links);
    this.node.hidden = false;
  }

  // --- the ghost ---------------------------------------------------------------------------------------------------

  show(step: number) {
    this.ghost.replaceChildren();
    const area = this.now && plot(this.player);
    if (!area || this.player.canvas.classList.contains("tm-covered")) return;
    const fact = this.player.facts.at("steps", step)[0];
    this.draw(area, this.player.payload.arrival_axis === "at" ? fact.at : fact.item);
  }

  /**
   * Where the records were, and the watermark of the original up to the present moment: within the picture, below what
   * the changed run has there, so that no text is struck through.
   */
  draw(area: Area, until: number) {
    const { records, watermark } = (this.now as TryOut).ghost;
    const { big } = this.player.plane;
    for (const [time, arrival] of records) {
      if (!area.holdsMoment(arrival)) continue;
      const [cx, cy] = [area.x(time) / big, area.y(arrival) / big];
      this.ghost.append(svg("circle", { cx, cy, r: 10, class: "tm-ghost-record" }));
    }
    const rises = watermark.filter(([, arrival]) => arrival <= until && area.holdsMoment(arrival));
    if (!rises.length) return;
    const path = rises.map(([value, arrival], index) => {
      const [x, y] = [area.x(value) / big, area.y(arrival) / big];
      return index ? `V${y}H${x}` : `M${x} ${y}`;
    });
    path.push(`V${area.y(until) / big}`);
    this.ghost.append(svg("path", { d: path.join(""), class: "tm-ghost-watermark" }));
  }

  close() {
    window.removeEventListener("popstate", this.onPop);
  }
}

function soundChange({
  scenario,
  address,
  what,
}: any): { scenario: string; address: [string, string]; what: string } | null {
  const isText = (each: unknown) => typeof each === "string";
  const texts = [scenario, what, ...address];
  return texts.length === 4 && texts.every(isText) ? { scenario, address, what } : null;
}

// What the server finds out by other runs, asked once for each record, and once for each advice of a card.

/** How long (ms) a card must stay open at a step before the server is asked: no run for each step of playing. */
const STAYS = 250;

/** What the server found, or that it is searching, by record. */
export class Searches extends PlayerPart {
  found: Map<string, Remedy[] | "searching" | "failed"> = new Map();
  fired: Map<string, FiresSaid | null> = new Map();

  /** What is known of a record's remedies so far; the first time that somebody asks, the search begins. */
  of(row: RecordFact, settings: string[]) {
    const known = this.found.get(row.id);
    if (known !== undefined) return known;
    this.found.set(row.id, "searching");
    ask("remedies", { item: row.item, settings })
      .then(({ said }) => this.found.set(row.id, said.remedies ?? "failed"))
      .catch(() => this.found.set(row.id, "failed"))
      .then(() => this.player.why.show(this.player.step));
    return "searching";
  }

  /**
   * The address of the scenario with `edit`, if that has the effect on `window` (a window, or a record that waits), or
   * why it has not; null while nobody knows.
   */
  fires(window: string, effect: Effect, edit: Insert, step: number) {
    const { player } = this;
    const name = JSON.stringify([window, effect, edit]);
    const known = this.fired.get(name);
    if (known !== undefined) return known;
    this.fired.set(name, null);
    setTimeout(() => {
      if (player.closed || player.step !== step) {
        this.fired.delete(name);
        return;
      }
      ask("fires", { ...player.tryouts.asking(), window, effect, edit, step })
        .then(({ said }) => {
          this.fired.set(name, said);
          if (!player.closed) player.why.show(player.step);
        })
        .catch(() => this.fired.delete(name));
    }, STAYS);
    return null;
  }
}
