// The transport bar: buttons, speed, and the scrubber with its marks.
import { el, fill, svg } from "../base/dom.js";
import { say } from "../base/format.js";
import { icon, mark } from "../base/icons.js";

const SPEEDS = [0.5, 1, 2, 4, 8, 16];
const SECONDS_PER_STEP = 0.6;
const MARK_ROOM = 13;
const RANK = { dropped: 5, side: 5, late: 4, update: 3, fired: 2 };

export class Transport {
  constructor(player) {
    this.player = player;
    const { words } = player;
    this.node = el("div", "tm-transport");
    this.buttons = el("div", "tm-buttons");
    const button = (name, label, action) => {
      const node = el("button", "tm-icon-button", null, { type: "button", title: label, "aria-label": label });
      node.append(icon(name));
      node.addEventListener("click", action);
      this.buttons.append(node);
      return node;
    };
    button("start", `${words.to_start} (Home)`, () => player.go(0));
    button("fastBack", `${words.fast_back} (Shift ←)`, () => player.goItem(-1));
    button("back", `${words.step_back} (←)`, () => player.go(player.step - 1));
    this.playButton = el("button", "tm-button tm-primary tm-play", null, { type: "button", title: "Space" });
    this.playButton.addEventListener("click", () => this.toggle());
    this.buttons.append(this.playButton);
    button("forward", `${words.step_forward} (→)`, () => player.go(player.step + 1));
    button("fastForward", `${words.fast_forward} (Shift →)`, () => player.goItem(1));
    button("end", `${words.to_end} (End)`, () => player.go(player.last));
    this.speed = el("select", "tm-speed", null, { "aria-label": words.speed });
    for (const each of SPEEDS) this.speed.append(el("option", "", `${each}×`, { value: each }));
    this.speed.value = "1";
    this.buttons.append(this.speed);
    this.scrubber();
    this.count = el("div", "tm-count");
    this.next = el("button", "tm-button tm-next", words.next_firing, { type: "button" });
    this.next.append(el("kbd", "", "F"));
    this.next.addEventListener("click", () => player.goMark(["fired", "update"]));
    this.node.append(this.buttons, this.track, this.count, this.next);
    this.timer = null;
    this.showPlaying();
  }

  scrubber() {
    const { words, last } = this.player;
    this.track = el("div", "tm-track");
    this.marks = el("div", "tm-marks", null, { "aria-hidden": "true" });
    this.ticks = svg("svg", { class: "tm-ticks", "aria-hidden": "true", preserveAspectRatio: "none" });
    this.range = el("input", "tm-range", null, { type: "range", min: 0, max: last, step: 1, "aria-label": words.scrubber });
    this.range.addEventListener("input", () => this.player.go(Number(this.range.value)));
    this.track.append(this.marks, this.range, this.ticks);
  }

  /** Marks above the track, a tick for each record below it; where they would touch, the weightier one stands. */
  layout() {
    const { payload, last } = this.player;
    const width = this.track.clientWidth;
    if (!width) return;
    const at = (step) => (last ? 8 + (step / last) * (width - 16) : 8);
    const kept = [];
    for (const each of payload.marks.slice().sort((a, b) => RANK[b.kind] - RANK[a.kind] || a.step - b.step)) {
      const place = at(each.step);
      if (!kept.some((other) => Math.abs(other.place - place) < MARK_ROOM)) kept.push({ ...each, place });
    }
    this.shown = kept.sort((a, b) => a.step - b.step).map((each) => {
      const node = el("span", "tm-scrub-mark");
      node.style.left = `${each.place}px`;
      node.append(mark(each.kind));
      node.dataset.ahead = "true";
      return { step: each.step, node };
    });
    fill(this.marks, this.shown.map((each) => each.node));
    this.ticks.setAttribute("viewBox", `0 0 ${width} 26`);
    const lines = (steps, y1, y2) => steps.map((step) => `M${at(step).toFixed(1)} ${y1}V${y2}`).join("");
    const few = payload.items.length <= width / 6 ? payload.items : [];
    fill(this.ticks,
      svg("path", { d: lines(few, 20, 25), class: "tm-tick" }),
      svg("path", { d: lines(payload.beats.map((beat) => beat.step), 0, 6), class: "tm-tick tm-beat-tick" }));
  }

  show(step) {
    const { words, last, facts } = this.player;
    this.range.value = step;
    this.range.setAttribute("aria-valuetext", `${say(words.step_of, { step, last })}: ${facts.at("steps", step)[0].what}`);
    this.range.style.setProperty("--tm-done", last ? step / last : 0);
    for (const each of this.shown ?? []) {
      const ahead = String(each.step > step);
      if (each.node.dataset.ahead !== ahead) each.node.dataset.ahead = ahead;
    }
    const [before, after] = words.step_of.split("{step}");
    fill(this.count, document.createTextNode(before), el("b", "", step), document.createTextNode(say(after, { last })));
  }

  get playing() {
    return this.timer !== null;
  }

  toggle() {
    if (this.playing) this.stop();
    else this.start();
  }

  start() {
    if (this.player.step >= this.player.last) this.player.go(0);
    let before = performance.now();
    let due = 0;
    const tick = (now) => {
      due += ((now - before) / 1000) * Number(this.speed.value);
      before = now;
      const steps = Math.floor(due / SECONDS_PER_STEP);
      if (steps > 0) {
        due -= steps * SECONDS_PER_STEP;
        this.player.go(this.player.step + steps);
      }
      if (this.player.step >= this.player.last) this.stop();
      else this.timer = requestAnimationFrame(tick);
    };
    this.timer = requestAnimationFrame(tick);
    this.showPlaying();
  }

  stop() {
    cancelAnimationFrame(this.timer);
    this.timer = null;
    this.showPlaying();
    this.player.remember();
  }

  showPlaying() {
    const { words } = this.player;
    fill(this.playButton, icon(this.playing ? "pause" : "play"), document.createTextNode(this.playing ? words.pause : words.play));
    this.player.live?.(!this.playing);
  }
}
