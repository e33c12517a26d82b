// The picture of the draft: the player's plane with handles on its records, and the steps of the run.
import { el, fill, icon, mark, pushButton } from "../player/base/dom.ts";
import { Table } from "../player/base/facts.ts";
import { say } from "../player/base/format.ts";
import { Plane } from "../player/picture/chart.ts";
import { Grips } from "./grips.ts";
import { AuthorPart } from "./author_part.ts";
import type { PartSignals } from "#types/payload";
import type { PlaneRow } from "../player/types/picture.ts";
import type { PackedTable, PlanePayload } from "../player/types/player.ts";
import type { Author } from "./author.ts";
import type { DraftFacts, DraftStep } from "./types.ts";

/** A plane that takes other facts without being built again; while a record is dragged its axes stay. */
class DraftPlane extends Plane {
  held: PartSignals | null = null;

  constructor(container: HTMLElement, payload: PlanePayload) {
    super(container, payload);
  }

  take(payload: PlanePayload) {
    const part = payload.parts[0];
    const { payload: before } = this as Plane;
    const same = payload.arrival_axis === before.arrival_axis;
    if (this.held && same && payload.parts.length === 1) part.signals = { ...part.signals, ...this.held };
    this.payload = payload;
    this.signals = payload.signals;
    this.part = part;
    this.drawn = null;
    for (const source of this.sources) {
      const rows = payload.sources[source.name] as PlaneRow[] | PackedTable;
      source.table = new Table(rows, payload.strings);
    }
  }

  /** Keeps the axes as they are, or lets them go. */
  hold(on: boolean) {
    this.held = on ? { ...this.part.signals } : null;
  }
}

export class Picture extends AuthorPart {
  node = el("section", "tm-card tm-au-picture", null, { "aria-label": this.author.words.picture.title });
  note = el("span", "tm-card-note", this.author.words.picture.hint);
  canvas = el("div", "tm-plane");
  field = el("div", "tm-au-plane");
  grips: Grips;
  strip = el("div", "tm-au-strip", null, { role: "status" });
  facts: DraftFacts | null = null;
  steps: Table<DraftStep> | null = null;
  /** null for the end of the run, however long it is */
  step: number | null = null;
  plane: DraftPlane | null = null;
  /** while the plane is being opened */
  opening: Promise<void> | null = null;
  range = el("input", "tm-au-range", null, { type: "range", min: "0", "aria-label": this.author.words.picture.step });
  place = el("span", "tm-au-place");
  beat = pushButton("tm-button tm-plain", null, () => this.author.addBeat(this.chosenStep));
  resizing?: ResizeObserver;

  constructor(author: Author) {
    super(author);
    const { words } = author;
    const head = fill(el("div", "tm-au-head"), el("h2", "", words.picture.title), this.note);
    this.field.append(this.canvas);
    this.grips = new Grips(author, this);
    this.range.addEventListener("input", () => this.go(Number(this.range.value)));
    this.beat.append(icon("flag"), el("span", "", words.picture.add_beat));
    const walk = fill(el("div", "tm-au-walk"), this.range, this.place, this.beat);
    this.node.append(head, this.field, walk, this.strip);
  }

  get last() {
    return Math.max((this.facts?.plane.steps ?? 1) - 1, 0);
  }

  /** The step that is shown. */
  get at() {
    return this.step === null ? this.last : Math.min(this.step, this.last);
  }

  /** The step that a new beat is for: where the fate of the chosen record is known, else the one that is shown. */
  get chosenStep() {
    const { chosen } = this.author;
    const record = this.step === null ? this.facts?.records.find((each) => each.item === chosen) : null;
    return record ? record.step : this.at;
  }

  async show(facts: DraftFacts) {
    this.facts = facts;
    const payload = { ...facts.plane, strings: facts.strings, words: this.author.base.player };
    if (!this.plane) {
      this.plane = new DraftPlane(this.canvas, payload);
      this.opening = this.plane.open();
      this.resizing = new ResizeObserver(() => this.layout());
      this.resizing.observe(this.canvas);
    } else {
      this.plane.take(payload);
    }
    this.steps = new Table(facts.steps, facts.strings);
    this.range.max = String(this.last);
    this.range.value = String(this.at);
    await this.opening;
    this.layout();
  }

  layout() {
    if (!this.plane) return;
    this.plane.resize(this.canvas.clientWidth, this.canvas.clientHeight);
    this.paint();
  }

  /** While a record is dragged, the axes and the size of the picture stay, however much there is to say below it. */
  hold(on: boolean) {
    const height = this.field.clientHeight;
    this.plane?.hold(on);
    this.field.style.flex = on ? `0 0 ${height}px` : "";
  }

  go(step: number) {
    this.step = step >= this.last ? null : Math.max(step, 0);
    this.range.value = String(this.at);
    this.paint();
  }

  paint() {
    if (!this.plane || !this.facts) return;
    this.plane.turn(this.at);
    this.plane.show(this.at);
    this.grips.draw();
    const { words } = this.author;
    const items = this.facts.plane.arrival_axis === "item" && this.facts.records.length > 0;
    const hint = words.picture[this.facts.stream.generated ? "hint_fixed" : "hint"];
    this.note.textContent = items ? words.picture.counts_items : hint;
    this.note.title = this.note.textContent;
    this.place.textContent =
      this.step === null ? words.picture.whole_run : say(words.picture.at_step, { step: this.at, last: this.last });
    this.say();
    this.author.story.tellStep();
  }

  /** What happened to the chosen record, or at the chosen step. */
  say() {
    const { words, chosen, facts } = this.author;
    if (!facts) return;
    const record = this.step === null ? facts.records.find((each) => each.item === chosen) : null;
    const step = record ? record.step : this.at;
    const told = this.last || facts.plane.steps ? this.steps?.row(Math.min(step, this.last)) : null;
    this.strip.classList.toggle("tm-au-strip-on", Boolean(record) || this.step !== null);
    if (!told || (this.step === null && !record)) {
      fill(this.strip, this.counts(facts));
      return;
    }
    const because = record?.because; // the window decides; the comparison after it only comes to the same result
    const text = because?.why ? `${told.what} ${because.why}` : told.what;
    fill(
      this.strip,
      el("span", "tm-au-strip-text", text, { title: text }),
      el("code", "", because?.predicate ?? told.predicate, because ? { title: because.formula } : {}),
    );
    if (facts.cut) this.strip.append(el("span", "tm-quiet", words.cut_short));
  }

  counts({ counts, cut }: DraftFacts) {
    const { words } = this.author;
    const one = (kind: string, count: number, text: string) => {
      return fill(el("span", "tm-au-count-of"), mark(kind), el("b", "", count), ` ${text}`);
    };
    const parts = [
      one("fired", counts.results, words.picture.results),
      one("on-time", counts.on_time, words.picture.on_time),
      ...(counts.missed ? [one("late", counts.missed, words.picture.missed)] : []),
      one("late", counts.late, words.picture.late),
      ...(counts.side ? [one("side", counts.side, words.picture.fates.side)] : []),
      one("dropped", counts.dropped, words.picture.dropped),
      ...(counts.filtered ? [one("filtered", counts.filtered, words.picture.fates.filtered)] : []),
    ];
    return cut ? [...parts, el("span", "tm-quiet", cut)] : parts;
  }

  close() {
    this.resizing?.disconnect();
    this.plane?.close();
    this.grips.close();
  }
}
