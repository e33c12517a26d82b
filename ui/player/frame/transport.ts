// The transport bar: buttons, speed, the scrubber between them, and the jumps.
import { valueInAddress } from "../base/address.ts";
import { el, fill, icon, pushButton } from "../base/dom.ts";
import { say } from "../base/format.ts";
import { isWhole, readKept, soundList, soundTable, writeKept } from "../base/kept.ts";
import { PlayerPart } from "../base/player_part.ts";
import type { Player } from "../player.ts";

/** Between the transport and a panel above it, px: 4-transport.css. */
const PANEL_GAP = 6;
const SPEEDS = [0.5, 1, 2, 4, 8, 16];

export class Transport extends PlayerPart {
  node = el("div", "tm-transport");
  buttons = el("div", "tm-buttons");
  fastBack: HTMLButtonElement;
  back: HTMLButtonElement;
  playButton = pushButton("tm-button tm-primary tm-play", null, () => this.toggle(), { title: "Space" });
  playWord = el("span", "tm-play-word");
  forward: HTMLButtonElement;
  fastForward: HTMLButtonElement;
  speed = el("select", "tm-speed", null, { "aria-label": this.player.words.speed });
  count = el("div", "tm-count");
  timer: number | null = null;
  /** How the count is worded. */
  template = "";

  constructor(player: Player) {
    super(player);
    const { words } = player;
    const button = (name: string, label: string, action: () => void) => {
      const node = pushButton("tm-icon-button", null, action, { title: label, "aria-label": label });
      node.append(icon(name));
      this.buttons.append(node);
      return node;
    };
    button("start", `${words.to_start} (Home)`, () => player.go(0));
    this.fastBack = button("fastBack", "", () => (player.present.on ? player.present.page(-1) : player.goItem(-1)));
    this.back = button("back", "", () => player.goStop(-1));
    this.back.classList.add("tm-step");
    this.buttons.append(this.playButton);
    this.forward = button("forward", "", () => player.goStop(1));
    this.forward.classList.add("tm-step");
    this.fastForward = button("fastForward", "", () => (player.present.on ? player.present.page(1) : player.goItem(1)));
    button("end", `${words.to_end} (End)`, () => player.go(player.last));
    for (const each of SPEEDS) this.speed.append(el("option", "", `${each}×`, { value: each }));
    this.speed.value = "1";
    this.buttons.append(this.speed);
    for (const node of [this.fastBack, this.fastForward]) node.classList.add("tm-in-present");
    this.node.append(
      player.watches.node,
      this.buttons,
      player.scrubber.node,
      this.count,
      player.controls.change,
      player.find.button,
      player.jumps.node,
      player.jumps.menu.node,
      player.find.pop.node,
    );
    this.makeRoom([player.jumps.menu.node, player.find.pop.node]);
    this.labelSteps();
    player.telling.onChange(() => this.labelSteps());
    this.showPlaying();
  }

  /**
   * Says how high the panel above the transport is, so that a drawer ends where it begins.
   * @param panels of which one is open at most
   */
  makeRoom(panels: HTMLElement[]) {
    const watcher = new ResizeObserver(() => {
      const height = Math.max(...panels.map((panel) => panel.offsetHeight));
      this.player.root.style.setProperty("--tm-pop-room", height ? `${height + PANEL_GAP}px` : "0px");
    });
    for (const panel of panels) watcher.observe(panel);
  }

  /** What a step is depends on the level of the words. */
  labelSteps() {
    const { words, telling } = this.player;
    const what = words.stops[telling.level];
    relabelled(this.back, say(words.step_back, { what }));
    relabelled(this.forward, say(words.step_forward, { what }));
  }

  layout() {
    this.player.scrubber.layout();
  }

  /** The count and the scrubber always show the step itself, even while its picture waits for an answer. */
  show() {
    const { controls, last, present, root, scrubber, step, stops, words } = this.player;
    scrubber.show();
    const short = present.on || root.dataset.embed;
    const template = short ? words.present.count : controls.few ? words.controls.stop_of : words.step_of;
    if (this.template !== template) this.relabel(template);
    // A novice counts the stops, which are what an arrow key goes to.
    const [number, count] = controls.few ? [stops.filter((stop) => stop <= step).length, stops.length] : [step, last];
    const [before, after] = template.split(/\{(?:step|number)\}/);
    const texts = [before, say(after, { last: count, count })].map((text) => document.createTextNode(text));
    fill(this.count, texts[0], el("b", "", number), texts[1]);
  }

  /** While presenting, the double arrows go from beat to beat. */
  relabel(template: string) {
    const { words, payload, present } = this.player;
    this.template = template;
    const beats = payload.beats.length > 0;
    const [back, on] = present.on
      ? [
          `${beats ? words.present.previous_beat : words.present.previous_record} (PgUp)`,
          `${beats ? words.present.next_beat : words.present.next_record} (PgDn)`,
        ]
      : [`${words.fast_back} (Shift ←)`, `${words.fast_forward} (Shift →)`];
    relabelled(this.fastBack, back);
    relabelled(this.fastForward, on);
  }

  get playing() {
    return this.timer !== null;
  }

  toggle() {
    if (this.playing) this.stop();
    else this.start();
  }

  /** What the author says at this step, or asks. */
  get beat() {
    const { payload, step } = this.player;
    return payload.beats.find((beat) => beat.step === step);
  }

  /** Whether playing ends here: at the end, a breakpoint, and a question of the author or of Predict. */
  get rests() {
    const { last, predictor, step, watches } = this.player;
    return step >= last || predictor.open !== null || watches.stopsAt(step) || Boolean(this.beat?.choices.length);
  }

  /**
   * Plays from one step that matters to the next, the first of them at once: what is there now has been read. An open
   * question is waited for.
   */
  start() {
    if (this.player.asked.waits()) return;
    if (this.player.step >= this.player.last) this.player.go(0);
    let before = performance.now();
    let due = Infinity;
    const tick = (now: number) => {
      due += ((now - before) / 1000) * Number(this.speed.value);
      before = now;
      const read = due >= readingTime(this.player.said(this.player.step).what, this.beat?.text);
      if (read) {
        due = 0;
        this.player.goStop(1);
      }
      if (read && this.rests) {
        this.stop();
        this.player.now.rest();
      } else this.timer = requestAnimationFrame(tick);
    };
    this.timer = requestAnimationFrame(tick);
    this.showPlaying();
  }

  stop() {
    if (this.timer !== null) cancelAnimationFrame(this.timer);
    this.timer = null;
    this.showPlaying();
    this.player.remember();
  }

  showPlaying() {
    const { words } = this.player;
    const label = this.playing ? words.pause : words.play;
    this.playWord.textContent = label;
    this.playButton.setAttribute("aria-label", label);
    fill(this.playButton, icon(this.playing ? "pause" : "play"), this.playWord);
    this.player.live?.on(!this.playing);
  }
}

function relabelled(button: HTMLElement, label: string) {
  button.title = label;
  button.setAttribute("aria-label", label);
}

// How long playing stays at a step: as long as it takes to look at the picture, to skim what happened, and to read what
// the author says there.

const LOOK_TIME = 0.7; // s
const READ_LETTERS = 24; // a second
const SKIMMED_LETTERS = 48;
// A Chinese character says as much as some letters, and takes as long.
const CHARACTER_LETTERS = 2.6; // letters

function lettersToRead(text: string) {
  let count = 0;
  for (const each of text) count += each >= "\u2e80" ? CHARACTER_LETTERS : 1;
  return count;
}

/** Seconds at ordinary speed. */
export function readingTime(what: string, note = "") {
  return LOOK_TIME + lettersToRead(what) / SKIMMED_LETTERS + lettersToRead(note) / READ_LETTERS;
}

// Bookmarks: steps that the reader marked. This browser keeps one list for each scenario; a link carries the list.

const KEPT = "tidemark.bookmarks";
const MOST_IN_LINK = 40;

export class Bookmarks extends PlayerPart {
  steps: number[];

  constructor(player: Player) {
    super(player);
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
