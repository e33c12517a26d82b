// Two runs under one cursor: mounts the comparison and moves both sides through the same moments.
import { el, fill, freeArrows, nearest } from "../player/base/dom.ts";
import { Times, say } from "../player/base/format.ts";
import { sameBytes, unpack } from "../player/base/facts.ts";
import { choices, titleRow } from "./head.ts";
import { CursorBar, placeIn, viewIn, write } from "./cursor.ts";
import { canOverlay, showOverlaid } from "./overlay.ts";
import { ComparePresentation } from "./presented.ts";
import { Side } from "./side.ts";
import { Results } from "./results.ts";
import { Tools } from "./tools.ts";
import type { Mounting } from "../player/types/player.ts";
import type {
  Address,
  CompareData,
  Compared,
  Handed,
  KeptPlace,
  Question,
  Result,
  CursorMoment,
  Search,
} from "./types.ts";
import type { CompareWords } from "#types/words";

/** A comparison on the page: the bytes that it was made from, and the number of its last mounting. */
interface Mounted {
  host: HTMLElement;
  bytes: Uint8Array | null;
  kept: KeptPlace;
  view: Comparison | null;
  turn: number;
}

const WRITING_MS = 250;

const COMPARISONS: WeakMap<HTMLElement, Mounted> = new WeakMap();

class Comparison implements Compared {
  data: CompareData;
  ask: (question: Question) => void;
  words: CompareWords;
  cursor: CursorMoment[];
  byItem;
  kept: KeptPlace;
  times: Times;
  last: number;
  place: number;
  closed = false;
  writing?: number;
  onLeave;
  onKey;
  root = el("div", "tidemark-player tidemark-compare", null, { "data-ready": "false" });
  lead = el("p", "tm-compare-lead", null, { "aria-live": "polite" });
  sides: Side[];
  overlay: boolean;
  views: HTMLButtonElement[];
  present: ComparePresentation;
  results: Results;
  tools: Tools;
  bar: CursorBar;
  planes = el("div", "tm-compare-planes");
  equal: HTMLParagraphElement;
  resizing?: ResizeObserver;

  /** @param ask asks the server */
  constructor(host: HTMLElement, data: CompareData, kept: KeptPlace, ask: (question: Question) => void) {
    this.data = data;
    this.ask = ask;
    this.words = data.words;
    this.cursor = data.cursor;
    const [left, right] = data.sides.map(({ plane }) => plane && plane.arrival_axis === "item");
    this.byItem = { left: Boolean(left), right: Boolean(right ?? left) };
    this.kept = kept;
    this.times = new Times(data.style, data.sides[0].plane.words);
    this.last = this.cursor.length - 1;
    this.place = Math.min(placeIn(window.location.search, data.cursor) ?? kept.place ?? this.last, this.last);
    Object.assign(kept, viewIn(window.location.search, kept));
    this.onLeave = () => this.settle();
    this.onKey = (event: KeyboardEvent) => this.key(event);
    this.sides = data.sides.map((side, index) => new Side(this, side, index));
    const possible = canOverlay(this.sides);
    this.overlay = Boolean(kept.overlay) && possible;
    this.views = [this.viewButton("side_by_side", false), this.viewButton("overlay", true)];
    this.views[1].disabled = !possible;
    if (!possible) this.views[1].title = data.words.no_overlay;
    this.present = new ComparePresentation(this);
    this.results = new Results(this);
    this.tools = new Tools(this, [this.results]);
    this.bar = new CursorBar(this);
    this.equal = el("p", "tm-compare-equal", data.differing ? data.words.overlay_same_here : data.words.overlay_same);
    this.equal.hidden = true;
    this.planes.append(...this.sides.map((side) => side.node), this.equal);
    this.root.append(
      titleRow(this, [...this.views, this.present.button]),
      this.present.head,
      choices(this, this.lead),
      this.planes,
      this.present.words,
      this.tools.node,
      this.bar.node,
    );
    freeArrows(this.root);
    fill(host, this.root);
    this.present.begin();
  }

  viewButton(name: "side_by_side" | "overlay", overlay: boolean) {
    const button = el("button", "tm-button tm-plain tm-compare-view", this.words[name], {
      type: "button",
      "aria-pressed": String(overlay === this.overlay),
    });
    button.addEventListener("click", () => {
      this.lay(overlay);
      this.settle();
    });
    return button;
  }

  /** Compares what another address names. */
  choose(address: Address) {
    this.settle();
    this.kept.place = this.place;
    this.ask({ what: "address", address });
  }

  /** Asks, and returns true, unless the answer is on the page: sent again it would be the same bytes. */
  search(search: Search) {
    if (isAnswered(this.data, search)) return false;
    this.kept.asked = search.what;
    this.ask(search);
    return true;
  }

  give(handed: Handed) {
    this.settle();
    this.ask(handed);
  }

  /** Compares with another number on one side. */
  set(side: string, name: string, value: number | string) {
    this.choose({ ...this.data.address, [`${side}.${name}`]: String(value) });
  }

  async start() {
    window.addEventListener("keydown", this.onKey);
    await Promise.all(this.sides.map((side) => side.open()));
    if (this.closed) return;
    this.resizing = new ResizeObserver(() => this.layout());
    this.resizing.observe(this.planes);
    this.lay(this.overlay);
    this.tools.reveal(this.kept.asked);
    this.kept.asked = null;
    window.addEventListener("tidemark:leaving", this.onLeave);
    this.settle();
    this.root.dataset.ready = "true";
    this.tools.start();
  }

  /** Side by side, or one over the other with only what differs. */
  lay(overlay: boolean) {
    this.overlay = overlay;
    this.kept.overlay = overlay;
    this.planes.dataset.overlay = String(overlay);
    this.sayEqual(false);
    this.views.forEach((button, index) => button.setAttribute("aria-pressed", String(Boolean(index) === overlay)));
    this.layout();
  }

  layout() {
    this.present.fit();
    const [below, above] = this.sides.map(({ plane }) => plane);
    if (above) above.layOver(this.overlay ? below : null);
    this.sides.forEach((side) => side.layout());
    this.bar.layout();
    this.paint();
  }

  go(place: number) {
    const wanted = Math.min(Math.max(place, 0), this.last);
    if (wanted === this.place) return;
    this.place = wanted;
    this.kept.place = wanted;
    this.paint();
    clearTimeout(this.writing);
    this.writing = setTimeout(() => this.settle(), WRITING_MS);
  }

  /** The address names what is shown, so that a reload shows the same. */
  settle() {
    clearTimeout(this.writing);
    if (!this.closed) write(this);
  }

  /** The next place at which a result differs; null if there is none. */
  nextDifference() {
    const here = this.cursor[this.place].moment;
    const moments = this.data.rows
      .filter((row) => row.kind !== "same")
      .flatMap((row) => [row.left, row.right])
      .flatMap((each) => (each && each.moment > here ? [each.moment] : []));
    if (!moments.length) return null;
    return this.cursor.findIndex((each) => each.moment === Math.min(...moments));
  }

  /** Says over the planes that they show the same. */
  sayEqual(equal: boolean) {
    this.equal.hidden = !equal;
    this.planes.classList.toggle("tm-compare-same", equal);
  }

  paint() {
    if (this.closed) return;
    const here = this.cursor[this.place];
    this.root.dataset.moment = String(here.moment);
    this.sides.forEach((side, index) => (side.step = here.steps[index]));
    if (this.overlay) this.sayEqual(showOverlaid(this.sides));
    else this.sides.forEach((side) => side.show());
    this.results.show(here.moment);
    this.bar.show();
    fill(this.lead, ...this.leadParts(here.moment));
    this.present.show();
  }

  leadParts(moment: number) {
    const { words, data } = this;
    const seen = (each: Result | null) => each !== null && each.moment <= moment;
    const counts = { a: 0, b: 0, value: 0, time: 0 };
    for (const row of data.rows.filter(({ kind }) => kind !== "same")) {
      if (seen(row.left) && seen(row.right)) {
        if (row.kind === "value" || row.kind === "time") counts[row.kind] += 1;
      } else if (seen(row.left)) {
        counts.a += 1;
      } else if (seen(row.right)) {
        counts.b += 1;
      }
    }
    const count = counts.a + counts.b + counts.value + counts.time;
    const total = data.differing;
    const atEnd = this.place >= this.last;
    const head = !total
      ? words.no_differences
      : atEnd
        ? data.headline
        : count
          ? say(words.up_to_here, { count, total })
          : say(words.up_to_here_none, { total });
    const counted: [number, string][] = [
      [counts.a, words.only_a],
      [counts.b, words.only_b],
      [counts.value, words.other_value],
      [counts.time, words.other_time],
    ];
    const parts = counted
      .filter(([number]) => number && !atEnd)
      .map(([number, text]) => ` · ${say(text, { count: number })}`);
    if (!total) {
      parts.push(` · ${data.sides[1].settings.length ? words.no_differences_try : words.no_differences_choose}`);
    }
    if (!data.belief) return [el("b", "", head), parts.join("")];
    const first = this.cursor.find((each) => each.moment === data.parting);
    const verdict = first ? say(words.goes_wrong, { record: first.item }) : words.never_wrong;
    return [el("b", "", verdict), ` · ${head}`, parts.join("")];
  }

  key(event: KeyboardEvent) {
    if (nearest(event, "select, input, textarea")) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const acts: { [key: string]: (() => void) | undefined } = {
      ArrowRight: () => this.go(this.place + 1),
      ArrowLeft: () => this.go(this.place - 1),
      Home: () => this.go(0),
      End: () => this.go(this.last),
      " ": () => this.bar.toggle(),
      d: () => this.go(this.nextDifference() ?? this.place),
      D: () => this.go(this.nextDifference() ?? this.place),
      p: () => this.present.toggle(),
      ...(this.present.on
        ? {
            PageDown: () => this.present.page(1),
            PageUp: () => this.present.page(-1),
            s: () => this.present.showTools(),
            Escape: () => this.present.back(),
          }
        : {}),
    };
    const act = acts[event.key];
    if (!act || (event.key === " " && nearest(event, "button"))) return;
    event.preventDefault();
    act();
  }

  close() {
    this.closed = true;
    this.present.close();
    this.bar.stop();
    clearTimeout(this.writing);
    window.removeEventListener("keydown", this.onKey);
    window.removeEventListener("tidemark:leaving", this.onLeave);
    this.resizing?.disconnect();
    this.sides.forEach((side) => side.close());
    this.tools.close();
  }
}

function isAnswered({ sweep, smallest, fewest, fires, difference }: CompareData, search: Search) {
  const answers: { [what in Search["what"]]: boolean } = {
    sweep: sweep?.setting === search.setting,
    smallest: smallest !== null,
    fewest: fewest?.shows === search.shows,
    fires: String(fires?.window) === search.window?.split(" ")[0],
    stream: difference !== null,
  };
  return answers[search.what];
}

/**
 * Streamlit calls this at each run of the page; other bytes mount the comparison again, at the place where it stood.
 */
export default function mount({ data, parentElement, setTriggerValue }: Mounting<Uint8Array<ArrayBuffer> | null>) {
  const here: Mounted = COMPARISONS.get(parentElement) ?? {
    host: el("div", "tm-host"),
    bytes: null,
    kept: {},
    view: null,
    turn: 0,
  };
  COMPARISONS.set(parentElement, here);
  if (!here.host.isConnected) parentElement.append(here.host);
  if (data && !sameBytes(here.bytes, data)) {
    here.bytes = data;
    const turn = (here.turn += 1);
    unpack(data).then((contents: CompareData) => {
      if (turn !== here.turn) return;
      here.view?.close();
      const ask = (question: Question) => setTriggerValue("ask", { ...question, at: Date.now() });
      here.view = new Comparison(here.host, contents, here.kept, ask);
      here.view.start();
    });
  }
  return () => {
    here.turn += 1;
    here.view?.close();
    COMPARISONS.delete(parentElement);
  };
}
